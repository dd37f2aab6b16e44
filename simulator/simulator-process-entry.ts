import { startSimulator } from './simulator.ts';
import type { BesideOptions, BesideReply } from './simulator-process.ts';

// The parent process ends this one by closing the channel, or by dying. Ctrl-C in a terminal reaches the whole group;
// the simulated world must outlive the newsroom, which still sends requests while it stops.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const reply = (message: BesideReply): void => void process.send?.(message);

try {
  const simulator = await startSimulator({
    epoch: 0,
    ...(JSON.parse(process.argv[2] ?? '{}') as BesideOptions),
  });
  process.once('disconnect', () => {
    simulator[Symbol.asyncDispose]().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
  reply({
    started: true,
    urls: simulator.urls,
    discordWebhook: simulator.discord.webhookUrl,
    mastodonToken: simulator.mastodon.token,
  });
} catch (error) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null;
  reply({ started: false, code, message: error instanceof Error ? error.message : String(error) });
  process.disconnect();
}
