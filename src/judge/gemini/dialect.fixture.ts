import type { AskedQuestion, Dialect } from '../contract/model-server.ts';

interface Part {
  readonly text?: string;
  readonly inlineData?: { readonly mimeType: string; readonly data: string };
}

interface GenerateContentRequest {
  readonly systemInstruction?: { readonly parts: readonly Part[] };
  readonly contents: readonly { readonly role: string; readonly parts: readonly Part[] }[];
  readonly generationConfig?: {
    readonly responseMimeType?: string;
    readonly responseJsonSchema?: unknown;
    readonly maxOutputTokens?: number;
  };
}

/** Gemini's `models/{model}:generateContent`, for the test server. */
export const geminiDialect: Dialect = {
  read(request, body): AskedQuestion {
    const asked = body as GenerateContentRequest;
    const parts = asked.contents.flatMap((content) => content.parts);
    const config = asked.generationConfig;
    return {
      model: /models\/([^:]+):generateContent/.exec(request.url ?? '')?.[1] ?? '',
      key: (request.headers['x-goog-api-key'] as string | undefined) ?? null,
      instructions: asked.systemInstruction?.parts.map((part) => part.text ?? '').join('') ?? '',
      data: parts.map((part) => part.text ?? '').join(''),
      files: parts
        .map((part) => part.inlineData)
        .filter((file) => file !== undefined)
        .map((file) => ({ mediaType: file.mimeType, bytes: Buffer.from(file.data, 'base64') })),
      maxOutputTokens: config?.maxOutputTokens ?? null,
      settings: { ...config },
      format:
        config?.responseJsonSchema !== undefined ? 'schema' : config?.responseMimeType ? 'json' : 'plain',
    };
  },
  text: (text, cutOff, withUsage) => ({
    candidates: [
      {
        content: { role: 'model', parts: [{ text }] },
        finishReason: cutOff ? 'MAX_TOKENS' : 'STOP',
        index: 0,
      },
    ],
    ...(withUsage
      ? { usageMetadata: { promptTokenCount: 321, candidatesTokenCount: 45, totalTokenCount: 366 } }
      : {}),
    modelVersion: 'gemini-test',
  }),
  blocked: {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    usageMetadata: { promptTokenCount: 300, totalTokenCount: 300 },
  },
  nothing: { candidates: [], usageMetadata: { promptTokenCount: 300, totalTokenCount: 300 } },
};
