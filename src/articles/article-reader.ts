import type { Fetcher, FetchOutcome } from '../fetch/fetcher.ts';
import { inSpan } from '../telemetry/tracing.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { ArticleOutcome, ArticleReader, ReadOptions, UnreadableReason } from './article.ts';
import type { ExtractedArticle, ExtractInput } from './extract-article-task.ts';
import type { Isolated } from './isolated/isolated-process.ts';

export interface ArticleReaderOptions {
  readonly fetcher: Fetcher;
  readonly isolated: Isolated;
  readonly clock: Clock;
  /** Of a page, after decompression. Default 5 MB. */
  readonly maxBytes?: number;
  /** For parsing a page. Default 10 s. */
  readonly extractMs?: number;
}

type Response = Extract<FetchOutcome, { outcome: 'response' }>;

const TASK = new URL('extract-article-task.ts', import.meta.url);
const MAX_META_REFRESHES = 2;

/** Fetches articles with the guarded fetcher, and parses them in isolation. */
export function createArticleReader(options: ArticleReaderOptions): ArticleReader {
  const { fetcher, isolated, clock, maxBytes = 5 * 1024 * 1024, extractMs = 10 * SECOND } = options;

  async function read(
    url: string,
    signal: AbortSignal | undefined,
    wanted: ReadOptions,
    refreshes = 0,
  ): Promise<ArticleOutcome> {
    const answer = await fetcher.fetch(
      { url, headers: { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.1' }, maxBytes },
      signal,
    );
    signal?.throwIfAborted();
    if (answer.outcome === 'failed') return fetchFailure(answer);
    const problem = responseProblem(answer);
    if (problem) return problem;
    const input: ExtractInput = {
      bytes: answer.body,
      contentType: answer.headers['content-type'],
      url: answer.url,
      now: clock.now(),
      ...(wanted.html === true && { html: true }),
    };
    const done = await isolated.run<ExtractedArticle>(TASK, input, extractMs, signal);
    if (done.outcome === 'timeout') return unreadable('too_large', 'the page takes too long to parse');
    if (done.outcome === 'crashed')
      return unreadable('too_large', `the page cannot be parsed (${done.detail})`);
    const found = done.value;
    if (found.kind === 'article') return { outcome: 'article', article: found.article };
    if (found.kind === 'unreadable') {
      const { attachments } = found;
      return { ...unreadable(found.why, found.detail), ...(attachments !== undefined && { attachments }) };
    }
    if (refreshes >= MAX_META_REFRESHES)
      return unreadable('no_text', 'the page only redirects to another one');
    return read(found.url, signal, wanted, refreshes + 1);
  }

  return {
    read: (url, signal, wanted = {}) =>
      // Only the host: a URL may contain a secret.
      inSpan(
        'article.read',
        { 'server.address': URL.parse(url)?.hostname ?? '' },
        () => read(url, signal, wanted),
        (read) => (read.outcome === 'article' ? null : `${read.why}: ${read.detail}`),
      ),
    async warmUp() {
      const bytes = new TextEncoder().encode('<!doctype html><title>-</title><p>-');
      const input: ExtractInput = {
        bytes,
        contentType: 'text/html',
        url: 'https://example.org/',
        now: clock.now(),
      };
      await isolated.run<ExtractedArticle>(TASK, input, extractMs);
    },
  };
}

/** Retryable if the server or the network failed. */
function fetchFailure(answer: Extract<FetchOutcome, { outcome: 'failed' }>): ArticleOutcome {
  switch (answer.why) {
    case 'blocked_address':
      return unreadable('blocked_address', answer.detail);
    case 'bad_address':
    case 'too_many_redirects':
      return unreadable('unreachable', answer.detail);
    case 'too_large':
      return unreadable('too_large', answer.detail);
    case 'timeout':
      return unreadable('timeout', answer.detail, true);
    case 'bad_encoding':
      return unreadable('server_error', answer.detail);
    default:
      return unreadable('unreachable', answer.detail, true);
  }
}

function responseProblem(answer: Response): ArticleOutcome | null {
  const { status } = answer;
  const detail = `the server answered ${status}`;
  if (status === 404 || status === 410) return unreadable('not_found', detail);
  if (status === 401 || status === 402 || status === 403 || status === 451)
    return unreadable('paywall', detail);
  if (status === 408) return unreadable('timeout', detail, true);
  if (status === 429 || status >= 500) return unreadable('server_error', detail, true);
  if (status < 200 || status >= 300) return unreadable('server_error', detail);
  if (answer.body.byteLength === 0) return unreadable('no_text', 'the page is empty');
  const type = (answer.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return isHtml(type, answer.body) ? null : unreadable('not_html', type === '' ? 'not a web page' : type);
}

/** Servers leave the type out, or send plain text for a page; the bytes decide then. */
function isHtml(type: string, body: Uint8Array): boolean {
  if (type === 'text/html' || type === 'application/xhtml+xml') return !startsWith(body, '%PDF-');
  if (type !== '' && type !== 'text/plain' && type !== 'application/octet-stream' && !/\bxml$/.test(type))
    return false;
  const head = Buffer.from(body.subarray(0, 1024)).toString('latin1').replaceAll('\0', '');
  return (
    /<(!doctype\s+html|html|head|body|meta|title|article|p)[\s>]/i.test(head) &&
    !/<(rss|feed|rdf:RDF)[\s>]/i.test(head)
  );
}

function startsWith(body: Uint8Array, text: string): boolean {
  return Buffer.from(body.subarray(0, text.length)).toString('latin1') === text;
}

function unreadable(why: UnreadableReason, detail: string, retryable = false): ArticleOutcome {
  return { outcome: 'unreadable', why, detail, retryable };
}
