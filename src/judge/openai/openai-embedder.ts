import type { Embedder } from '../embedder.ts';
import { createRemoteEmbedder } from '../remote/embedding-call.ts';
import { type OpenaiOptions, openaiFailure } from './openai-model.ts';

/** Any server with OpenAI's embeddings API (`/v1/embeddings`): OpenAI, Ollama, llama.cpp, vLLM. */
export function createOpenaiEmbedder({
  model,
  apiKey,
  baseUrl,
  fetch,
  clock,
  timeoutMs,
}: Pick<OpenaiOptions, 'model' | 'apiKey' | 'baseUrl' | 'fetch' | 'clock' | 'timeoutMs'>): Embedder {
  const secrets = (): readonly string[] => (apiKey === undefined ? [] : [apiKey()]);
  return createRemoteEmbedder({
    model,
    clock,
    timeoutMs,
    secrets,
    async load() {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const provider = createOpenAICompatible({
        name: 'openai',
        baseURL: baseUrl.replace(/\/+$/, ''),
        fetch,
        ...(apiKey !== undefined && { apiKey: apiKey() }),
      });
      return provider.embeddingModel(model);
    },
    failure: (failed) => openaiFailure(failed, model, secrets(), clock.now()),
  });
}
