import { PassThrough, Writable } from 'node:stream';
import type { Command } from 'commander';
import { EXIT_DESCRIPTIONS } from '../../src/cli/errors.ts';
import { buildProgram } from '../../src/cli/program.ts';

/** The reference of the command line, from the commands themselves. */
export function commandsReference(): string {
  const nowhere = Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), {
    isTTY: false,
  });
  const context = { stdin: new PassThrough(), stdout: nowhere, stderr: nowhere, env: {}, cwd: '.' };
  const program = buildProgram({ context, result: { exitCode: 0 } });
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup().replace(/:$/, ''));
  const parts = [...groups].map(
    ([group, commands]) =>
      `## ${group}\n\n${commands.flatMap((command) => describe(command, 'kawaraban')).join('\n\n')}`,
  );
  return `# Reference: commands

\`npx kawaraban <command>\` inside the project, \`kawaraban <command>\` where it is installed. Every command has \`--json\` for programs,
\`--config <file>\` and \`--no-color\`. Results go to standard output, progress and messages to standard error.

${parts.join('\n\n')}

## Exit codes

| code | |
|---|---|
${Object.entries(EXIT_DESCRIPTIONS)
  .map(([code, words]) => `| ${code} | ${words} |`)
  .join('\n')}
`;
}

const EVERYWHERE = ['--config', '--json', '--no-color', '--help'];

function describe(command: Command, above: string): string[] {
  const name = `${above} ${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((below) => describe(below, name));
  const signature = command.registeredArguments.map((one) => {
    const words = `${one.name()}${one.variadic ? '…' : ''}`;
    return one.required ? `<${words}>` : `[${words}]`;
  });
  const options = command.options.filter(({ long }) => !EVERYWHERE.includes(long ?? ''));
  const rows = [
    ...command.registeredArguments.map((one) => `| \`${one.name()}\` | ${cell(one.description)} |`),
    ...options.map(
      ({ flags, description, defaultValue, defaultValueDescription }) =>
        `| \`${flags.replaceAll('|', '\\|')}\` | ${cell(description)}${defaultValue === undefined ? '' : ` (default: \`${defaultValueDescription ?? String(defaultValue)}\`)`} |`,
    ),
  ];
  const table = rows.length === 0 ? [] : [['| | |', '|---|---|', ...rows].join('\n')];
  return [`### \`${[name, ...signature].join(' ')}\``, command.description(), ...table];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
