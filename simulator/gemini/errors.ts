import type { Reply } from '../net/exchange.ts';
import { json } from '../net/reply.ts';

function fault(code: number, status: string, message: string, details?: readonly object[]): Reply {
  return json({ error: { code, message, status, ...(details ? { details } : {}) } }, code);
}

export const badRequest = (message: string): Reply => fault(400, 'INVALID_ARGUMENT', message);

export const badKey = (): Reply =>
  fault(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service: 'generativelanguage.googleapis.com' },
    },
    {
      '@type': 'type.googleapis.com/google.rpc.LocalizedMessage',
      locale: 'en-US',
      message: 'API key not valid. Please pass a valid API key.',
    },
  ]);

export const noKey = (): Reply =>
  fault(
    403,
    'PERMISSION_DENIED',
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
  );

export const noModel = (model: string): Reply =>
  fault(
    404,
    'NOT_FOUND',
    `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
  );

export const notFound = (): Reply => fault(404, 'NOT_FOUND', 'Requested entity was not found.');

export function quotaExceeded(retryAfterMs: number, model = 'gemini-2.5-flash'): Reply {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return fault(
    429,
    'RESOURCE_EXHAUSTED',
    `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\nPlease retry in ${seconds}s.`,
    [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [
          {
            quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
            quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier',
            quotaDimensions: { location: 'global', model },
            quotaValue: '10',
          },
        ],
      },
      {
        '@type': 'type.googleapis.com/google.rpc.Help',
        links: [
          {
            description: 'Learn more about Gemini API quotas',
            url: 'https://ai.google.dev/gemini-api/docs/rate-limits',
          },
        ],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` },
    ],
  );
}

export function geminiError(status: number, retryAfterMs = 30_000): Reply {
  switch (status) {
    case 400:
      return badRequest('Request contains an invalid argument.');
    case 401:
      return fault(
        401,
        'UNAUTHENTICATED',
        'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
      );
    case 403:
      return fault(403, 'PERMISSION_DENIED', 'The caller does not have permission');
    case 404:
      return notFound();
    case 429:
      return quotaExceeded(retryAfterMs);
    case 503:
      return fault(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.');
    case 504:
      return fault(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.');
    default:
      return fault(
        status,
        'INTERNAL',
        'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
      );
  }
}
