import { readAllowEntry } from '../../reading/http/address-policy.ts';
import { section } from './section.ts';
import { duration, list, size, text, whole } from './values.ts';

const allowed = text('an address to allow').superRefine((written, context) => {
  try {
    readAllowEntry(written);
  } catch (error) {
    context.addIssue({
      code: 'custom',
      message: error instanceof Error ? error.message : 'cannot be understood',
    });
  }
});

/** How the program behaves towards other people's servers. */
export const network = section({
  allow: list(allowed, 'addresses, ranges or names')
    .prefault([])
    .describe(
      'Private addresses, ranges or names, each with a port or without, that may be read all the same. Everything inside is closed unless it is named here.',
    ),
  contact: text('an address or e-mail address')
    .exactOptional()
    .describe('Where the owner of a site can reach you; part of the User-Agent.'),
  timeout: duration(1000, 600_000).prefault('20s').describe('Longest time for one answer.'),
  connect_timeout: duration(100, 600_000).prefault('10s').describe('Longest time for a connection.'),
  max_redirects: whole(0, 20).default(5).describe('How many redirections are followed.'),
  max_feed: size(1024).prefault('10MB').describe('Largest feed, after decompression.'),
  max_page: size(1024).prefault('5MB').describe('Largest article page, after decompression.'),
  requests_per_host: whole(1, 100).default(2).describe('Requests to one host at a time.'),
  host_spacing: duration(0, 3_600_000)
    .prefault('1s')
    .describe('Least time between two requests to one host.'),
  concurrency: whole(1, 1000).default(16).describe('Requests to the outside at a time.'),
});
