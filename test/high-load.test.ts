import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChannel, createClient } from 'nice-grpc';
import { expect, it, onTestFinished, vi } from 'vitest';
import { TimelineServiceDefinition } from '../proto/gen/avion/timeline.ts';
import { Program } from './program.ts';

vi.setConfig({ testTimeout: 120_000 });

it('the program keeps its heap small until many gRPC calls come in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-load-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'kawaraban.yaml'),
    `data: ./data
server: { port: 0, grpc: { enabled: true, port: 0 } }
timelines: {}
telemetry: { log_level: debug }
`,
  );
  const program = new Program(['start', '--json'], {}, folder);
  onTestFinished(() => program.kill());
  const [, address = ''] = await program.waitForOutput(/"grpc": ?"([^"]+)"/);
  const channel = createChannel(address);
  onTestFinished(() => channel.close());
  const client = createClient(TimelineServiceDefinition, channel);
  const grows = () => (program.out + program.err).includes('the heap may grow');
  expect(grows()).toBe(false);
  // As fast as this machine can: a few calls a second are a high load.
  while (!grows() && program.isRunning)
    await Promise.all(Array.from({ length: 500 }, () => client.getLocalTimeline({})));
  expect(grows()).toBe(true);
});
