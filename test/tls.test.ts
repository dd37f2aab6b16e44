import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ChannelCredentials, type ChannelOptions, createChannel, createClient } from 'nice-grpc';
import { HealthDefinition } from 'nice-grpc-server-health';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type IssuedCertificate, shownCertificate, TestAuthority } from './certificates.ts';
import { scrape, sumOf } from './metrics.ts';
import { Program, type ProgramResult } from './program.ts';
import { requires } from './requirements.ts';
import { StreamReader } from './stream-reader.ts';

const SERVICE_TOKEN = 'the-services-know-each-other-by-this';

requires('openssl')('TLS on our own ports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-tls-'));
  const trusted = getCACertificates('default');
  const open: (() => void | Promise<void>)[] = [];
  let authority: TestAuthority;
  let configs = 0;

  beforeAll(() => {
    authority = new TestAuthority(folder);
    setDefaultCACertificates([...trusted, authority.pem]);
  });
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });
  afterAll(() => {
    setDefaultCACertificates(trusted);
    rmSync(folder, { recursive: true, force: true });
  });

  function configure(yaml: string): string {
    const file = `config-${++configs}.yaml`;
    writeFileSync(join(folder, file), `data: ./data-${configs}\n${yaml}`);
    return file;
  }

  function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
    const program = new Program(args, { SERVICE_TOKEN, HOME: folder, ...env }, folder);
    open.push(() => program.kill());
    return program;
  }

  async function start(yaml: string, env: NodeJS.ProcessEnv = {}) {
    const program = run(['start', '--json', '--config', configure(yaml)], env);
    const [line] = await program.waitForOutput(/^\{.*"started":true.*\}$/m);
    const started = JSON.parse(line) as { url: string; grpc?: string; welcome: string };
    const { hostname, port } = new URL(started.url);
    const grpcPort = Number(started.grpc?.split(':').at(-1));
    return { program, ...started, grpc: started.grpc ?? '', host: hostname, port: Number(port), grpcPort };
  }

  /** A pair of files under fixed names, which `install` replaces. */
  function certificateFolder(name: string, first: IssuedCertificate) {
    const place = join(folder, name);
    mkdirSync(place);
    const install = (issued: IssuedCertificate): void => {
      for (const [from, to] of [
        [issued.certificate, 'tls.crt'],
        [issued.key, 'tls.key'],
      ] as const) {
        copyFileSync(from, join(place, `${to}.new`));
        renameSync(join(place, `${to}.new`), join(place, to));
      }
    };
    install(first);
    return { place, install, yaml: `{ certificate: ${name}/tls.crt, key: ${name}/tls.key }` };
  }

  /** As Kubernetes mounts a secret: links into a folder that is itself a link, which is swapped. */
  function mountedSecret(name: string, first: IssuedCertificate) {
    const place = join(folder, name);
    mkdirSync(place);
    let versions = 0;
    const install = (issued: IssuedCertificate): void => {
      const version = `..version-${++versions}`;
      mkdirSync(join(place, version));
      copyFileSync(issued.certificate, join(place, version, 'tls.crt'));
      copyFileSync(issued.key, join(place, version, 'tls.key'));
      symlinkSync(version, join(place, '..data_tmp'));
      renameSync(join(place, '..data_tmp'), join(place, '..data'));
    };
    install(first);
    for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(place, file));
    return { install, yaml: `{ certificate: ${name}/tls.crt, key: ${name}/tls.key }` };
  }

  function health(address: string, identity?: IssuedCertificate, options: ChannelOptions = {}) {
    const ca = Buffer.from(authority.pem);
    const key = identity ? readFileSync(identity.key) : null;
    const certificate = identity ? readFileSync(identity.certificate) : null;
    const channel = createChannel(address, ChannelCredentials.createSsl(ca, key, certificate), options);
    open.push(() => channel.close());
    return createClient(HealthDefinition, channel);
  }

  it('I10 page, API, streams and gRPC are served over TLS, and addresses and cookies say so', async () => {
    const { certificate, key } = authority.issue();
    const newsroom = await start(
      `
server: { port: 0, host: localhost, tls: { certificate: '${certificate}', key: '${key}', hsts: 1h }, grpc: { enabled: true, port: 0 } }
timelines: { stream: { drain: 0s } }`,
      { KAWARABAN_GRPC_TLS_CERTIFICATE: certificate, KAWARABAN_GRPC_TLS_KEY: key },
    );
    expect(newsroom.url).toMatch(/^https:\/\/localhost:\d+$/);
    expect(newsroom.welcome.startsWith(`${newsroom.url}/`)).toBe(true);
    const ready = await fetch(`${newsroom.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(ready.headers.get('strict-transport-security')).toBe('max-age=3600');
    const [, token = ''] = /#(.+)$/.exec(newsroom.welcome) ?? [];
    const signedIn = await fetch(`${newsroom.url}/api/v1/welcome`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: newsroom.url },
      body: JSON.stringify({ link: token, name: 'ann', password: 'a long enough password' }),
    });
    expect(signedIn.status).toBe(200);
    expect(signedIn.headers.get('set-cookie')).toMatch(/^__Host-kawaraban_session=.*; Secure/);
    const { csrfToken } = (await signedIn.json()) as { csrfToken: string };
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const stream = await StreamReader.open(`${newsroom.url}/events/timeline/local`);
    open.push(() => stream.close());
    await expect.poll(() => stream.lastId).not.toBe('');
    const posted = await fetch(`${newsroom.url}/api/v1/drops`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, 'x-csrf-token': csrfToken },
      body: JSON.stringify({ text: 'hello over TLS', visibility: 'public' }),
    });
    expect(posted.status).toBe(201);
    await expect.poll(() => stream.drops).toHaveLength(1);
    expect(await health(newsroom.grpc).check({ service: '' })).toEqual({ status: 1 });
    const seconds = sumOf(await scrape(newsroom.url), 'kawaraban_tls_certificate_expiry_seconds', {
      use: 'grpc',
    });
    expect(seconds).toBeGreaterThan(18 * 86_400);
    expect(seconds).toBeLessThan(21 * 86_400);
    // Plain HTTP and an unfinished handshake neither get an answer nor delay the stop.
    await expect(fetch(newsroom.url.replace('https:', 'http:'))).rejects.toThrow();
    const silent = connectTcp(newsroom.port, '127.0.0.1');
    silent.on('error', () => {});
    open.push(() => void silent.destroy());
    await new Promise((resolve) => silent.once('connect', resolve));
    newsroom.program.child.kill('SIGTERM');
    expect(await newsroom.program.ended).toMatchObject({ code: 0 });
  });

  it('I10 new certificates are used without a restart, and open streams stay', async () => {
    const [first, second] = [authority.issue(), authority.issue()];
    const http = certificateFolder('rotated', first);
    const grpc = mountedSecret('mounted', first);
    const newsroom = await start(`
server: { port: 0, tls: ${http.yaml}, grpc: { enabled: true, port: 0, tls: ${grpc.yaml} } }
timelines: { stream: { drain: 0s } }`);
    const shown = async () => [
      await shownCertificate(newsroom.host, newsroom.port),
      await shownCertificate(newsroom.host, newsroom.grpcPort, 'h2'),
    ];
    const before = await shown();
    const local = await StreamReader.open(`${newsroom.url}/events/timeline/local`);
    open.push(() => local.close());
    await expect.poll(() => local.lastId).not.toBe('');
    const client = health(newsroom.grpc);
    const watching = client.watch({ service: '' })[Symbol.asyncIterator]();
    expect((await watching.next()).value).toEqual({ status: 1 });
    http.install(second);
    grpc.install(second);
    await expect.poll(shown).not.toContain(before[0]);
    expect(new Set(await shown()).size).toBe(1);
    expect(newsroom.program.err).toContain('Reloaded TLS certificates');
    expect(local.ended).toBe(false);
    // The stop is the next thing that both hear: they were connected all the time.
    const next = watching.next();
    newsroom.program.child.kill('SIGTERM');
    expect((await next).value).toEqual({ status: 2 });
    await expect.poll(() => local.ended).toBe(true);
    expect((await newsroom.program.ended).code).toBe(0);
  });

  it('I10 a broken new certificate keeps the one in use and is reported once, until it is replaced', async () => {
    const [first, second] = [authority.issue(), authority.issue()];
    const files = certificateFolder('broken', first);
    const newsroom = await start(`
telemetry: { log_format: json }
server: { port: 0, tls: ${files.yaml}, grpc: { enabled: true, port: 0, tls: ${files.yaml} } }
timelines: {}`);
    const before = await shownCertificate(newsroom.host, newsroom.port);
    const reports = () => newsroom.program.err.split('\n').filter((line) => line.includes('keeping those'));
    writeFileSync(join(files.place, 'tls.crt'), 'not a certificate');
    await expect.poll(reports).toHaveLength(2);
    // Other changes in the folder are looked at as well, and are no reason to repeat it.
    writeFileSync(join(files.place, 'unrelated'), '');
    copyFileSync(second.certificate, join(files.place, 'tls.crt'));
    await expect.poll(reports).toHaveLength(4);
    expect(reports()[0]).toMatch(/"level":"warn".*contains no certificate in PEM form/);
    expect(reports()[3]).toMatch(/does not belong to the certificate/);
    expect(newsroom.program.err).not.toContain('PRIVATE KEY');
    expect(await shownCertificate(newsroom.host, newsroom.port)).toBe(before);
    expect(await shownCertificate(newsroom.host, newsroom.grpcPort, 'h2')).toBe(before);
    expect((await fetch(`${newsroom.url}/healthz`)).status).toBe(200);
    files.install(second);
    await expect.poll(() => shownCertificate(newsroom.host, newsroom.port)).not.toBe(before);
    expect(reports()).toHaveLength(4);
  });

  it('I10 files that cannot be used are problems of the configuration, all reported at once', async () => {
    const [one, other] = [authority.issue(), authority.issue()];
    writeFileSync(join(folder, 'text.pem'), 'hello');
    const config = configure(`
server:
  tls: { certificate: missing.pem, key: '${one.key}' }
  grpc: { enabled: true, tls: { certificate: '${one.certificate}', key: '${other.key}', client_ca: text.pem } }
timelines:
  user_service: localhost:1
  post_service: localhost:1
  service_tls: { certificate: '${one.certificate}' }
  redis: { cluster: true, sentinel: { nodes: ['localhost:1'] }, tls: { ca: '.' } }`);
    const result = (await run(['start', '--config', config]).ended) satisfies ProgramResult;
    expect(result.code).toBe(78);
    for (const problem of [
      /server\.tls\.certificate: the file .*missing\.pem does not exist/,
      /server\.grpc\.tls\.key: the file .* does not belong to the certificate/,
      /server\.grpc\.tls\.client_ca: the file .*text\.pem contains no certificate/,
      /timelines\.service_tls\.certificate: must be set together/,
      /timelines\.redis\.cluster: and `sentinel` exclude each other/,
      /timelines\.redis\.tls\.ca: the file .* is a folder/,
    ])
      expect(result.err).toMatch(problem);
  });

  it('I10 doctor warns of certificates that expire within two weeks', async () => {
    const [soon, later] = [authority.issue({ days: 5 }), authority.issue()];
    const config = configure(`
server:
  port: 0
  tls: { certificate: '${soon.certificate}', key: '${soon.key}' }
  grpc: { tls: { certificate: '${later.certificate}', key: '${later.key}' } }
timelines: {}`);
    const { out } = await run(['doctor', '--json', '--config', config]).ended;
    const { findings } = JSON.parse(out) as { findings: { what: string; state: string; detail: string }[] };
    expect(findings.filter(({ what }) => what.startsWith('Certificate'))).toEqual([
      expect.objectContaining({
        what: 'Certificate (HTTP)',
        state: 'doubtful',
        detail: expect.stringMatching(/expires on \d{4}-\d\d-\d\d, in 5 d$/),
      }),
      expect.objectContaining({ what: 'Certificate (gRPC)', state: 'good' }),
    ]);
  });

  it('I11 gRPC between services: a caller without a certificate of the authority is refused, one with it is served', async () => {
    const stranger = new TestAuthority(folder, 'stranger');
    const server = authority.issue({ names: ['DNS:people.internal'] });
    const people = await start(`
server:
  port: 0
  grpc:
    enabled: true
    port: 0
    service_token: { env: SERVICE_TOKEN }
    tls: { certificate: '${server.certificate}', key: '${server.key}', client_ca: '${authority.ca}' }
timelines: {}`);
    const named = { 'grpc.ssl_target_name_override': 'people.internal' };
    const check = (identity?: IssuedCertificate) =>
      health(people.grpc, identity, named).check({ service: '' });
    await expect(check()).rejects.toThrow(/UNAVAILABLE/);
    await expect(check(stranger.issue())).rejects.toThrow(/UNAVAILABLE/);
    expect(await check(authority.issue())).toEqual({ status: 1 });

    const client = certificateFolder('client', stranger.issue());
    const newsroom = (tls: string): string => `
server: { port: 0 }
timelines:
  user_service: '${people.grpc}'
  post_service: '${people.grpc}'
  service_token: { env: SERVICE_TOKEN }
  service_timeout: 20s
  service_tls: ${tls}`;
    const presenting = newsroom(
      `{ ca: '${authority.ca}', certificate: client/tls.crt, key: client/tls.key, server_name: people.internal }`,
    );
    const services = async (yaml: string) => {
      const { out } = await run(['doctor', '--json', '--config', configure(yaml)]).ended;
      const { findings } = JSON.parse(out) as { findings: { what: string; state: string }[] };
      return findings.filter(({ what }) => what.includes(' service (')).map(({ state }) => state);
    };
    const without = newsroom(`{ ca: '${authority.ca}', server_name: people.internal }`);
    expect(await services(without)).toEqual(['bad', 'bad']);
    const replica = await start(presenting);
    const ready = async () => (await fetch(`${replica.url}/readyz`)).status;
    expect(await ready()).toBe(503);
    // The next connection presents the new certificate.
    client.install(authority.issue());
    await expect.poll(ready).toBe(200);
    expect(await services(presenting)).toEqual(['good', 'good']);
  });
});
