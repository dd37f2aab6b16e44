import type { FetchOutcome } from '../../reading/fetcher.ts';
import { DAY } from '../../time/duration.ts';
import { cannotTell, jsonIn } from '../answer.ts';
import type { OutgoingMessage, ReadBackOutcome } from '../publisher.ts';
import { snowflakeOf } from './answer.ts';
import type { DigestBody } from './digest.ts';
import { type AskDiscord, compare, notFound, timeOf } from './read-back.ts';

/** So many posts of a forum are looked into; each costs a request. */
const MOST_THREADS = 60;

interface Thread {
  readonly id: bigint;
  readonly name: string;
}

/**
 * Looks for a post in a forum by the content of its first message. The posts are threads: those in use are listed by the
 * server, those that fell silent by the forum. Posts with our title are looked into first.
 */
export async function readBackForum(
  ask: AskDiscord,
  forum: string,
  message: OutgoingMessage,
  now: number,
): Promise<ReadBackOutcome> {
  const post = JSON.parse(message.body) as { readonly name: string; readonly message: DigestBody };
  let alike = false;
  const threads = await threadsOf(ask, forum);
  if ('trouble' in threads) return cannotTell(threads.trouble, 'Discord');
  // Our clock may be wrong, so posts of the day before the first attempt count too.
  const earliest = (message.firstTriedAt ?? now) - DAY;
  const recent = threads.found
    .filter(({ id }) => timeOf(id) >= earliest)
    .sort((a, b) => Number(b.name === post.name) - Number(a.name === post.name) || (a.id < b.id ? 1 : -1));
  for (const { id } of recent.slice(0, MOST_THREADS)) {
    // The first message of a post has the ID of its thread.
    const answer = await ask(`channels/${id}/messages/${id}`);
    if (answer.outcome === 'failed' || (answer.status !== 200 && answer.status !== 404))
      return cannotTell(answer, 'Discord');
    const likeness = answer.status === 200 ? compare(jsonIn(answer.body), message, post.message) : 'other';
    if (likeness === 'same') return { outcome: 'found', remoteId: String(id) };
    if (likeness === 'alike') alike = true;
  }
  if (recent.length <= MOST_THREADS) return notFound(alike);
  return { outcome: 'cannot_tell', detail: 'too much was posted in the forum since to look through it' };
}

async function threadsOf(
  ask: AskDiscord,
  forum: string,
): Promise<{ readonly found: readonly Thread[] } | { readonly trouble: FetchOutcome }> {
  const channel = await ask(`channels/${forum}`);
  const guild = snowflakeOf(fieldOf(bodyOf(channel), 'guild_id'));
  if (guild === null) return { trouble: channel };
  const found = new Map<bigint, Thread>();
  for (const path of [
    `guilds/${guild}/threads/active`,
    `channels/${forum}/threads/archived/public?limit=100`,
  ]) {
    const answer = await ask(path);
    const threads = fieldOf(bodyOf(answer), 'threads');
    if (!Array.isArray(threads)) return { trouble: answer };
    for (const thread of threads) {
      const id = snowflakeOf(fieldOf(thread, 'id'));
      if (id === null || fieldOf(thread, 'parent_id') !== forum) continue;
      found.set(BigInt(id), { id: BigInt(id), name: String(fieldOf(thread, 'name')) });
    }
  }
  return { found: [...found.values()] };
}

function bodyOf(answer: FetchOutcome): unknown {
  return answer.outcome === 'response' && answer.status === 200 ? jsonIn(answer.body) : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
