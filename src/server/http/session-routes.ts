import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Identity } from '../../auth/identity.ts';
import type { AccountProblem } from '../../auth/passwords.ts';
import type { SignIn, SignInResult } from '../../auth/sign-in.ts';
import type { AuthOptions } from './auth.ts';
import { requireIdentity } from './auth.ts';
import { clientNetwork } from './client-address.ts';
import { badRequest, type FieldProblem, notFound, ProblemError } from './problem.ts';
import { addRoute } from './route.ts';
import { timeSchema } from './schemas.ts';
import { clearSessionCookie, isSecure, setSessionCookie } from './session-cookie.ts';

export interface SessionDependencies {
  readonly signIn: SignIn;
  readonly auth: Pick<AuthOptions, 'csrf' | 'guests' | 'origin'>;
}

/** The signed-in user; the first request of a page. */
export interface SessionBody {
  readonly me: { readonly userId: string; readonly name: string; readonly role: 'owner' | 'reader' } | null;
  /** To be sent with every write in `X-CSRF-Token`; `null` for guests and tokens. */
  readonly csrfToken: string | null;
  /** Whether guests may read. */
  readonly guests: boolean;
  readonly expiresAt: number | null;
  /** Why an earlier session is no longer valid. */
  readonly ended: string | null;
}

const sessionSchema = z.object({
  me: z.object({ userId: z.string(), name: z.string(), role: z.enum(['owner', 'reader']) }).nullable(),
  csrfToken: z.string().nullable(),
  guests: z.boolean(),
  expiresAt: timeSchema.nullable(),
  ended: z.string().nullable(),
});

const passwordSchema = z.string('is missing: send a password').max(2000, 'is too long');
const nameSchema = z.string('is missing: send a name').max(200, 'is too long');
const linkSchema = z.string('is missing: send what the link holds').max(200, 'is no link of this newsroom');

export function sessionRoutes(server: FastifyInstance, { signIn, auth }: SessionDependencies): void {
  const common = { group: 'Signing in', bodyLimit: 16 * 1024 } as const;
  const show = (identity: Identity | null, ended: string | null = null): SessionBody => ({
    me: identity && { userId: identity.userId, name: identity.name, role: identity.role },
    csrfToken: identity?.credential === 'session' ? auth.csrf.tokenFor(identity.id) : null,
    guests: auth.guests,
    expiresAt: identity?.expiresAt ?? null,
    ended,
  });
  const signOut = (request: FastifyRequest, reply: FastifyReply): void =>
    clearSessionCookie(reply, isSecure(request, auth.origin));
  const letIn = (
    opened: { readonly token: string; readonly identity: Identity },
    request: FastifyRequest,
    reply: FastifyReply,
  ): SessionBody => {
    setSessionCookie(reply, opened.token, {
      maxAge: signIn.lifetimeMs / 1000,
      secure: isSecure(request, auth.origin),
    });
    return show(opened.identity);
  };

  addRoute(
    server,
    {
      ...common,
      method: 'GET',
      url: '/session',
      access: 'open',
      about: 'The signed-in user.',
      answer: sessionSchema,
    },
    async ({ request, reply }) => {
      if (request.refusal !== null) signOut(request, reply);
      return show(request.identity, request.refusal?.detail ?? null);
    },
  );
  addRoute(
    server,
    {
      ...common,
      method: 'POST',
      url: '/session',
      access: 'open',
      about: 'Signs in. The session is in a cookie that scripts cannot read.',
      body: z.strictObject({ name: nameSchema, password: passwordSchema }),
      answer: sessionSchema,
      problems: [401],
    },
    async ({ body, request, reply }) => {
      const before = request.identity;
      const answer = await signIn.signIn(
        body.name,
        body.password,
        clientNetwork(request.ip),
        deviceOf(request),
      );
      if (!answer.ok) throw signInProblem(answer);
      if (before?.credential === 'session') await signIn.endSession(before.userId, before.id);
      return letIn(answer.opened, request, reply);
    },
  );
  addRoute(
    server,
    { ...common, method: 'DELETE', url: '/session', access: 'open', about: 'Signs out.' },
    async ({ request, reply }) => {
      const { identity } = request;
      if (identity?.credential === 'session') await signIn.endSession(identity.userId, identity.id);
      signOut(request, reply);
    },
  );
  addRoute(
    server,
    {
      ...common,
      method: 'GET',
      url: '/sessions',
      access: 'person',
      about: 'Sessions of the caller.',
      answer: z.object({
        sessions: z.array(
          z.object({
            id: z.string(),
            createdAt: timeSchema,
            seenAt: timeSchema,
            expiresAt: timeSchema,
            device: z.string(),
            here: z.boolean(),
          }),
        ),
      }),
    },
    async ({ request }) => {
      const { userId, id: here } = requireIdentity(request);
      const sessions = await signIn.sessions(userId);
      return {
        sessions: sessions.map(({ userId: _, ...session }) => ({ ...session, here: session.id === here })),
      };
    },
  );
  addRoute(
    server,
    {
      ...common,
      method: 'DELETE',
      url: '/sessions',
      access: 'person',
      about: 'Signs out everywhere, or everywhere else with `except=here`.',
      query: z.strictObject({ except: z.literal('here', 'is `here` or absent').optional() }),
      answer: z.object({ ended: z.number() }),
    },
    async ({ query, request, reply }) => {
      const { userId, id } = requireIdentity(request);
      const ended = await signIn.endSessions(userId, query.except === 'here' ? id : undefined);
      if (query.except !== 'here') signOut(request, reply);
      return { ended };
    },
  );
  addRoute(
    server,
    {
      ...common,
      method: 'DELETE',
      url: '/sessions/:id',
      access: 'person',
      about: 'Ends one session.',
      params: z.object({ id: z.string() }),
      problems: [404],
    },
    async ({ params, request }) => {
      if (!(await signIn.endSession(requireIdentity(request).userId, params.id)))
        throw notFound('such session');
    },
  );
  addRoute(
    server,
    {
      ...common,
      method: 'POST',
      url: '/welcome/look',
      access: 'open',
      about: 'Purpose of a one-time link, without consuming it.',
      body: z.strictObject({ link: linkSchema }),
      answer: z.object({
        purpose: z.enum(['owner', 'invite', 'reset']),
        role: z.enum(['owner', 'reader']),
        name: z.string().nullable(),
        expiresAt: timeSchema,
      }),
      problems: [404],
    },
    async ({ body }) => {
      const inspected = await signIn.inspectLink(body.link);
      if (inspected === null) throw invalidLinkProblem();
      const { purpose, role, expiresAt } = inspected.link;
      return { purpose, role, name: inspected.name, expiresAt };
    },
  );
  addRoute(
    server,
    {
      ...common,
      method: 'POST',
      url: '/welcome',
      access: 'open',
      about: 'Consumes a one-time link: creates an account or resets a password, and signs in.',
      body: z.strictObject({
        link: linkSchema,
        name: nameSchema.optional(),
        displayName: z.string().max(200, 'is too long').optional(),
        password: passwordSchema,
      }),
      answer: sessionSchema,
      problems: [404],
    },
    async ({ body, request, reply }) => {
      const { link: token, name: chosen, displayName, password: secret } = body;
      const who = {
        password: secret,
        ...(chosen === undefined ? {} : { name: chosen }),
        ...(displayName === undefined ? {} : { displayName }),
      };
      const answer = await signIn.redeemLink(token, who, deviceOf(request));
      if (answer.ok) {
        // The cookie is replaced, so the session that it named could not be ended from this browser any more.
        const before = request.identity;
        if (before?.credential === 'session') await signIn.endSession(before.userId, before.id);
        return letIn(answer.opened, request, reply);
      }
      if (answer.why === 'link') throw invalidLinkProblem();
      throw badRequest([fieldProblem(answer.field, answer)]);
    },
  );
  addRoute(
    server,
    {
      ...common,
      method: 'PUT',
      url: '/password',
      access: 'person',
      about: 'Changes the password, ends every other session and revokes all tokens.',
      body: z.strictObject({ current: passwordSchema, next: passwordSchema }),
      answer: z.object({ ended: z.number() }),
      problems: [401],
    },
    async ({ body, request }) => {
      const { userId, id } = requireIdentity(request);
      const answer = await signIn.changePassword(userId, {
        ...body,
        address: clientNetwork(request.ip),
        keep: id,
      });
      if (answer.ok) return { ended: answer.ended };
      if (answer.why === 'password') throw badRequest([fieldProblem('next', answer)]);
      throw signInProblem(answer);
    },
  );
}

function fieldProblem(field: string, { detail, code, parameters }: AccountProblem): FieldProblem {
  return { field, detail, code, ...(parameters !== undefined && { parameters }) };
}

function deviceOf(request: FastifyRequest): string {
  return (request.headers['user-agent'] ?? '').slice(0, 200);
}

/** The same text for a wrong password and an unknown name. */
function signInProblem(answer: Exclude<SignInResult, { readonly ok: true }>): ProblemError {
  if (answer.why === 'wrong')
    return new ProblemError({
      status: 401,
      code: 'wrong_credentials',
      title: 'Wrong credentials',
      detail: 'The name or the password is wrong.',
    });
  const wait = Math.ceil(answer.waitMs / 1000);
  return new ProblemError(
    {
      status: 429,
      code: 'too_many_attempts',
      title: 'Too many attempts',
      detail: `Try again in ${wait} s.`,
      parameters: { seconds: wait },
    },
    { 'retry-after': String(wait) },
  );
}

function invalidLinkProblem(): ProblemError {
  return new ProblemError({
    status: 404,
    code: 'link_invalid',
    title: 'Invalid link',
    detail: 'It was already used, has expired or never existed. Ask for a new one.',
  });
}
