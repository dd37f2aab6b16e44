export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the JSON object out of what a model wrote. Servers without structured answers wrap it in fences or words, so the
 * first whole object counts. A cut-off object is said to be one.
 */
export function readJson(text: string, cutOff: boolean): ReadJson {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, problem: 'the answer was empty' };
  const whole = parse(trimmed);
  if (whole !== undefined) return { ok: true, value: whole };
  const object = firstObject(trimmed);
  const value = object === null ? undefined : parse(object);
  if (value !== undefined) return { ok: true, value };
  if (cutOff || (trimmed.includes('{') && object === null)) {
    return { ok: false, problem: 'the answer was cut off before its end: be shorter' };
  }
  return { ok: false, problem: 'the answer was not a JSON object' };
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** From the first brace to the one that closes it; braces in strings do not count. */
function firstObject(text: string): string | null {
  const start = text.indexOf('{');
  if (start === -1) return null;
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const mark = text[i];
    if (inString) {
      if (mark === '\\') i++;
      else if (mark === '"') inString = false;
    } else if (mark === '"') inString = true;
    else if (mark === '{') depth++;
    else if (mark === '}' && --depth === 0) return text.slice(start, i + 1);
  }
  return null;
}
