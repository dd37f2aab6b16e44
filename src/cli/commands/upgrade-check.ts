import { join } from 'node:path';
import type { Command } from 'commander';
import { programVersion } from '../../assets/assets.ts';
import type { Config } from '../../config/config.ts';
import { formatProblem, type Problem } from '../../config/problems.ts';
import { formatSize } from '../../config/size.ts';
import type { DataReport } from '../../storage/sqlite/upgrade-report.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions } from '../command.ts';
import { EXIT, type ExitCode } from '../errors.ts';
import { configOrSamplePath, environmentFor } from '../files.ts';
import { formatCount, formatIndex } from '../format.ts';
import type { CliContext, Terminal } from '../terminal.ts';

/** What the next start of this program would change. */
interface UpgradeReport {
  /** `refused`: it would not start. */
  readonly outcome: 'nothing' | 'changes' | 'refused';
  /** This version. */
  readonly program: string;
  /** The version that opened the data last; `null` where it did not record itself (0.2 and before), or there is no data. */
  readonly dataOf: string | null;
  readonly configuration: { readonly file: string; readonly problems: readonly string[] };
  readonly data: DataReport | null;
  readonly firestore: FirestoreReport | null;
}

interface FirestoreReport {
  readonly project: string;
  readonly refused: string | null;
  readonly missingIndexes: readonly string[];
  readonly steps: readonly string[];
}

/** `upgrade-check`: what this version would change, before it is changed. */
export function upgradeCheckCommand(deps: CommandDependencies): Command {
  return defineCommand(
    'upgrade-check',
    'name what the next start of this version would change in configuration and data; changes nothing',
  ).action(
    action(deps, async (terminal, options: GlobalOptions) => {
      const { config, file, problems } = await readConfiguration(deps.context, options);
      const { reportData } = await import('../../storage/sqlite/upgrade-report.ts');
      const data = config === null ? null : reportData(config.data);
      const firestore = config?.engine.kind === 'distributed' ? await checkFirestore(config) : null;
      const report: UpgradeReport = {
        outcome: outcomeOf(problems, data, firestore),
        program: programVersion(),
        dataOf: firestore?.dataOf ?? data?.program ?? null,
        configuration: { file, problems: problems.map(formatProblem) },
        data,
        firestore: firestore?.report ?? null,
      };
      if (options.json) terminal.json(report);
      else printReport(terminal, report);
      return exitCodeOf(report);
    }),
  );
}

function exitCodeOf({ outcome, configuration }: UpgradeReport): ExitCode {
  if (configuration.problems.length > 0) return EXIT.badConfig;
  return { nothing: EXIT.ok, changes: EXIT.changes, refused: EXIT.badData }[outcome];
}

/** Its secrets are only needed where Firestore is asked. */
async function readConfiguration(context: CliContext, options: GlobalOptions) {
  const { loadConfigWithPlugins } = await import('../../config/config.ts');
  const file = configOrSamplePath(context, options.config);
  const env = environmentFor(context, file);
  const shape = await loadConfigWithPlugins(file, env, { secrets: 'ignore' });
  const loaded =
    shape.ok && shape.config.engine.kind === 'distributed'
      ? await loadConfigWithPlugins(file, env, { secrets: 'optional' })
      : shape;
  return loaded.ok
    ? { config: loaded.config, file, problems: [] }
    : { config: null, file, problems: loaded.problems };
}

interface FirestoreCheck {
  readonly dataOf: string | null;
  readonly report: FirestoreReport;
}

async function checkFirestore(config: Config): Promise<FirestoreCheck | null> {
  const [{ withFirestore }, { isDistributed, missingIndexes }, { NewerFormatError, isNewer, readFormat }] =
    await Promise.all([
      import('../../app/firestore.ts'),
      import('../../storage/firestore/index-definitions.ts'),
      import('../../storage/firestore/data-format.ts'),
    ]);
  if (!isDistributed(config)) return null;
  const { engine } = config;
  return withFirestore(engine, async (connection) => {
    const recorded = await readFormat(connection);
    const refused = recorded !== null && isNewer(recorded) ? new NewerFormatError(recorded).message : null;
    const missing = await missingIndexes(config, connection);
    return {
      dataOf: recorded?.program ?? null,
      report: {
        project: engine.project,
        refused,
        missingIndexes: missing.map(formatIndex),
        steps:
          recorded === null
            ? [
                'Records the version; documents of earlier versions and of other programs are taken over as they are met',
              ]
            : [],
      },
    };
  });
}

function outcomeOf(
  problems: readonly Problem[],
  data: DataReport | null,
  firestore: FirestoreCheck | null,
): UpgradeReport['outcome'] {
  const found = firestore?.report;
  if (problems.length > 0 || (data?.refused ?? found?.refused ?? null) !== null) return 'refused';
  const migrated = data?.files.some(({ migrations }) => migrations.length > 0) ?? false;
  const steps = [...(data?.steps ?? []), ...(found?.steps ?? []), ...(found?.missingIndexes ?? [])];
  return migrated || steps.length > 0 ? 'changes' : 'nothing';
}

function printReport(
  terminal: Terminal,
  { outcome, program, dataOf, configuration, data, firestore }: UpgradeReport,
): void {
  const title = (text: string): void => terminal.out(terminal.style('bold', text));
  title(`This is ${program}${dataOf === null ? '' : `; the data was last opened by ${dataOf}`}.`);
  if (configuration.problems.length === 0)
    terminal.out(`Configuration  ${configuration.file}: no change is needed`);
  else {
    terminal.out(`Configuration  ${configuration.file}: this version refuses it. Correct:`);
    for (const problem of configuration.problems) terminal.out(`  ${problem}`);
  }
  if (data !== null && (data.files.length > 0 || firestore === null)) printData(terminal, data);
  if (firestore !== null) printFirestore(terminal, firestore);
  terminal.out(
    {
      nothing: 'Nothing would be changed.',
      changes: 'The next start makes these changes. This check changed nothing.',
      refused: 'This version would not start. This check changed nothing.',
    }[outcome],
  );
}

function printData(terminal: Terminal, data: DataReport): void {
  const { folder, files, steps, refused, inUseBy, space, copies } = data;
  terminal.out(`Data           ${folder}`);
  for (const file of files) {
    const { name, holds, bytes, schema, known, problem, migrations } = file;
    const state =
      problem !== null
        ? `cannot be read: ${problem}`
        : schema === known
          ? `schema ${schema}, as this version has it`
          : `schema ${schema} → ${known}`;
    terminal.out(`  ${name} (${holds}, ${formatSize(bytes)}): ${state}`);
    for (const { about, rows } of migrations)
      terminal.out(`    - ${about}${rows === 0 ? '' : ` (${formatCount(rows, 'row')})`}`);
  }
  for (const step of steps) terminal.out(`  - ${step}`);
  if (refused !== null) terminal.out(`Refused        ${refused}`);
  if (inUseBy !== null) terminal.out(`In use         by ${inUseBy}: stop it before the upgrade`);
  if (space !== null) {
    const { needed, free, copy } = space;
    terminal.out(
      `Disk           ${formatSize(free)} free; the upgrade needs up to ${formatSize(needed)}, with a copy of the data`,
    );
    terminal.out(
      copy
        ? `Way back       a copy is made in ${join(folder, 'before-upgrade')} first, and kept until the next upgrade`
        : 'Way back       there is no room for the copy that an upgrade makes: make a backup on another disk first',
    );
    terminal.out(
      '               A migrated file cannot be opened by the earlier version any more; what happens afterwards is only in the new data.',
    );
    terminal.out('Backup first   kawaraban backup <folder>   (also while the newsroom runs)');
  }
  for (const copy of copies)
    terminal.out(
      `Earlier copy   of ${copy.program ?? 'an earlier version'}: kawaraban restore ${copy.folder}`,
    );
}

function printFirestore(
  terminal: Terminal,
  { project, refused, missingIndexes, steps }: FirestoreReport,
): void {
  terminal.out(`Firestore      project ${project}`);
  for (const step of steps) terminal.out(`  - ${step}`);
  if (missingIndexes.length > 0) {
    terminal.out(
      '  Indexes are missing; deploy what `kawaraban indexes` writes, and wait until they are built:',
    );
    for (const index of missingIndexes) terminal.out(`    - ${index}`);
  }
  if (refused !== null) terminal.out(`Refused        ${refused}`);
}
