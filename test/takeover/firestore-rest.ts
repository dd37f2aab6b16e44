/**
 * Reads and writes Firestore as any other program would: plain REST, no client library and no code of the project. It
 * knows only documents and the types of their fields.
 */
export interface RestDocument {
  readonly id: string;
  /** Fields as plain values; times as ISO 8601 text. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Firestore's name of each field's type: `stringValue`, `timestampValue`, … */
  readonly types: Readonly<Record<string, string>>;
}

type RestValue = Readonly<Record<string, unknown>>;
type RestFields = Readonly<Record<string, RestValue>>;

/** Server timestamp, set by Firestore on the write, as the original programs use it. */
export const SERVER_TIME = Symbol('server time');

export class FirestoreRest {
  readonly #documents: string;

  constructor(host: string, project: string) {
    this.#documents = `http://${host}/v1/projects/${project}/databases/(default)/documents`;
  }

  /** Every document of a collection, in the order of the IDs. `collection` may be a path below a document. */
  async list(collection: string): Promise<RestDocument[]> {
    const found: RestDocument[] = [];
    let pageToken = '';
    do {
      const page = (await this.#request('GET', `/${collection}?pageSize=300&pageToken=${pageToken}`)) as {
        documents?: { name: string; fields?: RestFields }[];
        nextPageToken?: string;
      };
      for (const { name, fields = {} } of page.documents ?? []) found.push(documentOf(name, fields));
      pageToken = encodeURIComponent(page.nextPageToken ?? '');
    } while (pageToken !== '');
    return found;
  }

  /** One document, or null. */
  async get(collection: string, id: string): Promise<RestDocument | null> {
    const response = (await this.#request('GET', `/${collection}/${encodeURIComponent(id)}`)) as {
      name: string;
      fields?: RestFields;
    } | null;
    return response === null ? null : documentOf(response.name, response.fields ?? {});
  }

  /** `set()`: replaces the document. A field is a plain value, a `Date` (timestamp) or `SERVER_TIME`. */
  async set(collection: string, id: string, data: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#commit(collection, id, data, false);
  }

  /** `update()`: changes these fields and keeps the rest. */
  async update(collection: string, id: string, data: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#commit(collection, id, data, true);
  }

  async delete(collection: string, id: string): Promise<void> {
    await this.#request('DELETE', `/${collection}/${encodeURIComponent(id)}`);
  }

  async #commit(
    collection: string,
    id: string,
    data: Readonly<Record<string, unknown>>,
    merge: boolean,
  ): Promise<void> {
    const entries = Object.entries(data);
    const plain = entries.filter(([, value]) => value !== SERVER_TIME);
    const root = new URL(this.#documents).pathname.slice('/v1/'.length);
    const write = {
      update: {
        name: `${decodeURIComponent(root)}/${collection}/${id}`,
        fields: Object.fromEntries(plain.map(([name, value]) => [name, encode(value)])),
      },
      ...(merge && {
        updateMask: { fieldPaths: plain.map(([name]) => name) },
        currentDocument: { exists: true },
      }),
      updateTransforms: entries
        .filter(([, value]) => value === SERVER_TIME)
        .map(([fieldPath]) => ({ fieldPath, setToServerValue: 'REQUEST_TIME' })),
    };
    await this.#request('POST', ':commit', { writes: [write] });
  }

  async #request(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.#documents}${path}`, {
      method,
      headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (method === 'GET' && response.status === 404) return null;
    if (!response.ok) throw new Error(`Firestore answered ${response.status} to ${method} ${path}: ${text}`);
    return JSON.parse(text);
  }
}

function documentOf(name: string, fields: RestFields): RestDocument {
  const entries = Object.entries(fields);
  return {
    id: name.slice(name.lastIndexOf('/') + 1),
    data: Object.fromEntries(entries.map(([field, value]) => [field, decode(value)])),
    types: Object.fromEntries(entries.map(([field, value]) => [field, Object.keys(value)[0] ?? ''])),
  };
}

function decode(value: RestValue): unknown {
  const [type, content] = Object.entries(value)[0] ?? ['nullValue', null];
  if (type === 'nullValue') return null;
  if (type === 'integerValue') return Number(content);
  if (type === 'arrayValue') return ((content as { values?: RestValue[] }).values ?? []).map(decode);
  if (type === 'mapValue') {
    const fields = (content as { fields?: RestFields }).fields ?? {};
    return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, decode(one)]));
  }
  return content;
}

function encode(value: unknown): RestValue {
  if (value === null) return { nullValue: null };
  if (value instanceof Date) return { timestampValue: value.toISOString() };
  if (typeof value === 'boolean') return { booleanValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { integerValue: String(value) } : { doubleValue: value };
  if (typeof value === 'string') return { stringValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(encode) } };
  const fields = Object.entries(value as Record<string, unknown>);
  return { mapValue: { fields: Object.fromEntries(fields.map(([name, one]) => [name, encode(one)])) } };
}
