import { format } from 'node:util';
import { isGroup } from '../config/schema/section.ts';
import { maskSecrets } from '../telemetry/secrets.ts';
import { configPath } from './files.ts';
import type { CliContext } from './terminal.ts';

/**
 * Whether every line of `start` is a JSON object, as those of its log: with `--json`, or where the log is configured so. Known
 * before the configuration is checked, since its problems are printed too.
 */
export async function wantsJsonLines(args: readonly string[], context: CliContext): Promise<boolean> {
  if (args[0] !== 'start') return false;
  if (args.includes('--json')) return true;
  const set = context.env.KAWARABAN_LOG_FORMAT ?? '';
  return (set === '' ? await configuredFormat(args, context) : set) === 'json';
}

async function configuredFormat(args: readonly string[], context: CliContext): Promise<unknown> {
  const { readConfigFile, readYaml } = await import('../config/yaml-document.ts');
  const flag = args.findIndex((word) => /^(-c|--config)$/.test(word));
  const named = flag === -1 ? args.find((word) => word.startsWith('--config='))?.slice(9) : args[flag + 1];
  const path = configPath(context, named);
  const file = readConfigFile(path);
  const yaml = file.ok ? readYaml(file.text, path) : null;
  const { telemetry } = yaml?.ok && isGroup(yaml.document.value) ? yaml.document.value : {};
  return isGroup(telemetry) ? telemetry.log_format : undefined;
}

/** One line in the form of the log. */
export function jsonLine(level: 'info' | 'warn' | 'error', message: string, fields: object = {}): string {
  return `${JSON.stringify({ level, time: new Date().toISOString(), message: message.trim(), ...fields })}\n`;
}

/** The same context whose output is JSON lines: what is none already becomes the message of one. */
export function withJsonLines(context: CliContext): CliContext {
  return { ...context, stdout: jsonStream(context.stdout), stderr: jsonStream(context.stderr) };
}

type Output = CliContext['stderr'];

function jsonStream(stream: Output): Output {
  return new Proxy(stream, {
    get(target, property) {
      if (property === 'isTTY') return false;
      const value: unknown = Reflect.get(target, property, target);
      if (property === 'write')
        return (text: string): boolean => {
          if (text.trim() === '') return true;
          return target.write(text.startsWith('{"') ? text : jsonLine('info', text));
        };
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** What Node and packages print themselves becomes JSON lines on standard error too. */
export function captureProcessOutput(): void {
  const write = (line: string): unknown => process.stderr.write(maskSecrets(line));
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, stack }) => write(jsonLine('warn', message, { name, stack })));
  process.on('uncaughtException', (error) => {
    write(jsonLine('error', error.message, { name: error.name, stack: error.stack }));
    process.exit(1);
  });
  const levels = { debug: 'info', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;
  for (const [method, level] of Object.entries(levels) as [keyof typeof levels, 'info' | 'warn' | 'error'][])
    console[method] = (...words: unknown[]) => void write(jsonLine(level, format(...words)));
}
