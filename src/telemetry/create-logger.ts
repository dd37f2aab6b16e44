import { type Logger as Pino, pino } from 'pino';
import type { LogFields, Logger } from './logger.ts';
import { MASK, maskSecrets, SECRET_FIELD } from './secrets.ts';
import { traceIds } from './tracing.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LoggerOptions {
  readonly level?: LogLevel;
  /** `auto`: readable lines on a terminal, JSON lines otherwise. */
  readonly format?: 'auto' | 'pretty' | 'json';
  /** Default: standard error, since standard output is for results. */
  readonly output?: LogOutput;
  /** Colours in readable lines. Default: on a terminal, unless `NO_COLOR` is set. */
  readonly colour?: boolean;
}

export interface LogOutput {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

/** Creates the logger. Secrets are masked in the whole formatted line. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const output = options.output ?? process.stderr;
  const { level = 'info', format = 'auto' } = options;
  const readable = format === 'pretty' || (format === 'auto' && output.isTTY === true);
  const colour = options.colour ?? (output.isTTY === true && !process.env.NO_COLOR);
  const made = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => traceIds() ?? {},
    },
    {
      write(line: string) {
        const masked = maskSecrets(line);
        output.write(readable ? readableLine(masked, colour) : masked);
      },
    },
  );
  return wrap(made);
}

function wrap(made: Pino): Logger {
  return {
    debug: (message, fields) => {
      if (made.isLevelEnabled('debug')) made.debug(toPlainFields(fields), message);
    },
    info: (message, fields) => made.info(toPlainFields(fields), message),
    warn: (message, fields) => made.warn(toPlainFields(fields), message),
    error: (message, fields) => made.error(toPlainFields(fields), message),
  };
}

const MAX_DEPTH = 5;

/** Keys of the line itself. A field of such a name would be a duplicate key, and one of the two values would be lost. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'message', 'trace_id', 'span_id']);

function toPlainFields(fields: LogFields = {}): Record<string, unknown> {
  const described = describeObject(fields, 0);
  for (const name of RESERVED)
    if (Object.hasOwn(described, name)) {
      described[`field_${name}`] = described[name];
      delete described[name];
    }
  return described;
}

function describeObject(object: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      SECRET_FIELD.test(name) && value !== null && value !== undefined
        ? MASK
        : describeValue(value, depth + 1),
    ]),
  );
}

/** Converts errors and other values that JSON cannot represent. */
function describeValue(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '…';
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Date || value instanceof URL) return value;
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (value instanceof Set) return describeValue([...value], depth);
  if (value instanceof Map) return describeObject(Object.fromEntries(value), depth);
  if (Array.isArray(value)) return value.slice(0, 100).map((one) => describeValue(one, depth + 1));
  return describeObject(value, depth);
}

function describeError(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause, ...own } = error;
  return {
    name: error.name,
    message: error.message,
    ...describeObject(own, depth),
    ...(cause === undefined ? {} : { cause: describeValue(cause, depth + 1) }),
    ...(error instanceof AggregateError ? { errors: describeValue(error.errors, depth + 1) } : {}),
    // Without the message, which has its own field.
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => line.startsWith('    at '))
      .slice(0, 12)
      .join('\n'),
  };
}

const COLOURS: Readonly<Record<string, string>> = { debug: '90', info: '36', warn: '33', error: '31' };

/** Formats a JSON log line for people: `09:00:02 info  Run finished  pipeline=morning posted=5`. */
export function readableLine(line: string, colour: boolean): string {
  const { time, level, message, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const paint = (text: string, code: string): string => (colour ? `\u001B[${code}m${text}\u001B[0m` : text);
  const clock = new Date(String(time)).toTimeString().slice(0, 8);
  const words = Object.entries(fields)
    .filter(([name]) => name !== 'trace_id' && name !== 'span_id')
    .map(([name, value]) => `${paint(`${name}=`, '90')}${readable(value)}`);
  const head = `${paint(clock, '90')} ${paint(String(level).padEnd(5), COLOURS[String(level)] ?? '0')} ${onOneLine(String(message))}`;
  return `${[head, ...words].join('  ')}\n`;
}

function readable(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  if (isError(value)) {
    const cause = isError(value.cause) ? ` ← ${readable(value.cause)}` : '';
    return `${value.name}: ${onOneLine(value.message)}${cause}`;
  }
  return JSON.stringify(value) ?? '';
}

function isError(value: unknown): value is { name: string; message: string; cause?: unknown } {
  return (
    typeof value === 'object' && value !== null && 'message' in value && 'stack' in value && 'name' in value
  );
}

/** Removes control characters: outside text must not break the line or control the terminal. */
function onOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  return text.replace(/[\u0000-\u001F\u007F-\u009F]+/g, ' ');
}
