import { describe, expect, it } from 'vitest';
import { redactUrl } from './redact-url.ts';

describe('redactUrl', () => {
  it.each([
    ['https://example.com/feed.xml', 'https://example.com/feed.xml'],
    ['https://discord.com/api/webhooks/123456/aBcDeF-ghIJ_kl', 'https://discord.com/api/webhooks/123456/***'],
    [
      'https://discord.com/api/v10/webhooks/1/tok/messages/9',
      'https://discord.com/api/v10/webhooks/1/***/***/***',
    ],
    ['https://hooks.slack.com/services/T00/B00/XXXX', 'https://hooks.slack.com/services/T00/***/***'],
    ['https://api.telegram.org/bot123:ABC/send', 'https://api.telegram.org/***/send'],
    ['https://user:pass@example.com/a', 'https://example.com/a'],
    ['https://example.com/a?key=hush&page=2#frag', 'https://example.com/a?key=***&page=***'],
    ['https://example.com/a?AIzaSyD4hushhushhush1234', 'https://example.com/a?***=***'],
    ['https://example.com/private/9f8a7b6c5d4e3f2a1b0c/feed', 'https://example.com/private/***/feed'],
    [
      'https://example.com/2026/01/02/how-to-build-a-reader',
      'https://example.com/2026/01/02/how-to-build-a-reader',
    ],
    ['not a url hush', '(not a URL)'],
    ['data:text/plain,hush', 'data:***'],
  ])('X7 %s', (url, shown) => {
    expect(redactUrl(url)).toBe(shown);
  });
});
