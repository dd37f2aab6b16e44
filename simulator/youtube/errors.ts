import type { Reply } from '../net/exchange.ts';
import { json } from '../net/reply.ts';

interface Reason {
  readonly domain: string;
  readonly reason: string;
  readonly location?: string;
}

function fault(code: number, message: string, reason: Reason, more: object = {}): Reply {
  const location = reason.location === undefined ? {} : { locationType: 'parameter' };
  return json({ error: { code, message, errors: [{ message, ...reason, ...location }], ...more } }, code);
}

export const noKey = (): Reply =>
  fault(
    403,
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    { domain: 'global', reason: 'forbidden' },
    { status: 'PERMISSION_DENIED' },
  );

export const badKey = (): Reply =>
  fault(
    400,
    'API key not valid. Please pass a valid API key.',
    { domain: 'global', reason: 'badRequest' },
    {
      status: 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'API_KEY_INVALID',
          domain: 'googleapis.com',
          metadata: { service: 'youtube.googleapis.com' },
        },
      ],
    },
  );

export const quotaExceeded = (): Reply =>
  fault(
    403,
    'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
    { domain: 'youtube.quota', reason: 'quotaExceeded' },
  );

export const missingParameter = (name: string): Reply =>
  fault(400, `Missing required parameter: ${name}`, {
    domain: 'global',
    reason: 'required',
    location: name,
  });

export const invalidParameter = (name: string, value: string, allowed: string): Reply =>
  fault(400, `Invalid value '${value}'. Values must be within the range: ${allowed}`, {
    domain: 'global',
    reason: 'invalidParameter',
    location: name,
  });

export const noFilter = (): Reply =>
  fault(400, 'No filter selected. Expected one of: forHandle, forUsername, id, mine', {
    domain: 'youtube.parameter',
    reason: 'missingRequiredParameter',
    location: 'parameters.',
  });

export const invalidPageToken = (): Reply =>
  fault(400, 'The request specifies an invalid page token.', {
    domain: 'youtube.parameter',
    reason: 'invalidPageToken',
    location: 'pageToken',
  });

export const playlistNotFound = (): Reply =>
  fault(
    404,
    "The playlist identified with the request's <code>playlistId</code> parameter cannot be found.",
    {
      domain: 'youtube.playlistItem',
      reason: 'playlistNotFound',
      location: 'playlistId',
    },
  );

export const unknownMethod = (): Reply => fault(404, 'Not Found', { domain: 'global', reason: 'notFound' });

export function youtubeError(status: number): Reply {
  if (status === 403) return quotaExceeded();
  if (status === 400) return badKey();
  if (status === 429) {
    return fault(
      429,
      "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of service 'youtube.googleapis.com'.",
      { domain: 'global', reason: 'rateLimitExceeded' },
      { status: 'RESOURCE_EXHAUSTED' },
    );
  }
  const reason = status === 503 ? 'backendError' : status >= 500 ? 'internalError' : 'notFound';
  return fault(status, status >= 500 ? 'Backend Error' : 'Not Found', { domain: 'global', reason });
}
