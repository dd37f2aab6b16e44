import type { Reply } from '../net/exchange.ts';
import { json } from '../net/reply.ts';

function fault(
  status: number,
  message: string,
  type: string,
  code: string | null,
  param: string | null = null,
): Reply {
  return json({ error: { message, type, param, code } }, status);
}

const INVALID = 'invalid_request_error';

export const badRequest = (message: string, param: string | null = null, code: string | null = null): Reply =>
  fault(400, message, INVALID, code, param);

/** Error of newer models for a parameter that they no longer accept. */
export const unsupportedParameter = (param: string, instead: string | null = null): Reply =>
  badRequest(
    `Unsupported parameter: '${param}' is not supported with this model.${instead === null ? '' : ` Use '${instead}' instead.`}`,
    param,
    'unsupported_parameter',
  );

export const unsupportedValue = (param: string, value: string, supported: string): Reply =>
  badRequest(
    `Unsupported value: '${param}' does not support ${value} with this model. ${supported}`,
    param,
    'unsupported_value',
  );

/** Error of models without reasoning for `reasoning_effort`. */
export const unrecognizedArgument = (name: string): Reply =>
  badRequest(`Unrecognized request argument supplied: ${name}`);

export const tooManyTokens = (param: string, asked: number, most: number): Reply =>
  badRequest(
    `${param} is too large: ${asked}. This model supports at most ${most} completion tokens, whereas you provided ${asked}.`,
    param,
  );

/** Mistral's error for an unknown field. */
export const extraForbidden = (field: string, input: unknown): Reply =>
  json(
    {
      object: 'error',
      message: {
        detail: [
          { type: 'extra_forbidden', loc: ['body', field], msg: 'Extra inputs are not permitted', input },
        ],
      },
      type: 'invalid_request_error',
      param: null,
      code: null,
    },
    422,
  );

export const noKey = (): Reply =>
  fault(
    401,
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
    INVALID,
    null,
  );

export const badKey = (key: string): Reply =>
  fault(
    401,
    `Incorrect API key provided: ${key.slice(0, 3)}***${key.slice(-2)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
    INVALID,
    'invalid_api_key',
  );

export const noModel = (model: string): Reply =>
  fault(
    404,
    `The model \`${model}\` does not exist or you do not have access to it.`,
    INVALID,
    'model_not_found',
  );

export const unknownUrl = (method: string, path: string): Reply =>
  fault(
    404,
    `Unknown request URL: ${method} ${path}. Please check the URL for typos.`,
    INVALID,
    'unknown_url',
  );

export const noCredit = (): Reply =>
  fault(
    429,
    'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
    'insufficient_quota',
    'insufficient_quota',
  );

export function rateLimited(retryAfterMs: number, model = 'gpt-sim'): Reply {
  const seconds = Math.ceil(retryAfterMs / 1000);
  const reply = fault(
    429,
    `Rate limit reached for ${model} in organization org-simulated on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in ${seconds}s.`,
    'requests',
    'rate_limit_exceeded',
  );
  const headers = {
    'retry-after': String(seconds),
    'retry-after-ms': String(retryAfterMs),
    'x-ratelimit-limit-requests': '3',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': `${seconds}s`,
  };
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

export function openAiError(status: number, retryAfterMs = 20_000): Reply {
  switch (status) {
    case 401:
      return badKey('sk-wrong');
    case 402:
      return noCredit();
    case 404:
      return noModel('gpt-sim');
    case 429:
      return rateLimited(retryAfterMs);
    case 503:
      return fault(
        503,
        'That model is currently overloaded with other requests. You can retry your request.',
        'server_error',
        null,
      );
    default:
      return status >= 500
        ? fault(
            status,
            'The server had an error while processing your request. Sorry about that!',
            'server_error',
            null,
          )
        : badRequest('Invalid request.');
  }
}
