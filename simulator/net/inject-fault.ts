import type { ServerResponse } from 'node:http';
import { systemClock } from '../../src/time/clock.ts';
import type { Reply, Service } from './exchange.ts';
import type { FaultRule } from './fault.ts';
import { send } from './send.ts';

/** Answers one request with the fault of the rule. */
export async function spoil(
  rule: FaultRule,
  service: Service,
  apply: () => Promise<Reply>,
  out: ServerResponse,
  now: number,
  closing: AbortSignal,
): Promise<void> {
  switch (rule.how) {
    case 'reset':
      return hangUp(out);
    case 'lost_reply':
      await apply();
      return hangUp(out);
    case 'half_open':
      if (rule.applied) await apply();
      return;
    case 'status':
      return send(out, errorReply(rule, service, rule.status ?? 500, now));
    case 'rate_limit':
      return send(out, errorReply({ retryAfterMs: 1000, ...rule }, service, 429, now));
    case 'slow': {
      const reply = await apply();
      await systemClock.sleep(rule.ms ?? 1000, closing);
      return send(out, reply);
    }
    case 'garbage': {
      const reply = await apply();
      return send(out, {
        ...reply,
        status: 200,
        body: Buffer.from([0x7b, 0x00, 0xff, 0xfe, 0x3c, 0x9f, 0x22]),
      });
    }
    case 'html':
      await apply();
      return send(out, {
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: '<!doctype html><title>Just a moment</title><p>Checking that the connection is secure.</p>',
      });
    case 'wrong':
      await apply();
      return send(out, {
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: '{"ok":true,"data":[]}',
      });
    case 'cut':
    case 'stall':
      return half(out, await apply(), rule.how);
    case 'drip':
      return drip(out, await apply(), rule.ms ?? 100, closing);
  }
}

function errorReply(rule: FaultRule, service: Service, status: number, now: number): Reply {
  const own = service.errorReply(status, rule.retryAfterMs, now);
  return {
    ...own,
    headers: { ...own.headers, ...rule.headers },
    ...(rule.body === undefined ? {} : { body: rule.body }),
  };
}

/** A reset, not a clean end: the client cannot take it for a response. */
function hangUp(out: ServerResponse): void {
  out.socket?.resetAndDestroy();
}

function half(out: ServerResponse, reply: Reply, how: 'cut' | 'stall'): void {
  const whole = Buffer.from(reply.body ?? '');
  out.writeHead(reply.status, { ...reply.headers, 'content-length': String(whole.length + 1) });
  out.write(whole.subarray(0, Math.floor(whole.length / 2)), () => {
    if (how === 'cut') out.socket?.destroy();
  });
}

async function drip(out: ServerResponse, reply: Reply, ms: number, closing: AbortSignal): Promise<void> {
  const whole = Buffer.from(reply.body ?? '');
  out.writeHead(reply.status, { ...reply.headers, 'content-length': String(whole.length) });
  const piece = Math.max(1, Math.ceil(whole.length / 10));
  for (let at = 0; at < whole.length && !out.destroyed; at += piece) {
    out.write(whole.subarray(at, at + piece));
    await systemClock.sleep(ms, closing);
  }
  out.end();
}
