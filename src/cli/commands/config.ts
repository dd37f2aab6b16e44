import type { Command } from 'commander';
import { formatProblem } from '../../config/problem.ts';
import { action, type CommandParts, commandNamed, type EveryOption } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { configOrSamplePath, configPath, environmentFor, listed } from '../open-config.ts';
import { RefusalError } from '../refusal.ts';

interface CheckOptions extends EveryOption {
  readonly secrets?: boolean;
}

/** `config check` and `config show`. */
export function configCommand(parts: CommandParts): Command {
  return commandNamed('config', 'check the configuration, or show what is in force')
    .helpCommand(false)
    .addCommand(checkCommand(parts))
    .addCommand(showCommand(parts));
}

function checkCommand(parts: CommandParts): Command {
  return commandNamed(
    'check',
    'list every problem of a configuration with its place and what to write instead',
  )
    .argument('[files...]', 'configurations to check (default: ./kawaraban.yaml)')
    .option('--no-secrets', 'do not ask whether the secrets are there')
    .action(
      action(parts, async (terminal, options: CheckOptions, files: string[]) => {
        const { loadConfig } = await import('../../config/config.ts');
        const paths = files.length > 0 ? files : [options.config];
        const results = paths.map((named) => {
          const path = configPath(parts.house, named);
          const loaded = loadConfig(path, environmentFor(parts.house, path), {
            secrets: options.secrets === false ? 'ignore' : 'require',
          });
          return { file: path, ok: loaded.ok, problems: loaded.ok ? [] : loaded.problems };
        });
        const ok = results.every((result) => result.ok);
        if (options.json) terminal.json(results.length === 1 ? results[0] : results);
        else
          for (const { file, problems } of results) {
            for (const problem of problems) terminal.out(formatProblem(problem));
            if (problems.length === 0) terminal.out(`${file} is in order.`);
            else
              terminal.note(
                `${file}: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}`,
              );
          }
        return ok ? EXIT.ok : EXIT.badConfig;
      }),
    );
}

function showCommand(parts: CommandParts): Command {
  return commandNamed(
    'show',
    'print the configuration in force, defaults written out, secrets only by name',
  ).action(
    action(parts, async (terminal, options: EveryOption) => {
      const [{ loadConfig }, { inForce }, { stringify }] = await Promise.all([
        import('../../config/config.ts'),
        import('../../config/in-force.ts'),
        import('yaml'),
      ]);
      const path = configOrSamplePath(parts.house, options.config);
      const loaded = loadConfig(path, environmentFor(parts.house, path), { secrets: 'ignore' });
      if (!loaded.ok) throw new RefusalError(listed(loaded.problems), EXIT.badConfig);
      const whole = inForce(loaded.document);
      if (options.json) terminal.json(whole);
      else terminal.out(stringify(whole, { lineWidth: 110 }).trimEnd());
      return EXIT.ok;
    }),
  );
}
