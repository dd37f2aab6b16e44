/**
 * Stable names of all problems that the API reports. A client shows its own text for a code; the page has one for each
 * in both languages (`web/src/words`).
 */
export const PROBLEM_CODES = [
  'already_running',
  'article_unavailable',
  'authentication_unavailable',
  'blocked',
  'cross_site_request',
  'csrf_token_invalid',
  'decision_not_possible',
  'insufficient_scope',
  'internal_error',
  'invalid_address',
  'invalid_opml',
  'invalid_request',
  'invalid_token',
  'last_owner',
  'link_invalid',
  'list_expired',
  'message_decided',
  'method_not_allowed',
  'monitoring_only',
  'name_taken',
  'no_feed_found',
  'not_found',
  'not_your_post',
  'owner_required',
  'picture_unavailable',
  'post_deleted',
  'post_edit_unsupported',
  'request_timeout',
  'request_too_large',
  'server_stopping',
  'session_ended',
  'session_required',
  'several_feeds',
  'sign_in_required',
  'source_change_refused',
  'source_exists',
  'source_in_file',
  'source_paused',
  'source_unreadable',
  'temporarily_unavailable',
  'token_in_url',
  'too_many_attempts',
  'too_many_requests',
  'story_unchanged',
  'too_many_searches',
  'too_many_streams',
  'unreadable_request',
  'unsupported_media_type',
  'url_too_long',
  'wrong_credentials',
] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** Stable names of what can be wrong with one field. */
export const FIELD_PROBLEM_CODES = [
  'alias_in_file',
  'alias_invalid',
  'alias_taken',
  'invalid',
  'invalid_cron',
  'invalid_duration',
  'invalid_keep_time',
  'name_invalid',
  'name_taken',
  'not_supported',
  'own_account',
  'password_like_name',
  'password_too_simple',
  'required',
  'too_large',
  'too_long',
  'too_many_aliases',
  'too_short',
  'too_small',
  'unknown_field',
] as const;

export type FieldProblemCode = (typeof FIELD_PROBLEM_CODES)[number];

/** Values that belong into the text of a problem, such as a limit or a name. */
export type ProblemParameters = Readonly<Record<string, string | number>>;
