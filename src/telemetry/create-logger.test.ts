import { describe, expect, it } from 'vitest';
import { createLogger, type LoggerOptions } from './create-logger.ts';
import { createEvents } from './events.ts';
import { silentMetrics } from './metrics.ts';
import { MASK, registerSecret } from './secrets.ts';

function capture(options: Omit<LoggerOptions, 'output'> = {}, isTTY = false) {
  const lines: string[] = [];
  const logger = createLogger({ ...options, output: { write: (line) => lines.push(line), isTTY } });
  return { logger, lines, record: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

describe('X15 the logger', () => {
  it('X15 writes one JSON object a line if it is piped', () => {
    const { logger, lines, record } = capture();
    logger.info('Run finished', { pipeline: 'morning', posted: 5 });
    expect(lines[0]?.endsWith('\n')).toBe(true);
    expect(record()).toMatchObject({
      level: 'info',
      message: 'Run finished',
      pipeline: 'morning',
      posted: 5,
    });
    expect(Number.isNaN(Date.parse(String(record().time)))).toBe(false);
  });

  it('X15 writes readable lines on a terminal, without control characters', () => {
    const { logger, lines } = capture({ colour: true }, true);
    const plain = capture({ colour: false }, true);
    logger.warn('Failed to read source', { source: 'a feed', ms: 12 });
    plain.logger.info('one\n\u001B[2Jtwo', { error: new Error('three\nfour') });
    expect(lines[0]).toContain('\u001B[');
    expect(plain.lines[0]).toMatch(/^\d\d:\d\d:\d\d info {2}one \[2Jtwo {2}error=Error: three four\n$/);
  });

  it('X15 respects its level', () => {
    const { logger, lines, record } = capture({ level: 'warn' });
    logger.debug('no');
    logger.info('no');
    logger.error('yes');
    expect(lines).toHaveLength(1);
    expect(record()).toMatchObject({ message: 'yes' });
    const silent = capture({ level: 'silent' });
    silent.logger.error('no');
    expect(silent.lines).toEqual([]);
  });

  it('X15 X24 no field overwrites a key of the line, and no key is duplicated', () => {
    const { logger, lines, record } = capture();
    const reserved = ['message', 'level', 'time', 'trace_id', 'span_id', 'msg', 'pid', 'hostname'];
    const fields = Object.fromEntries(reserved.map((name) => [name, `my ${name}`]));
    logger.warn('sentence', fields);
    expect(record()).toMatchObject({ message: 'sentence', level: 'warn', pid: 'my pid' });
    expect(record()).toMatchObject({ field_message: 'my message', field_level: 'my level' });
    expect(record()).toMatchObject({ field_time: 'my time', field_trace_id: 'my trace_id' });
    const keys = [...(lines[0] ?? '').matchAll(/[{,]"(\w+)":/g)].map(([, key]) => key);
    expect(keys).toHaveLength(new Set(keys).size);
    expect(keys).toHaveLength(Object.keys(record()).length);
  });

  it('X15 X24 the line of a delivery names the message that it is about', () => {
    const { logger, lines, record } = capture();
    const events = createEvents(logger, silentMetrics);
    const delivery = { pipeline: 'p', destination: 'discord', messageId: 'm-1' };
    events.deliverySent({ ...delivery, remoteId: '9', ms: 1 });
    expect(record()).toMatchObject({ message: 'Message sent', messageId: 'm-1' });
    events.deliveryFailed({ ...delivery, outcome: 'unknown', detail: 'reset' });
    expect(record()).toMatchObject({ message: 'Message not sent', messageId: 'm-1' });
    events.deliveryParked({ ...delivery, detail: 'reset' });
    expect(record()).toMatchObject({ messageId: 'm-1' });
    for (const line of lines) expect(line.match(/"message":/g)).toHaveLength(1);
  });

  it('X15 logs an error with its fields and causes', () => {
    const { logger, record } = capture();
    const cause = Object.assign(new TypeError('no route'), { code: 'EHOSTUNREACH' });
    logger.error('Failed', { error: new Error('could not read', { cause }) });
    expect(record().error).toMatchObject({
      name: 'Error',
      message: 'could not read',
      cause: { name: 'TypeError', message: 'no route', code: 'EHOSTUNREACH' },
    });
  });

  it('handles values that JSON cannot represent', () => {
    const { logger, record } = capture();
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    logger.info('odd', { loop, big: 10n, bytes: new Uint8Array(4), set: new Set([1]), none: undefined });
    expect(record()).toMatchObject({ big: '10', bytes: '4 bytes', set: [1] });
  });

  it('X7 masks registered secrets, shapes and fields by name, in messages, fields, errors and causes', () => {
    const secret = 'canary-9f8e7d6c';
    const registration = registerSecret(secret);
    const { logger, lines } = capture();
    logger.info(`key is ${secret}`);
    logger.info('fields', {
      deep: { list: [secret] },
      headers: { authorization: secret, cookie: 'crumbs-1234' },
    });
    logger.error('error', { error: new Error(secret, { cause: new Error(`GET /?key=${secret}`) }) });
    logger.warn('https://discord.com/api/webhooks/1/hook-secret', { token: 'short' });
    const all = lines.join('');
    registration[Symbol.dispose]();
    for (const word of [secret, 'crumbs-1234', '"short"', 'hook-secret']) expect(all).not.toContain(word);
    expect(all).toContain(MASK);
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });
});
