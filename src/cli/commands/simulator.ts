import type { Command } from 'commander';
import type { Simulator } from '../../../simulator/simulator.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions } from '../command.ts';
import { EXIT } from '../errors.ts';
import { ShutdownSignal } from '../shutdown.ts';
import { firstSimulatorPort, NEW_ITEM_INTERVAL_MS, simulatorPortError } from '../simulator-address.ts';
import type { CliContext, Terminal } from '../terminal.ts';

/** `simulator`: the simulated internet of the sample and the tutorials, by itself. */
export function simulatorCommand(deps: CommandDependencies): Command {
  return defineCommand(
    'simulator',
    'run a simulated internet until Ctrl-C: feeds, Discord, Mastodon, YouTube and models, all invented',
  ).action(
    action(deps, async (terminal, options: GlobalOptions) => {
      const stopping = new ShutdownSignal(terminal);
      try {
        const simulator = await start(deps.context);
        try {
          if (options.json) terminal.json({ started: true, urls: simulator.urls });
          else printStarted(terminal, simulator);
          await aborted(stopping.signal);
        } finally {
          await simulator[Symbol.asyncDispose]();
        }
        return EXIT.ok;
      } finally {
        stopping[Symbol.dispose]();
      }
    }),
  );
}

async function start(context: CliContext): Promise<Simulator> {
  const port = firstSimulatorPort(context);
  const { startSimulator } = await import('../../../simulator/simulator.ts');
  try {
    return await startSimulator({ epoch: 0, port, grow: { everyMs: NEW_ITEM_INTERVAL_MS } });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      throw simulatorPortError(port, error);
    throw error;
  }
}

function printStarted(terminal: Terminal, { urls: { control } }: Simulator): void {
  terminal.out(terminal.style('bold', 'The simulator is running. Everything in it is invented.'));
  terminal.out(`  Page       ${control}`);
  terminal.out(`  Feeds      ${control}/feeds.opml`);
  terminal.out(`  Discord    ${control}/discord`);
  terminal.out(`  Mastodon   ${control}/mastodon`);
  terminal.out('\nIn another terminal:  npx kawaraban init --simulator');
  terminal.out('Ctrl-C stops it.');
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
