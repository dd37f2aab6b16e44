import { type Logger as Pino, pino } from 'pino';
import type { LogFields, Logger } from './logger.ts';
import { readableLine } from './readable-line.ts';
import { MASK, maskSecrets, SECRET_FIELD } from './secrets.ts';
import { traceIds } from './tracing.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LoggerOptions {
  readonly level?: LogLevel;
  /** `auto`: readable lines on a terminal, JSON lines otherwise. */
  readonly format?: 'auto' | 'pretty' | 'json';
  /** Where lines go; standard error where absent, since standard output is for answers. */
  readonly output?: LogOutput;
  /** Colours in readable lines; on a terminal unless `NO_COLOR` is set, where absent. */
  readonly colour?: boolean;
}

export interface LogOutput {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

/** The one logger of the program. Every line is masked as a whole, after it was put together. */
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
      if (made.isLevelEnabled('debug')) made.debug(plain(fields), message);
    },
    info: (message, fields) => made.info(plain(fields), message),
    warn: (message, fields) => made.warn(plain(fields), message),
    error: (message, fields) => made.error(plain(fields), message),
  };
}

const DEEPEST = 5;

/** Keys of the line itself. A field of such a name would stand in it twice, and one of the two would be lost. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'message', 'trace_id', 'span_id']);

function plain(fields: LogFields = {}): Record<string, unknown> {
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

/** Errors and other things that JSON does not know, in a form that it does. */
function describeValue(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return '…';
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
    // Where it came from, without the message, which is there already.
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => line.startsWith('    at '))
      .slice(0, 12)
      .join('\n'),
  };
}
