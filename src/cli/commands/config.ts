import { resolve } from 'node:path';
import type { Command } from 'commander';
import { formatProblem, type Problem } from '../../config/problems.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions } from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import {
  configOrSamplePath,
  configPath,
  environmentFor,
  formatProblems,
  openConfig,
  writeFileAtomically,
} from '../files.ts';
import { formatCount } from '../format.ts';

interface CheckOptions extends GlobalOptions {
  readonly secrets?: boolean;
}

/** `config check` and `config show`. */
export function configCommand(deps: CommandDependencies): Command {
  return defineCommand('config', 'check the configuration, or show the effective one')
    .helpCommand(false)
    .addCommand(checkCommand(deps))
    .addCommand(showCommand(deps));
}

function checkCommand(deps: CommandDependencies): Command {
  return defineCommand(
    'check',
    'list every problem of a configuration with its position and what to write instead',
  )
    .argument('[files...]', 'configurations to check (default: ./kawaraban.yaml)')
    .option('--no-secrets', 'do not check whether the secrets exist')
    .action(
      action(deps, async (terminal, options: CheckOptions, files: string[]) => {
        const { loadConfigWithPlugins } = await import('../../config/config.ts');
        const paths = files.length > 0 ? files : [options.config];
        const results: { file: string; ok: boolean; problems: readonly Problem[] }[] = [];
        for (const named of paths) {
          const path = configPath(deps.context, named);
          const loaded = await loadConfigWithPlugins(path, environmentFor(deps.context, path), {
            secrets: options.secrets === false ? 'ignore' : 'require',
          });
          results.push({ file: path, ok: loaded.ok, problems: loaded.ok ? [] : loaded.problems });
        }
        const ok = results.every((result) => result.ok);
        if (options.json) terminal.json(results.length === 1 ? results[0] : results);
        else
          for (const { file, problems } of results) {
            for (const problem of problems) terminal.out(formatProblem(problem));
            if (problems.length === 0) terminal.out(`${file} is valid.`);
            else
              terminal.note(
                `${file}: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}`,
              );
          }
        return ok ? EXIT.ok : EXIT.badConfig;
      }),
    );
}

function showCommand(deps: CommandDependencies): Command {
  return defineCommand(
    'show',
    'print the effective configuration, with defaults, and secrets only by name',
  ).action(
    action(deps, async (terminal, options: GlobalOptions) => {
      const [{ loadConfigWithPlugins }, { effectiveSettings: inForce }, { stringify }] = await Promise.all([
        import('../../config/config.ts'),
        import('../../config/resolve.ts'),
        import('yaml'),
      ]);
      const path = configOrSamplePath(deps.context, options.config);
      const loaded = await loadConfigWithPlugins(path, environmentFor(deps.context, path), {
        secrets: 'ignore',
      });
      if (!loaded.ok) throw new CommandError(formatProblems(loaded.problems), EXIT.badConfig);
      const whole = inForce(loaded.document);
      if (options.json) terminal.json(whole);
      else terminal.out(stringify(whole, { lineWidth: 110 }).trimEnd());
      return EXIT.ok;
    }),
  );
}

interface IndexesOptions extends GlobalOptions {
  readonly output?: string;
  readonly offline?: boolean;
  readonly force?: boolean;
}

/** `indexes`: the `firestore.indexes.json` of the configuration, with the collections of every pipeline. */
export function indexesCommand(deps: CommandDependencies): Command {
  return defineCommand('indexes', 'write firestore.indexes.json for the pipelines of the configuration')
    .option('-o, --output <file>', 'write to this file (default: standard output)')
    .option(
      '--offline',
      'do not ask Firestore which pipeline of a kind was first; assume the first in the file',
    )
    .option('--force', 'replace an existing file')
    .action(
      action(deps, async (terminal, options: IndexesOptions) => {
        const secrets = options.offline ? ({ secrets: 'ignore' } as const) : {};
        const config = await openConfig(deps.context, options.config, secrets);
        const { configuredCollections, indexesFile, isDistributed } = await import(
          '../../storage/firestore/index-definitions.ts'
        );
        if (!isDistributed(config))
          throw new CommandError('there are no indexes: the configuration uses the embedded engine');
        const { withFirestore } = await import('../../app/firestore.ts');
        const sets = options.offline
          ? await configuredCollections(config, null)
          : await withFirestore(config.engine, (connection) => configuredCollections(config, connection));
        const file = indexesFile(sets);
        const text = `${JSON.stringify(file, null, 2)}\n`;
        if (options.output === undefined) terminal.out(text.trimEnd());
        else {
          await writeFileAtomically(resolve(deps.context.cwd, options.output), text, {
            replace: options.force ?? false,
          });
          terminal.note(`${options.output}: ${formatCount(file.indexes.length, 'index', 'indexes')}.`);
        }
        return EXIT.ok;
      }),
    );
}
