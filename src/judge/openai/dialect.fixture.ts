import type { AskedQuestion, Dialect } from '../contract/model-server.ts';

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | readonly { readonly type: string; readonly text?: string }[];
  }[];
  readonly response_format?: { readonly type: string };
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
}

/** OpenAI's `chat/completions`, for the test server. */
export const openaiDialect: Dialect = {
  read(request, body): AskedQuestion {
    const asked = body as ChatRequest;
    const textOf = (role: string): string =>
      asked.messages
        .filter((message) => message.role === role)
        .map(({ content }) =>
          typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(''),
        )
        .join('');
    const format = asked.response_format?.type;
    return {
      model: asked.model,
      key: request.headers.authorization?.replace(/^Bearer /, '') ?? null,
      instructions: textOf('system'),
      data: textOf('user'),
      files: [],
      maxOutputTokens: asked.max_completion_tokens ?? asked.max_tokens ?? null,
      settings: settingsIn(asked),
      format: format === 'json_schema' ? 'schema' : format === 'json_object' ? 'json' : 'plain',
    };
  },
  text: (content, cutOff, withUsage) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'test',
    choices: [
      { index: 0, message: { role: 'assistant', content }, finish_reason: cutOff ? 'length' : 'stop' },
    ],
    ...(withUsage ? { usage: { prompt_tokens: 321, completion_tokens: 45, total_tokens: 366 } } : {}),
  }),
  blocked: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'test',
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'content_filter' }],
    usage: { prompt_tokens: 300, completion_tokens: 0, total_tokens: 300 },
  },
  nothing: { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'test', choices: [] },
};

function settingsIn({ model, messages, response_format, ...settings }: ChatRequest): Record<string, unknown> {
  return settings;
}
