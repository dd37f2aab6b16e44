const COLOURS: Readonly<Record<string, string>> = { debug: '90', info: '36', warn: '33', error: '31' };

/** A JSON log line as a person likes to read it: `09:00:02 info  Run finished  pipeline=morning posted=5`. */
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

/** Nothing from outside may break out of its line or steer the terminal. */
function onOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  return text.replace(/[\u0000-\u001F\u007F-\u009F]+/g, ' ');
}
