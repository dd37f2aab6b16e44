import type { Schema } from '../model/fill-schema.ts';
import { pdfText } from '../model/pdf-text.ts';
import type { Reply } from '../net/exchange.ts';
import { badRequest } from './errors.ts';

/** `generateContent` as clients send it; fields come in both spellings. */
export interface GenerateRequest {
  readonly contents?: readonly Content[];
  readonly systemInstruction?: Content;
  readonly system_instruction?: Content;
  readonly generationConfig?: {
    readonly responseMimeType?: string;
    readonly responseSchema?: Schema;
    readonly responseJsonSchema?: Schema;
    readonly maxOutputTokens?: number;
    readonly thinkingConfig?: ThinkingConfig;
  };
}

export interface ThinkingConfig {
  readonly thinkingBudget?: number;
  readonly thinkingLevel?: string;
}

interface Content {
  readonly role?: string;
  readonly parts?: readonly Part[];
}

interface Part {
  readonly text?: string;
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string };
  readonly inline_data?: { readonly mime_type?: string; readonly data?: string };
}

/** The request as the model sees it. */
export interface Understood {
  readonly prompt: string;
  readonly schema: Schema | null;
  readonly documents: readonly { readonly mediaType: string; readonly bytes: number }[];
  readonly wantsJson: boolean;
  readonly maxOutputTokens: number;
  readonly thinking: ThinkingConfig;
}

const TAKEN = /^(application\/pdf|text\/[\w.+-]+|image\/(png|jpeg|webp|heic|heif))$/;
const DEFAULT_OUTPUT = 65_536;

/** Parses and validates a request; a reply reports what is wrong with it. */
export function understand(body: Buffer): Understood | Reply {
  let request: GenerateRequest;
  try {
    request = JSON.parse(body.toString('utf8')) as GenerateRequest;
  } catch {
    return badRequest('Invalid JSON payload received. Unexpected token.');
  }
  if (!request.contents?.length) {
    return badRequest('* GenerateContentRequest.contents: contents is not specified\n');
  }
  const config = request.generationConfig ?? {};
  const schema = config.responseJsonSchema ?? config.responseSchema ?? null;
  const wantsJson = config.responseMimeType === 'application/json';
  if (schema && !wantsJson) {
    return badRequest(
      "Function calling config or response schema requires response_mime_type: 'application/json'",
    );
  }
  const read = readParts([
    request.systemInstruction ?? request.system_instruction ?? {},
    ...request.contents,
  ]);
  if ('status' in read) return read;
  return {
    ...read,
    schema,
    wantsJson,
    maxOutputTokens: config.maxOutputTokens ?? DEFAULT_OUTPUT,
    thinking: config.thinkingConfig ?? {},
  };
}

function readParts(contents: readonly Content[]): Pick<Understood, 'prompt' | 'documents'> | Reply {
  const texts: string[] = [];
  const documents: { mediaType: string; bytes: number }[] = [];
  for (const part of contents.flatMap((content) => content.parts ?? [])) {
    if (part.text !== undefined) texts.push(part.text);
    const data = part.inlineData?.data ?? part.inline_data?.data;
    if (data === undefined) continue;
    const mediaType = part.inlineData?.mimeType ?? part.inline_data?.mime_type ?? '';
    if (!TAKEN.test(mediaType)) return badRequest(`Unsupported MIME type: ${mediaType}`);
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(data)) {
      return badRequest(
        `Invalid value at 'contents[0].parts[0].inline_data.data' (TYPE_BYTES), Base64 decoding failed`,
      );
    }
    const bytes = Buffer.from(data, 'base64');
    documents.push({ mediaType, bytes: bytes.length });
    const text = mediaType === 'application/pdf' ? pdfText(bytes) : '';
    if (text === null) return badRequest('The document has no pages.');
    texts.push(`<document>\n${text}\n</document>`);
  }
  return { prompt: texts.join('\n\n'), documents };
}

interface EmbedRequest {
  readonly model?: string;
  readonly content?: Content;
}

const MAX_BATCH = 100;

/** The texts of `embedContent` or `batchEmbedContents`; a reply reports what is wrong with the request. */
export function textsToEmbed(
  body: Buffer,
  method: 'embedContent' | 'batchEmbedContents',
): readonly string[] | Reply {
  let request: EmbedRequest & { readonly requests?: readonly EmbedRequest[] };
  try {
    request = JSON.parse(body.toString('utf8')) as typeof request;
  } catch {
    return badRequest('Invalid JSON payload received. Unexpected token.');
  }
  const requests = method === 'embedContent' ? [request] : (request.requests ?? []);
  if (requests.length === 0)
    return badRequest('* BatchEmbedContentsRequest.requests: requests is not specified\n');
  if (requests.length > MAX_BATCH)
    return badRequest(
      `* BatchEmbedContentsRequest.requests: at most ${MAX_BATCH} requests can be in one batch\n`,
    );
  const texts = requests.map(({ content }) => (content?.parts ?? []).map(({ text }) => text ?? '').join(''));
  return texts.some((text) => text === '')
    ? badRequest('* EmbedContentRequest.content: contents is not specified\n')
    : texts;
}
