import { isServiceName, SERVICES } from '../net/exchange.ts';
import { MISDEEDS, type Misbehaviour, type Misdeed } from '../net/fault.ts';

type Read = { readonly rule: Misbehaviour } | { readonly problem: string };

const NUMBERS = ['after', 'forMs', 'chance', 'ms', 'status', 'retryAfterMs'] as const;

/** A rule as another process sends it, or what is wrong with it. */
export function readMisbehaviour(body: string): Read {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(body) as Record<string, unknown>;
  } catch {
    return { problem: 'the body is not JSON' };
  }
  if (typeof value !== 'object' || value === null) return { problem: 'the body must be an object' };
  if (typeof value.service !== 'string' || !isServiceName(value.service)) {
    return { problem: `service must be one of ${SERVICES.join(', ')}` };
  }
  if (!MISDEEDS.includes(value.how as Misdeed))
    return { problem: `how must be one of ${MISDEEDS.join(', ')}` };
  const wrong = NUMBERS.find((name) => value[name] !== undefined && !isCount(value[name]));
  if (wrong !== undefined) return { problem: `${wrong} must be a number that is not negative` };
  if (value.times !== undefined && value.times !== 'always' && !isCount(value.times)) {
    return { problem: "times must be a number or 'always'" };
  }
  if (value.match !== undefined && (typeof value.match !== 'object' || value.match === null)) {
    return { problem: 'match must be an object with method, path or body' };
  }
  return { rule: value as unknown as Misbehaviour };
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
