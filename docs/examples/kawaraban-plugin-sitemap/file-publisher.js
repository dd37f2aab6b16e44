import { appendFile, readFile } from 'node:fs/promises';

/** @import { OutgoingMessage, Publisher } from 'kawaraban' */

/** Changes whenever the same content would look different: then it is another message. */
const TEMPLATE = 'file-1';

/**
 * A text file as a destination, one line for each message, with the message's key in front. It shows the duties of a publisher: the
 * exact message before it is sent, a truthful outcome, and reading back.
 *
 * @param {string} id
 * @param {string} path
 * @returns {Publisher}
 */
export function filePublisher(id, path) {
  return {
    id,
    abilities: {
      // A file does not deduplicate, so it is searched for the key instead.
      nativeIdempotencyMs: 0,
      canReadBack: true,
      itemsPerMessage: 1,
    },
    render: ({ items }) => ({
      body: items.map(({ item, summary }) => `${item.title} ${item.url} ${summary ?? ''}`.trim()).join(' · '),
      templateVersion: TEMPLATE,
    }),
    async send(message) {
      try {
        await appendFile(path, lineOf(message), { flush: true });
        return { outcome: 'sent', remoteId: message.key };
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : '';
        // A missing folder may be created later; the message itself is valid.
        if (code === 'ENOENT' || code === 'EACCES')
          return { outcome: 'held', detail: `${path} cannot be written`, until: null };
        // The disk may have filled up in the middle of a line: the outcome is unknown.
        return { outcome: 'unknown', detail: 'the file could not be written to its end' };
      }
    },
    async readBack(message) {
      try {
        const found = (await readFile(path, 'utf8')).includes(lineOf(message));
        return found ? { outcome: 'found', remoteId: message.key } : { outcome: 'absent' };
      } catch (error) {
        const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        return absent
          ? { outcome: 'absent' }
          : { outcome: 'cannot_tell', detail: `${path} cannot be read`, passing: true };
      }
    },
  };
}

/** @param {OutgoingMessage} message */
function lineOf({ key, body }) {
  return `${key} ${body.replaceAll(/\s+/g, ' ')}\n`;
}
