import type { Embedder } from '../embedder.ts';
import { createRemoteEmbedder } from '../remote/embedding-call.ts';
import { type GeminiOptions, geminiFailure } from './gemini-model.ts';

/** An embedding model of Google's Gemini: `embedContent` for one text, `batchEmbedContents` for several. */
export function createGeminiEmbedder({
  model,
  apiKey,
  baseUrl,
  fetch,
  clock,
  timeoutMs,
}: Pick<GeminiOptions, 'model' | 'apiKey' | 'baseUrl' | 'fetch' | 'clock' | 'timeoutMs'>): Embedder {
  return createRemoteEmbedder({
    model,
    clock,
    timeoutMs,
    secrets: () => [apiKey()],
    async load() {
      const { createGoogle } = await import('@ai-sdk/google');
      const baseURL = baseUrl?.replace(/\/+$/, '');
      const provider = createGoogle({ apiKey: apiKey(), fetch, ...(baseURL !== undefined && { baseURL }) });
      const embedding = provider.embeddingModel(model);
      const providerOptions = { google: { taskType: 'SEMANTIC_SIMILARITY' } };
      return { doEmbed: (options) => embedding.doEmbed({ ...options, providerOptions }) };
    },
    failure: (failed) => geminiFailure(failed, model, apiKey(), clock.now()),
  });
}
