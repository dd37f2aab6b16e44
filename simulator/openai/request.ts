import type { Schema } from '../model/fill-schema.ts';
import type { Reply } from '../net/exchange.ts';
import { badRequest } from './errors.ts';

/** Response formats that the server supports: newer ones schemas, older ones JSON, the oldest none. */
export type Formats = 'json_schema' | 'json_object' | 'none';

export interface Chat {
  readonly model: string;
  readonly prompt: string;
  readonly schema: Schema | null;
  readonly wantsJson: boolean;
  readonly maxTokens: number;
  /** Parameters as sent, for what depends on the model. */
  readonly sent: Pick<Wire, 'max_tokens' | 'max_completion_tokens' | 'temperature' | 'reasoning_effort'>;
  readonly stream: boolean;
}

export interface Wire {
  readonly model?: unknown;
  readonly messages?: readonly { readonly content?: unknown }[];
  readonly response_format?: {
    readonly type?: string;
    readonly json_schema?: {
      readonly name?: string;
      readonly strict?: boolean;
      readonly schema?: StrictSchema;
    };
  };
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly temperature?: number;
  readonly reasoning_effort?: string;
  readonly stream?: boolean;
}

interface StrictSchema extends Schema {
  readonly additionalProperties?: unknown;
}

/** Parses and validates a chat; a reply reports what is wrong with it. */
export function readChat(body: Buffer, formats: Formats): Chat | Reply {
  let wire: Wire;
  try {
    wire = JSON.parse(body.toString('utf8')) as Wire;
  } catch {
    return badRequest('We could not parse the JSON body of your request.');
  }
  if (typeof wire.model !== 'string' || wire.model === '')
    return badRequest('you must provide a model parameter');
  if (!Array.isArray(wire.messages) || wire.messages.length === 0) {
    return badRequest("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter');
  }
  const prompt = wire.messages.map((message: { content?: unknown }) => textOf(message.content)).join('\n\n');
  const problem = checkFormat(wire, formats, prompt);
  if (problem) return problem;
  const format = wire.response_format;
  return {
    model: wire.model,
    prompt,
    schema: format?.type === 'json_schema' ? (format.json_schema?.schema ?? null) : null,
    wantsJson: format?.type === 'json_object' || format?.type === 'json_schema',
    maxTokens: wire.max_completion_tokens ?? wire.max_tokens ?? 16_384,
    sent: wire,
    stream: wire.stream === true,
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : ''))
    .join('\n');
}

function checkFormat(wire: Wire, formats: Formats, prompt: string): Reply | null {
  const type = wire.response_format?.type;
  if (type === undefined || type === 'text') return null;
  if (formats === 'none' || (formats === 'json_object' && type === 'json_schema')) {
    return badRequest(
      `Invalid parameter: 'response_format' of type '${type}' is not supported with this model.`,
      'response_format',
    );
  }
  if (type === 'json_object') {
    return /json/i.test(prompt)
      ? null
      : badRequest(
          "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
          'messages',
        );
  }
  const asked = wire.response_format?.json_schema;
  if (!asked?.schema || !asked.name) {
    return badRequest(
      "Missing required parameter: 'response_format.json_schema'.",
      'response_format.json_schema',
    );
  }
  const loose = asked.strict ? looseIn(asked.schema, '()') : null;
  if (loose === null) return null;
  return badRequest(
    `Invalid schema for response_format '${asked.name}': In context=${loose}`,
    'response_format',
  );
}

/** Strict schemas name every property as required and allow no other. */
function looseIn(schema: StrictSchema, context: string): string | null {
  if (schema.properties) {
    if (schema.additionalProperties !== false) {
      return `${context}, 'additionalProperties' is required to be supplied and to be false.`;
    }
    for (const [name, inner] of Object.entries(schema.properties)) {
      if (!schema.required?.includes(name)) {
        return `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${name}'.`;
      }
      const deeper = looseIn(inner, `('properties', '${name}')`);
      if (deeper) return deeper;
    }
  }
  return schema.items ? looseIn(schema.items, `${context}.items`) : null;
}

/** `/v1/embeddings` as clients send it. */
export function readEmbeddingRequest(
  body: Buffer,
): { readonly model: string; readonly texts: readonly string[] } | Reply {
  let request: { readonly model?: unknown; readonly input?: unknown };
  try {
    request = JSON.parse(body.toString('utf8')) as typeof request;
  } catch {
    return badRequest('We could not parse the JSON body of your request.', null);
  }
  const { model, input } = request;
  const texts = typeof input === 'string' ? [input] : input;
  if (typeof model !== 'string') return badRequest('you must provide a model parameter', null);
  if (
    !Array.isArray(texts) ||
    texts.length === 0 ||
    texts.some((text) => typeof text !== 'string' || text === '')
  )
    return badRequest("'$.input' is invalid.", 'input');
  return { model, texts: texts as string[] };
}
