import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type SimulatorBeside,
  SimulatorStartError,
  startSimulatorBeside,
} from '../../simulator/simulator-process.ts';
import { sampleConfig } from '../config/sample.ts';
import { SAMPLE_CONFIG, writeFileAtomically } from './files.ts';
import { firstSimulatorPort, NEW_ITEM_INTERVAL_MS, simulatorPortError } from './simulator-address.ts';
import type { CliContext } from './terminal.ts';

export interface SampleNewsroom extends AsyncDisposable {
  /** The configuration that was written for it. */
  readonly path: string;
  /** Pages that show what was posted. */
  readonly pages: { readonly discord: string; readonly mastodon: string };
}

/** Starts the simulator and writes the sample's configuration into the data folder, where other commands find it. */
export async function startSample(context: CliContext): Promise<SampleNewsroom> {
  const simulator = await startSimulator(context);
  try {
    const { text, env } = sampleConfig(simulator.urls, {
      SAMPLE_DISCORD_WEBHOOK: simulator.discordWebhook,
      SAMPLE_MASTODON_TOKEN: simulator.mastodonToken,
    });
    const path = join(context.cwd, SAMPLE_CONFIG);
    const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomically(path, text, { replace: true });
    await writeFileAtomically(join(dirname(path), '.env'), lines.join(''), { replace: true, mode: 0o600 });
    const { control } = simulator.urls;
    return {
      path: SAMPLE_CONFIG,
      pages: { discord: `${control}/discord`, mastodon: `${control}/mastodon` },
      [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
    };
  } catch (error) {
    await simulator[Symbol.asyncDispose]();
    throw error;
  }
}

async function startSimulator(context: CliContext): Promise<SimulatorBeside> {
  const port = firstSimulatorPort(context);
  const keepIn = join(context.cwd, dirname(SAMPLE_CONFIG), 'simulator.json');
  try {
    return await startSimulatorBeside({ port, keepIn, grow: { everyMs: NEW_ITEM_INTERVAL_MS } });
  } catch (cause) {
    if (!(cause instanceof SimulatorStartError && cause.code === 'EADDRINUSE')) throw cause;
    throw simulatorPortError(port, cause);
  }
}
