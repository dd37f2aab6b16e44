import { type Ask, header } from '../net/exchange.ts';
import type { StatusForm } from './statuses.ts';

/** Parses JSON, a form or an upload, as Mastodon accepts all three; `null` when it cannot be parsed. */
export async function readForm(ask: Ask): Promise<StatusForm | null> {
  const type = header(ask, 'content-type') ?? '';
  try {
    if (type.startsWith('application/json')) {
      const value: unknown = JSON.parse(ask.body.toString('utf8'));
      return typeof value === 'object' && value !== null ? (value as StatusForm) : null;
    }
    if (type.startsWith('multipart/form-data')) return fromEntries((await upload(ask)).entries());
    return fromEntries(new URLSearchParams(ask.body.toString('utf8')).entries());
  } catch {
    return null;
  }
}

export function upload(ask: Ask): Promise<FormData> {
  const type = header(ask, 'content-type') ?? '';
  return new Response(new Uint8Array(ask.body), { headers: { 'content-type': type } }).formData();
}

function fromEntries(entries: Iterable<[string, unknown]>): StatusForm {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of entries) {
    if (typeof value !== 'string') continue;
    if (name.endsWith('[]')) fields[name.slice(0, -2)] = [...(fields[name.slice(0, -2)] ?? []), value];
    else fields[name] = value;
  }
  return fields;
}
