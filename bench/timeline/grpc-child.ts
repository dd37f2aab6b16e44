// The server under load, in a process of its own: the timeline service as the program serves it, and beside it a method
// that answers 50 constant IDs and does nothing else.
import { createServer } from 'nice-grpc';
import { TimelineServiceDefinition } from '../../proto/gen/avion/timeline.ts';
import { openStage } from '../../src/server/grpc/stage.fixture.ts';

const DROPS = 1000;

const stage = await openStage();
const drops: string[] = [];
for (let i = 0; i < DROPS; i++) {
  const { drop } = await stage.social.post({ userId: stage.ben.id, visibility: 'public', text: `${i}` });
  drops.unshift(drop.id);
}
await stage.settled();

const dropIds = drops.slice(0, 50);
const constant = async () => ({ dropIds, olderCursor: '', newerCursor: '' });
const empty = createServer();
empty.add(TimelineServiceDefinition, {
  getHomeTimeline: constant,
  getLocalTimeline: constant,
  getGlobalTimeline: constant,
});
const port = await empty.listen('127.0.0.1:0');
process.send?.({ ours: stage.server.address, empty: `127.0.0.1:${port}`, token: stage.ann.id });
process.once('message', async () => {
  empty.forceShutdown();
  await stage[Symbol.asyncDispose]();
  process.disconnect();
});
