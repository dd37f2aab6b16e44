import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { programVersion } from '../../assets/assets.ts';
import type { Config } from '../../config/config.ts';
import { formatProblem, type Problem } from '../../config/problems.ts';
import type { SourceConfig } from '../../config/schema/sources.ts';
import { findEmptyLedgers } from '../../pipelines/renamed-pipelines.ts';
import type { LoadedPlugin } from '../../plugins/configured-plugins.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions, loadApp } from '../command.ts';
import {
  type CheckResult,
  checkCertificate,
  checkClock,
  checkCommand,
  checkFolder,
  checkJudge,
  checkNode,
  checkPort,
  checkRecordedTimes,
  checkRecords,
  checkSpace,
  describeEmbedder,
} from '../doctor-checks.ts';
import { describeError, EXIT } from '../errors.ts';
import { configOrSamplePath, environmentFor } from '../files.ts';
import { formatCount, formatIndex, sanitise } from '../format.ts';
import { ShutdownSignal } from '../shutdown.ts';
import type { CliContext, Terminal } from '../terminal.ts';
import { Progress } from '../terminal.ts';

interface DoctorOptions extends GlobalOptions {
  readonly offline?: boolean;
}

/** `doctor`: checks the installation and says how to fix what is wrong. */
export function doctorCommand(deps: CommandDependencies): Command {
  return defineCommand(
    'doctor',
    'check engine, keys, sources, commands, clock, disk and ports, and advise how to fix problems',
  )
    .option('--offline', 'do not contact sources and services')
    .action(
      action(deps, async (terminal, options: DoctorOptions) => {
        const findings: CheckResult[] = [];
        const report = (...found: CheckResult[]): void => {
          findings.push(...found);
          if (!options.json) for (const finding of found) printResult(terminal, finding);
        };
        report(checkNode(process.versions.node));
        const { config, problems, certificates } = await configuration(deps.context, options.config);
        report(...problems, ...certificates);
        if (config !== null)
          await runChecks(
            config,
            options,
            terminal,
            report,
            problems.every(({ state }) => state === 'good'),
          );
        const bad = findings.filter(({ state }) => state === 'bad').length;
        if (options.json) terminal.json({ ok: bad === 0, findings });
        else terminal.note(bad === 0 ? '\nAll checks passed.' : `\n${formatCount(bad, 'problem')} found.`);
        return bad === 0 ? EXIT.ok : EXIT.failure;
      }),
    );
}

async function runChecks(
  config: Config,
  options: DoctorOptions,
  terminal: Terminal,
  report: (...found: CheckResult[]) => void,
  complete: boolean,
): Promise<void> {
  const { server } = config;
  if (config.engine.kind === 'embedded')
    report(await checkFolder(config.data), await checkSpace(config.data));
  report(await checkPort('Web port', server.host, server.port));
  if (server.grpc.enabled) report(await checkGrpc(server.grpc));
  for (const { id, enabled, ...pipeline } of Object.values(config.pipelines))
    if (enabled && pipeline.kind === 'process' && pipeline.processor.kind === 'command')
      report(await checkCommand(id, pipeline.processor.command, pipeline.processor.folder ?? config.data));
  if (complete && !options.offline) report(...(await checkServices(config)));
  if (complete) report(...(await checkEngine(config)));
  if (complete && !options.offline) report(...(await checkIndexes(config)));
  if (options.offline) return;
  const { checkSourceReachability } = await import('../../sources/discovery.ts');
  const progress = new Progress(terminal);
  const stopping = new ShutdownSignal(terminal);
  try {
    const reached = await checkSourceReachability(
      await allSources(config, complete),
      config,
      (done, of) => progress.show('Checking sources', done, of),
      stopping.signal,
    );
    progress.clear();
    for (const { what, ok, detail } of reached)
      report({
        what,
        state: ok ? 'good' : 'bad',
        detail,
        ...(!ok && {
          cure: 'correct its address or key, or disable the source with `enabled: false`',
        }),
      });
    if (reached.length > 0) report(checkClock(reached.map(({ clockAheadMs }) => clockAheadMs)));
  } finally {
    progress.clear();
    stopping[Symbol.dispose]();
  }
}

/** Those of the file, and those that were added on the page or by command if the engine can be opened. */
async function allSources(config: Config, complete: boolean): Promise<readonly SourceConfig[]> {
  if (complete) {
    const { openSources } = await import('../../app/maintenance.ts');
    try {
      const { catalogue, ...opened } = await openSources(config, programVersion());
      await opened[Symbol.asyncDispose]();
      return catalogue.all().map(({ settings }) => settings);
    } catch {
      // The check of the engine has reported it.
    }
  }
  return Object.values(config.sources);
}

async function checkGrpc({ host, port, tls }: Config['server']['grpc']): Promise<CheckResult> {
  const { checkGrpcHealth } = await import('../../server/grpc/health-client.ts');
  const { readCertificates } = await import('../../tls/certificates.ts');
  const reading = tls && readCertificates(tls);
  const health = await checkGrpcHealth(host, port, reading?.ok ? reading.certificates : null);
  if (health === 'unreachable') return checkPort('gRPC port', host, port);
  const serves = health === 'serving';
  return {
    what: 'gRPC port',
    state: serves ? 'good' : 'doubtful',
    detail: `${host}:${port} ${serves ? 'is healthy' : 'answers, but is not ready'}`,
    ...(!serves && { cure: 'see /readyz of the running newsroom for the component that is not ready' }),
  };
}

async function checkServices(config: Config): Promise<CheckResult[]> {
  const { checkServices: checkTimelineServices } = await import('../../app/timelines.ts');
  return (await checkTimelineServices(config)).map(({ what, ok, detail }) => ({
    what,
    state: ok ? 'good' : 'bad',
    detail,
    ...(!ok && { cure: 'check `timelines: { user_service, post_service, service_token, service_tls }`' }),
  }));
}

/** Checks the file without its secrets first, so that a missing key does not hide other problems. */
async function configuration(
  context: CliContext,
  named: string | undefined,
): Promise<{ config: Config | null; problems: CheckResult[]; certificates: CheckResult[] }> {
  const { loadConfigWithPlugins } = await import('../../config/config.ts');
  const { configuredCertificates } = await import('../../config/certificates.ts');
  const path = configOrSamplePath(context, named);
  const env = environmentFor(context, path);
  const shape = await loadConfigWithPlugins(path, env, { secrets: 'ignore' });
  if (!shape.ok)
    return {
      config: null,
      problems: shape.problems.map((problem) => problemResult('Configuration', problem)),
      certificates: [],
    };
  // Those that cannot be read are problems of the whole configuration.
  const certificates = configuredCertificates(shape.document, dirname(resolve(path))).flatMap(
    ({ what, reading }) =>
      reading.ok && reading.valid
        ? [checkCertificate(`Certificate (${what})`, reading.valid, Date.now())]
        : [],
  );
  const whole = await loadConfigWithPlugins(path, env);
  const good: readonly CheckResult[] = [
    { what: 'Configuration', state: 'good', detail: `${path} is valid` },
    ...shape.config.plugins.loaded.map(pluginResult),
  ];
  if (whole.ok)
    return {
      config: whole.config,
      problems: [...good, { what: 'Keys', state: 'good', detail: 'all are set' }],
      certificates,
    };
  return {
    config: shape.config,
    problems: [...good, ...whole.problems.map((problem) => problemResult('Keys', problem))],
    certificates,
  };
}

function pluginResult({ specifier, kinds }: LoadedPlugin): CheckResult {
  const brought = Object.values(kinds).flat().join(', ');
  return { what: `Plugin ${specifier}`, state: 'good', detail: `loaded, with the kinds ${brought}` };
}

function problemResult(what: string, problem: Problem): CheckResult {
  return { what, state: 'bad', detail: formatProblem(problem) };
}

/** Firestore refuses a query without its index, so a missing one makes a list or a sweep fail long after the start. */
async function checkIndexes(config: Config): Promise<CheckResult[]> {
  const { isDistributed, missingIndexes } = await import('../../storage/firestore/index-definitions.ts');
  if (!isDistributed(config)) return [];
  const what = 'Firestore indexes';
  const { withFirestore } = await import('../../app/firestore.ts');
  try {
    const missing = await withFirestore(config.engine, (connection) => missingIndexes(config, connection));
    if (missing.length === 0)
      return [
        { what, state: 'good', detail: 'every query of the pipelines and of the reader has its index' },
      ];
    const cure = 'deploy what `kawaraban indexes` writes, and wait until the indexes are built';
    return [{ what, state: 'bad', detail: `missing: ${missing.map(formatIndex).join('; ')}`, cure }];
  } catch (error) {
    return [{ what, state: 'bad', detail: describeError(error).sentence }];
  }
}

/** Opens the newsroom and makes a small request to each part. */
async function checkEngine(config: Config): Promise<CheckResult[]> {
  const what = `Engine (${config.engine.kind})`;
  try {
    const app = await loadApp(config);
    try {
      const { ready, parts } = await app.newsroom.readiness();
      const notReady = Object.entries(parts).filter(([, part]) => !part.ok);
      const detail = ready
        ? 'answers'
        : notReady.map(([name, part]) => `${name}: ${part.detail ?? 'unavailable'}`).join('; ');
      const engine: CheckResult = { what, state: ready ? 'good' : 'bad', detail };
      const judges: CheckResult[] = [
        ...(await app.newsroom.judges()).map(checkJudge),
        { what: 'Same story', state: 'good', detail: describeEmbedder(config) },
      ];
      if (!ready) return [engine, ...judges];
      const records = await Promise.all(
        [...app.pipelines].map(async ([id, { ledger }]) =>
          checkRecords(id, await ledger.unusable(MAX_RECORDS)),
        ),
      );
      const empty = (await findEmptyLedgers(config, app.engine.runs)).map(
        ({ pipeline, detail, cure }): CheckResult => ({
          what: `Pipeline ${pipeline}`,
          state: 'doubtful',
          detail,
          cure,
        }),
      );
      const times = checkRecordedTimes(await app.futureTimestamps(), Date.now());
      return [engine, ...empty, times, ...records.flat(), ...judges];
    } finally {
      await app[Symbol.asyncDispose]();
    }
  } catch (error) {
    return [{ what, state: 'bad', detail: describeError(error).sentence }];
  }
}

/** Unusable records that are listed for each pipeline. */
const MAX_RECORDS = 20;

const MARKS = { good: ['green', '✓'], doubtful: ['yellow', '!'], bad: ['red', '✗'] } as const;

function printResult(terminal: Terminal, { what, state, detail, cure }: CheckResult): void {
  const [colour, mark] = MARKS[state];
  terminal.out(
    `${terminal.style(colour, mark)} ${what}: ${sanitise(detail)}${cure === undefined ? '' : `\n    → ${cure}`}`,
  );
}
