import { type Ask, header } from '../net/exchange.ts';
import type { MessageForm } from './form.ts';

/** The form of a message, from JSON or from the `payload_json` of an upload; `null` when it is neither. */
export async function readForm(ask: Ask): Promise<MessageForm | null> {
  const type = header(ask, 'content-type') ?? 'application/json';
  try {
    if (!type.startsWith('multipart/form-data')) return asForm(JSON.parse(ask.body.toString('utf8')));
    const upload = new Response(new Uint8Array(ask.body), { headers: { 'content-type': type } });
    const payload = (await upload.formData()).get('payload_json');
    return asForm(typeof payload === 'string' ? JSON.parse(payload) : {});
  } catch {
    return null;
  }
}

/** Discord treats null as absent. */
function asForm(value: unknown): MessageForm | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}
