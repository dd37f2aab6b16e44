import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AccessToken } from '../../auth/account-store.ts';
import { SCOPES } from '../../auth/identity.ts';
import type { IssuedLink, SignIn } from '../../auth/sign-in.ts';
import { DAY } from '../../time/duration.ts';
import { linkPath } from '../one-time-link.ts';
import { requireIdentity } from './auth.ts';
import { notFound, ProblemError } from './problem.ts';
import { addRoute } from './route.ts';
import { timeSchema } from './schemas.ts';

const accountSchema = z.object({
  userId: z.string(),
  name: z.string(),
  role: z.enum(['owner', 'reader']),
  createdAt: timeSchema,
  passwordChangedAt: timeSchema,
});
const issuedLinkSchema = z.object({
  path: z.string().describe('Append it to the origin of the page. Browsers do not send the part after #.'),
  purpose: z.enum(['owner', 'invite', 'reset']),
  expiresAt: timeSchema,
});
const tokenSchema = z.object({
  id: z.string(),
  label: z.string(),
  scopes: z.array(z.enum(SCOPES)).readonly(),
  createdAt: timeSchema,
  expiresAt: timeSchema,
  revokedAt: timeSchema.nullable(),
});
const scopesSchema = z
  .array(z.enum(SCOPES, `must be some of ${SCOPES.join(', ')}`))
  .min(1, 'name at least one scope')
  .default(['read']);

/** Own tokens and read positions; for the owner, all accounts. */
export function accountRoutes(server: FastifyInstance, signIn: SignIn): void {
  const mine = { group: 'Signing in', access: 'person', bodyLimit: 16 * 1024 } as const;
  const owners = { group: 'Control room', access: 'owner', bodyLimit: 16 * 1024 } as const;
  const byId = z.object({ id: z.string() });

  addRoute(
    server,
    {
      ...mine,
      method: 'GET',
      url: '/tokens',
      about: 'Access tokens of the caller.',
      answer: z.object({ tokens: z.array(tokenSchema) }),
    },
    async ({ request }) => ({
      tokens: (await signIn.tokens(requireIdentity(request).userId)).map(showToken),
    }),
  );
  addRoute(
    server,
    {
      ...mine,
      method: 'POST',
      url: '/tokens',
      about: 'Issues a token for a program. It is shown once.',
      body: z.strictObject({
        label: z
          .string('is missing: say what it is for')
          .trim()
          .min(1, 'say what it is for')
          .max(100, 'has at most 100 characters'),
        scopes: scopesSchema,
        days: z.number().int().min(1, 'is at least 1').max(366, 'is at most 366').default(90),
      }),
      answer: tokenSchema.extend({ token: z.string() }),
      status: 201,
    },
    async ({ body, request }) => {
      const identity = requireIdentity(request);
      // A token must not extend its own scopes or lifetime by issuing another.
      if (identity.credential !== 'session')
        throw new ProblemError({
          status: 403,
          code: 'session_required',
          title: 'Session required',
          detail: 'A token cannot issue tokens.',
        });
      const { label, days } = body;
      const made = await signIn.issueToken(identity, { label, scopes: body.scopes, lifetimeMs: days * DAY });
      return { ...showToken(made.record), token: made.token };
    },
  );
  addRoute(
    server,
    {
      ...mine,
      method: 'DELETE',
      url: '/tokens/:id',
      about: 'Revokes a token and closes its streams.',
      params: byId,
      problems: [404],
    },
    async ({ params, request }) => {
      if (!(await signIn.revokeToken(requireIdentity(request).userId, params.id)))
        throw notFound('such token');
    },
  );

  const timelines = z.object({ timeline: z.enum(['home', 'local', 'global'], 'is home, local or global') });
  const mark = z.object({ position: z.string().nullable(), markedAt: timeSchema.nullable() });
  addRoute(
    server,
    {
      ...mine,
      group: 'Timelines',
      method: 'GET',
      url: '/marks/:timeline',
      about: 'The read position of the caller.',
      params: timelines,
      answer: mark,
    },
    async ({ params, request }) => {
      const there = await signIn.mark(requireIdentity(request).userId, params.timeline);
      return { position: there?.position ?? null, markedAt: there?.markedAt ?? null };
    },
  );
  addRoute(
    server,
    {
      ...mine,
      group: 'Timelines',
      method: 'PUT',
      url: '/marks/:timeline',
      about: 'Stores the read position, for every device.',
      params: timelines,
      body: z.strictObject({
        position: z
          .string('is missing: the ID of a drop')
          .regex(/^[0-9A-Za-z_-]{1,64}$/, 'must be the ID of a drop'),
      }),
      answer: mark,
    },
    async ({ params, body, request }) => {
      const { position, markedAt } = await signIn.setMark(
        requireIdentity(request).userId,
        params.timeline,
        body.position,
      );
      return { position, markedAt };
    },
  );

  addRoute(
    server,
    {
      ...owners,
      method: 'GET',
      url: '/people',
      about: 'All accounts.',
      answer: z.object({ people: z.array(accountSchema) }),
    },
    async () => ({
      people: (await signIn.listAccounts()).map(({ passwordHash: _, ...person }) => person),
    }),
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'POST',
      url: '/people/invitations',
      about: 'Creates a one-time link for a new person.',
      body: z.strictObject({ role: z.enum(['owner', 'reader']).default('reader') }),
      answer: issuedLinkSchema,
      status: 201,
    },
    async ({ body }) => showLink(await signIn.invite(body.role)),
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'POST',
      url: '/people/:id/reset-link',
      about: 'Creates a one-time link to reset a password.',
      params: byId,
      answer: issuedLinkSchema,
      status: 201,
      problems: [404],
    },
    async ({ params }) => {
      const made = await signIn.resetLink(params.id);
      if (made === null) throw notFound('such account');
      return showLink(made.link);
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'DELETE',
      url: '/people/:id',
      about: 'Removes an account with its sessions and tokens. The drops stay.',
      params: byId,
      problems: [404, 409],
    },
    async ({ params }) => {
      const outcome = await signIn.removeAccount(params.id);
      if (outcome === 'unknown') throw notFound('such account');
      if (outcome === 'last_owner')
        throw new ProblemError({
          status: 409,
          code: 'last_owner',
          title: 'The last owner cannot be removed',
          detail: 'A newsroom needs an owner.',
        });
    },
  );
}

function showToken({
  id,
  label,
  scopes: granted,
  createdAt,
  expiresAt,
  revokedAt,
}: AccessToken): z.input<typeof tokenSchema> {
  return { id, label, scopes: granted, createdAt, expiresAt, revokedAt };
}

function showLink({ token: secret, purpose, expiresAt }: IssuedLink): z.input<typeof issuedLinkSchema> {
  return { path: linkPath(secret), purpose, expiresAt };
}
