import type { QueryForm } from '../../firestore/query.ts';

export const ACCOUNTS = 'accounts';
export const NAMES = 'account_names';
export const SESSIONS = 'account_sessions';
export const LINKS = 'account_links';
export const TOKENS = 'account_tokens';
export const MARKS = 'account_marks';
export const KEYS = 'account_keys';

const ofUser = (collection: string): QueryForm => ({
  collection,
  where: [['user_id', '==']],
  orderBy: [],
});
const ended = (collection: string): QueryForm => ({
  collection,
  where: [['expires_at', '<']],
  orderBy: [],
});

/** Every query of the accounts. */
export const ACCOUNT_QUERIES = {
  accounts: { collection: ACCOUNTS, where: [], orderBy: [] },
  sessionsOf: ofUser(SESSIONS),
  tokensOf: ofUser(TOKENS),
  linksOf: ofUser(LINKS),
  marksOf: ofUser(MARKS),
  linksFor: { collection: LINKS, where: [['purpose', '==']], orderBy: [] },
  endedSessions: ended(SESSIONS),
  endedLinks: ended(LINKS),
  endedTokens: ended(TOKENS),
} as const satisfies Readonly<Record<string, QueryForm>>;
