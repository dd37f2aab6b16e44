import { isServiceName, SERVICES } from '../net/exchange.ts';
import { FAULT_KINDS, type FaultKind, type FaultRule } from '../net/fault.ts';

type Read = { readonly rule: FaultRule } | { readonly problem: string };

const NUMBERS = ['after', 'forMs', 'chance', 'ms', 'status', 'retryAfterMs'] as const;

/** A rule as another process sends it, or what is wrong with it. */
export function parseFaultRule(body: string): Read {
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
  if (!FAULT_KINDS.includes(value.how as FaultKind))
    return { problem: `how must be one of ${FAULT_KINDS.join(', ')}` };
  const wrong = NUMBERS.find((name) => value[name] !== undefined && !isCount(value[name]));
  if (wrong !== undefined) return { problem: `${wrong} must be a number that is not negative` };
  if (value.times !== undefined && value.times !== 'always' && !isCount(value.times)) {
    return { problem: "times must be a number or 'always'" };
  }
  if (value.match !== undefined && (typeof value.match !== 'object' || value.match === null)) {
    return { problem: 'match must be an object with method, path or body' };
  }
  return { rule: value as unknown as FaultRule };
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
