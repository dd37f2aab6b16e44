// The server under load, in a process of its own: the whole program as it serves gRPC, with a person's token that it checks
// on every call, and beside it a method that answers 50 constant IDs and does nothing else.
import { once } from 'node:events';
import { join } from 'node:path';
import { createServer } from 'nice-grpc';
import { TimelineServiceDefinition } from '../../proto/gen/avion/timeline.ts';
import { silentTelemetry } from '../../src/app/telemetry.ts';
import { openApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config/config.ts';

const DROPS = 1000;
const HOUR = 3_600_000;

const [folder = ''] = process.argv.slice(2);
const loaded = parseConfig(
  `data: ${folder}\ntimelines: {}\nserver: { port: 0, grpc: { enabled: true, port: 0 } }\n`,
  join(folder, 'kawaraban.yaml'),
  {},
);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
const app = await openApp(loaded.config, { telemetry: silentTelemetry, version: '0.0.0' });
const serving = await app.serve();
const link = await app.signing.accounts.ownerLink();
const who = { name: 'reader', password: 'a long enough password' };
const welcomed = await app.signing.signIn.welcome(link?.token ?? '', who, 'bench');
if (!welcomed.ok) throw new Error('nobody came in');
const { identity } = welcomed.opened;
const made = await app.signing.signIn.makeToken(identity, {
  label: 'bench',
  scopes: ['read'],
  lifetimeMs: HOUR,
});
const author = await app.social.addUser({ name: 'author', displayName: 'Author', kind: 'person' });
await app.social.follow(identity.userId, author.id);
let dropIds: string[] = [];
for (let i = 0; i < DROPS; i++) {
  const { drop } = await app.social.post({ userId: author.id, visibility: 'public', text: `${i}` });
  dropIds = [drop.id, ...dropIds].slice(0, 50);
}

const constant = async () => ({ dropIds, olderCursor: '', newerCursor: '' });
const empty = createServer();
empty.add(TimelineServiceDefinition, {
  getHomeTimeline: constant,
  getLocalTimeline: constant,
  getGlobalTimeline: constant,
});
const port = await empty.listen('127.0.0.1:0');
process.send?.({ ours: serving.grpc, empty: `127.0.0.1:${port}`, token: made.token });
await once(process, 'message');
empty.forceShutdown();
await serving[Symbol.asyncDispose]();
await app[Symbol.asyncDispose]();
process.disconnect();
