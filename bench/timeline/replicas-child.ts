// The other replica: receives the events of a timeline and reports when each arrived.
import { RedisConnection } from '../../src/storage/redis/connection.ts';
import { RedisStreamLog } from '../../src/storage/redis/stream-log.ts';
import { silentEvents } from '../../src/telemetry/events.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { systemClock as clock } from '../../src/time/clock.ts';

const [port = '0'] = process.argv.slice(2);
const parts = { clock, log: silentLogger, events: silentEvents };
const connection = await RedisConnection.open({ nodes: [`127.0.0.1:${port}`], ...parts });
const streams = new RedisStreamLog({ connection, clock, log: silentLogger });
const delays: number[] = [];
await streams.subscribe('timeline:local', {
  onEvent({ event }) {
    // The ID contains the time of publication, on the same machine's clock.
    if (event.type === 'new_drop' && !event.dropId.startsWith('warming'))
      delays.push(performance.timeOrigin + performance.now() - Number(event.dropId.split('-')[1]));
  },
  onGap() {},
});
process.send?.('ready');
process.on('message', (message) => {
  if (message === 'report') process.send?.(delays);
});
process.once('disconnect', () => process.exit(0));
