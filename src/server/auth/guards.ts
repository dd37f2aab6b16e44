import type { FastifyRequest } from 'fastify';
import type { Authentication, Identity, Scope } from '../../auth/identity.ts';
import { ProblemError } from '../problem.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; `null` is a guest. */
    identity: Identity | null;
    /** Why a credential that came along does not count; a page shows it when something needs one. */
    refusal: Extract<Authentication, { kind: 'refused' }> | null;
  }
}

/** Only an owner, with a credential that may control. */
export function requireOwner(request: FastifyRequest): void {
  const identity = personOf(request);
  if (identity.role !== 'owner')
    throw new ProblemError({
      status: 403,
      title: 'Only the owner may do this',
      detail: 'You are signed in as a reader.',
    });
  mustHave(identity, 'control');
}

/** Who asks, with a credential that has this scope. */
export function personWith(request: FastifyRequest, scope: Scope): Identity {
  const identity = personOf(request);
  mustHave(identity, scope);
  return identity;
}

/** Who asks, for a handler behind a guard. */
export function personOf(request: FastifyRequest): Identity {
  if (request.identity !== null) return request.identity;
  const ended = request.refusal !== null;
  throw new ProblemError(
    {
      status: 401,
      title: ended ? 'Sign in again' : 'Sign in first',
      detail: request.refusal?.detail ?? 'This is for people who are signed in.',
    },
    { 'www-authenticate': 'Bearer' },
  );
}

function mustHave({ scopes }: Identity, scope: Scope): void {
  if (scopes.has(scope)) return;
  throw new ProblemError(
    { status: 403, title: 'This token may not do that', detail: `It needs the scope "${scope}".` },
    { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  );
}
