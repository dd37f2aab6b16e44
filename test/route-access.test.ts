import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { describe, expect, it } from 'vitest';
import { type App, openApp } from '../src/app/app.ts';
import { parseConfig } from '../src/config/config.ts';
import type { RegisteredRoute } from '../src/server/http/route.ts';
import type { RunningServer } from '../src/server/http/server.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';

const PASSWORD = 'a long enough password';
const CALLERS = ['guest', 'person', 'owner', 'token of a person', 'token of an owner'] as const;
type Caller = (typeof CALLERS)[number];
type Headers = Readonly<Record<string, string>>;

/** Spellings of an address; each is sent exactly as written here. */
const SPELLINGS: Readonly<Record<string, (path: string) => string>> = {
  plain: (path) => path,
  'percent-encoded': (path) => path.replaceAll(/[a-z]/gi, (c) => `%${c.charCodeAt(0).toString(16)}`),
  'absolute form': (path) => `http://elsewhere.example${path}`,
  'double slash': (path) => `/${path}`,
  'trailing slash': (path) => `${path}/`,
};

interface Fixture extends AsyncDisposable {
  readonly server: RunningServer;
  readonly headers: Readonly<Record<Caller, Headers>>;
}

/** A newsroom with an owner, a reader and a token of each. Nothing in it is rate limited in practice. */
async function openFixture(isPublic: boolean): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-routes-'));
  const text = `
server: { port: 0, public: ${isPublic}, rate_limit: { per_address: 1000000, per_person: 1000000 } }
telemetry: { metrics_from: [] }
data: ${folder}
publishers: { x: { kind: atom } }
stories: {}
timelines: {}
`;
  const loaded = parseConfig(text, join(folder, 'kawaraban.yaml'), {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const app: App = await openApp(loaded.config, {
    telemetry: silentTelemetry,
    version: '0.0.0',
    passwordCost: { n: 2 ** 12, r: 8, p: 1 },
  });
  const server = await app.serve();
  const owner = await session(server, (await app.auth.accounts.ownerLink())?.token ?? '', 'hana');
  const person = await session(server, (await app.auth.accounts.invite()).token, 'ben');
  return {
    server,
    headers: {
      guest: {},
      owner,
      person,
      'token of an owner': await token(server, owner),
      'token of a person': await token(server, person),
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

async function session({ url }: RunningServer, link: string, name: string): Promise<Headers> {
  const answer = await fetch(`${url}/api/v1/welcome`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link, name, password: PASSWORD }),
  });
  const { csrfToken } = (await answer.json()) as { csrfToken: string };
  return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', 'x-csrf-token': csrfToken };
}

async function token({ url }: RunningServer, person: Headers): Promise<Headers> {
  const answer = await fetch(`${url}/api/v1/tokens`, {
    method: 'POST',
    headers: { ...person, 'content-type': 'application/json' },
    body: JSON.stringify({ label: 'all that is allowed', scopes: ['read', 'write', 'control'] }),
  });
  const { token: made } = (await answer.json()) as { token: string };
  return { authorization: `Bearer ${made}` };
}

interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Sends the request target as written: neither `fetch` nor `inject` does. The body of the response is not awaited. */
function send(
  agent: Agent,
  url: string,
  method: string,
  target: string,
  headers: Headers,
): Promise<RawResponse> {
  const { hostname: host, port } = new URL(url);
  const safe = method === 'GET' || method === 'HEAD';
  return new Promise((done, failed) => {
    const outgoing = request({
      agent,
      host,
      port,
      method,
      path: target,
      // A body of an unknown kind ends a request that was let in before its handler changes anything: 415.
      headers: { ...headers, ...(safe ? {} : { 'content-type': 'text/x-unknown', 'content-length': '1' }) },
    });
    outgoing.once('error', failed);
    outgoing.once('response', (incoming) => {
      done({ status: incoming.statusCode ?? 0, headers: incoming.headers });
      // A stream never ends by itself.
      if (incoming.headers['content-type']?.startsWith('text/event-stream')) outgoing.destroy();
      else incoming.resume();
    });
    outgoing.end(safe ? undefined : 'x');
  });
}

/** Expected status for a caller by the declared access, or `null` where the caller is authorised. */
function refusal({ access }: RegisteredRoute, caller: Caller, isPublic: boolean): 401 | 403 | null {
  const guest = caller === 'guest';
  const owner = caller === 'owner' || caller === 'token of an owner';
  switch (access) {
    case 'open':
      return null;
    case 'everybody':
      return guest && !isPublic ? 401 : null;
    case 'person':
      return guest ? 401 : null;
    case 'owner':
    case 'operator':
      return owner ? null : guest ? 401 : 403;
  }
}

function pathOf({ url }: RegisteredRoute): string {
  return url.replaceAll(/:(name|timeline)/g, 'local').replaceAll(/:[A-Za-z]+/g, 'x');
}

interface Call {
  readonly method: string;
  readonly target: string;
  /** What the router must match; `null` where there is no such address. */
  readonly route: RegisteredRoute | null;
}

function callsOf(route: RegisteredRoute, routes: readonly RegisteredRoute[]): Call[] {
  const { method, url } = route;
  const path = pathOf(route);
  const named = method === 'HEAD' ? { plain: (plain: string) => plain } : SPELLINGS;
  return Object.entries(named).map(([spelling, spell]) => {
    const below = routes.find((other) => other.method === method && other.url === `${url}/:id`);
    const found =
      spelling === 'trailing slash' && path !== '/'
        ? (below ?? null)
        : spelling === 'double slash' || spelling === 'trailing slash'
          ? null
          : route;
    return { method, target: spell(path), route: found };
  });
}

describe.each([
  ['a public newsroom', true],
  ['a closed newsroom', false],
] as const)('%s', (_what, isPublic) => {
  it('X25 authorises whom the route declares, in every spelling of its address', {
    timeout: 120_000,
  }, async () => {
    await using on = await openFixture(isPublic);
    const { server, headers } = on;
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const limit = pLimit(8);
    const wrong: string[] = [];
    const check = async ({ method, target, route }: Call, caller: Caller): Promise<void> => {
      const answer = await send(agent, server.url, method, target, headers[caller]);
      const expected = route === null ? 404 : refusal(route, caller, isPublic);
      const refused = answer.status === 401 || answer.status === 403;
      const counted = answer.headers.ratelimit !== undefined;
      const limited = route === null || route.rateLimited;
      if (expected === null ? refused : answer.status !== expected)
        wrong.push(`${method} ${target} as ${caller}: ${answer.status}, ${expected ?? 'let in'} expected`);
      if (counted !== limited) wrong.push(`${method} ${target} as ${caller}: rate limited ${counted}`);
    };
    try {
      // Checks that the table is the router's own: it has more than the API, and a HEAD for each GET.
      expect(server.routes.map(({ method, url }) => `${method} ${url}`)).toEqual(
        expect.arrayContaining([
          'GET /metrics',
          'HEAD /api/v1/users',
          'GET /events/timeline/:name',
          'GET /feeds/:id.atom',
          'GET /',
        ]),
      );
      expect(new Set(server.routes.map(({ access }) => access))).toEqual(
        new Set(['open', 'everybody', 'person', 'owner', 'operator']),
      );
      const calls = server.routes.flatMap((route) => callsOf(route, server.routes));
      await Promise.all(CALLERS.flatMap((caller) => calls.map((call) => limit(() => check(call, caller)))));
      expect(wrong).toEqual([]);
    } finally {
      agent.destroy();
    }
  });
});
