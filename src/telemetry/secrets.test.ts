import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MASK, maskSecrets, registerSecret } from './secrets.ts';

describe('X7 secrets in text', () => {
  it.each([
    ['https://discord.com/api/webhooks/123/AbCdEf-123_x?wait=true', 'AbCdEf-123_x'],
    ['POST http://127.0.0.1:4000/api/v10/webhooks/123/AbCdEf-123_x failed', 'AbCdEf-123_x'],
    ['Authorization: Bearer abcdef.123456', 'abcdef.123456'],
    ['"authorization":"Bot MTIz.abc.def-ghi"', 'MTIz.abc.def-ghi'],
    ['GET https://e.org/v1?key=12345&alt=json', '12345'],
    ['https://e.org/?a=1&access_token=tttt', 'tttt'],
    ['client_secret=verysecret', 'verysecret'],
    ['https://someone:pass-word@e.org/feed', 'pass-word'],
    ['Key AIzaSyA1234567890abcdefghijklmnopqrstuv', 'AIzaSyA'],
    ['sk-proj-abcdefghijklmnop1234', 'abcdefghijklmnop'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sig-na_ture', 'eyJzdWIiOiIxMjM0In0'],
  ])('X7 %s is masked by its shape', (text, secret) => {
    expect(maskSecrets(text)).not.toContain(secret);
    expect(maskSecrets(text)).toContain(MASK);
  });

  it('X7 a webhook keeps its ID, so that it can be identified', () => {
    expect(maskSecrets('https://discord.com/api/webhooks/987/AbCdEf-123')).toBe(
      `https://discord.com/api/webhooks/987/${MASK}`,
    );
  });

  it.each([
    'Read https://example.org/a?id=7&page=2: 12 items in 340 ms',
    'monkey=banana keyboard=us',
    'The bearer of good news spoke',
    'https://example.org/@author/post',
    'https://example.org:8080/a',
    '{"tokens":120,"key":"https://example.org/a#item=7"}',
  ])('%s is not masked', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it('X7 a registered value is masked verbatim, URL-encoded, in JSON and in Base64', () => {
    const value = 'pa"ss/wörd+1';
    const registration = registerSecret(value);
    const forms = [
      value,
      encodeURIComponent(value),
      JSON.stringify({ value }),
      `Basic ${Buffer.from(value).toString('base64')}`,
    ];
    for (const form of forms) expect(maskSecrets(`before ${form} after`)).not.toMatch(/ss.{1,3}w/);
    registration[Symbol.dispose]();
    expect(maskSecrets(value)).toBe(value);
  });

  it('X7 a value stays masked until every registration is disposed', () => {
    const [one, other] = [registerSecret('twice-told'), registerSecret('twice-told')];
    one[Symbol.dispose]();
    one[Symbol.dispose]();
    expect(maskSecrets('twice-told')).toBe(MASK);
    other[Symbol.dispose]();
    expect(maskSecrets('twice-told')).toBe('twice-told');
  });

  it('X7 of two overlapping values the longer is masked', () => {
    const registrations = [registerSecret('abcdef'), registerSecret('abcdefghijk')];
    expect(maskSecrets('abcdefghijk')).toBe(MASK);
    for (const registration of registrations) registration[Symbol.dispose]();
  });

  it('an empty or very short value masks nothing', () => {
    registerSecret('');
    registerSecret('on');
    expect(maskSecrets('it is on')).toBe('it is on');
  });

  it('X7 a registered value is masked in any context, and JSON stays valid', () => {
    const secret = fc
      .string({ unit: 'grapheme', minLength: 6, maxLength: 40 })
      .filter((s) => s.trim().length >= 6);
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        const registration = registerSecret(value);
        try {
          const line = JSON.stringify({ before, text: `${before}${value}${after}`, after });
          const masked = maskSecrets(line);
          const { text } = JSON.parse(masked) as { text: string };
          expect(text.length < value.trim().length || !text.includes(value.trim())).toBe(true);
        } finally {
          registration[Symbol.dispose]();
        }
      }),
      { numRuns: 1000 },
    );
  });
});
