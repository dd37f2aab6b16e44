import type { UnreadableReason } from '../../../src/articles/article.ts';
import type {
  FieldProblemCode,
  ProblemCode,
  ProblemParameters,
} from '../../../src/server/http/problem-codes.ts';

/** A text with the values of its problem; `null` where the text of the server says more. */
export type ProblemText = (values: ProblemParameters) => string | null;
export type ProblemTexts = Readonly<Record<ProblemCode, ProblemText>>;
export type FieldProblemTexts = Readonly<Record<FieldProblemCode, ProblemText>>;

export type ArticleProblemTexts = Readonly<Record<UnreadableReason, string>>;

const seconds = (n: string | number | undefined): string => `${n} ${Number(n) === 1 ? 'second' : 'seconds'}`;

/** By the reason of the article reader. */
export const articleProblemsEn: ArticleProblemTexts = {
  not_found: 'The page does not exist any more.',
  paywall: 'The page shows its text only to subscribers.',
  timeout: 'The site did not answer in time.',
  not_html: 'The page is not an article.',
  no_text: 'No article text was found on the page.',
  too_large: 'The page is larger than the limit.',
  blocked_address: 'The address of the page is blocked.',
  server_error: 'The site reports an error.',
  unreachable: 'The site cannot be reached.',
};

/** `null` for what is no reason of the article reader. */
export function articleProblemText(
  texts: ArticleProblemTexts,
  why: string | number | undefined,
): string | null {
  return Object.entries(texts).find(([reason]) => reason === why)?.[1] ?? null;
}

export const problemsEn: ProblemTexts = {
  already_running: () => 'The pipeline is already running. Wait until the run has ended, or stop it.',
  article_unavailable: ({ why }) => articleProblemText(articleProblemsEn, why),
  authentication_unavailable: () => 'Signing in is not possible at the moment. Try again in a moment.',
  blocked: ({ name }) => `You cannot follow ${name}: one of you has blocked the other.`,
  cross_site_request: () => 'The request came from a page of another site and was rejected.',
  csrf_token_invalid: () => 'This page is out of date. Reload it and try again.',
  decision_not_possible: () => 'This is not possible in the current state of the item. Reload the page.',
  insufficient_scope: ({ scope }) => `This needs the scope “${scope}”.`,
  internal_error: () => 'Internal error. The log of the server has the details.',
  invalid_address: () => 'This is not the address of a feed, a website or a channel.',
  invalid_opml: () => 'This file is not OPML.',
  invalid_request: () => null,
  invalid_token: () => 'The access token is not valid.',
  last_owner: () => 'The last owner cannot be removed.',
  link_invalid: () => 'It was used before, has expired or does not exist. Ask the owner for a new one.',
  list_expired: () => 'The list has expired. Reload it.',
  message_decided: () => 'The message no longer needs a decision.',
  method_not_allowed: () => 'The server does not support this.',
  monitoring_only: () => 'Only the owner can see this.',
  name_taken: ({ name }) => `The name “${name}” is taken.`,
  no_feed_found: ({ reason }) => `No feed found: ${reason}`,
  not_found: ({ what }) => (what === undefined ? 'Not found.' : `There is no ${what}.`),
  not_your_post: () => 'Only its author can edit or delete a post.',
  owner_required: () => 'Only the owner can do this.',
  picture_unavailable: () => 'The picture is not available.',
  post_deleted: () => 'This post has been deleted.',
  post_edit_unsupported: () =>
    'The remote post service does not support editing. Delete the post and write a new one.',
  request_timeout: () => 'The request took too long. Try again.',
  request_too_large: () => 'This is too large for the server.',
  server_stopping: () => 'The server is stopping. Try again in a moment.',
  session_ended: () => 'Your session has ended. Sign in again.',
  session_required: () => 'An access token cannot create access tokens. Sign in.',
  several_feeds: () => 'The page has several feeds. Choose one of them.',
  sign_in_required: () => 'Sign in first.',
  source_change_refused: ({ reason }) => (reason === undefined ? null : String(reason)),
  source_exists: ({ name }) => `This source exists already: “${name}”.`,
  source_in_file: ({ file }) => `The source is declared in ${file}. Remove it there, or pause it.`,
  source_paused: () => 'The source is paused. Resume it first.',
  source_unreadable: ({ reason }) => `Failed to read the source: ${reason}`,
  temporarily_unavailable: () => 'A service that this needs does not answer. Try again in a moment.',
  token_in_url: () => 'An access token must not be part of an address.',
  too_many_attempts: (values) => `Too many attempts. Try again in ${seconds(values.seconds)}.`,
  too_many_requests: (values) => `Too many requests. Try again in ${seconds(values.seconds)}.`,
  story_unchanged: () => 'Nothing to change: the stories are so already.',
  too_many_searches: ({ maximum }) => `There are at most ${maximum} saved searches. Remove one first.`,
  too_many_streams: () => 'Too many open pages. Close one of them.',
  unreadable_request: () => 'The server could not read the request.',
  unsupported_media_type: () => 'The server does not support this kind of content.',
  url_too_long: () => 'The address is too long.',
  wrong_credentials: () => 'Wrong name or password.',
};

export const fieldProblemsEn: FieldProblemTexts = {
  alias_in_file: ({ word }) => `“${word}” is in kawaraban.yaml. Change it there.`,
  alias_invalid: () => 'Use letters or digits, and no control characters.',
  alias_taken: ({ word, topic }) => `“${word}” is an alias of ${topic} already.`,
  invalid: () => null,
  invalid_cron: () => 'Enter a cron expression such as 0 9 * * * (every day at 09:00).',
  invalid_duration: () => 'Enter a length of time from 1m to 366d, such as 30m, 2h or 1d.',
  invalid_keep_time: ({ minimum, maximum }) => `Enter ${minimum} to ${maximum} days, or keep for ever.`,
  name_invalid: () => 'Use 1 to 64 letters, digits, “-”, “_” or “.”.',
  name_taken: () => 'This name is taken. Choose another one.',
  not_supported: () => 'This pipeline has no such setting.',
  own_account: () => 'This is your own account.',
  password_like_name: () => 'Choose a password that is less like your name.',
  password_too_simple: () => 'Use more different characters.',
  required: () => 'Fill in this field.',
  too_large: ({ maximum }) => `The maximum is ${maximum}.`,
  too_long: ({ maximum }) => `Use at most ${maximum} characters.`,
  too_many_aliases: ({ maximum }) => `At most ${maximum} are possible. Remove one first.`,
  too_short: ({ minimum }) => `Use at least ${minimum} characters.`,
  too_small: ({ minimum }) => `The minimum is ${minimum}.`,
  unknown_field: () => null,
};
