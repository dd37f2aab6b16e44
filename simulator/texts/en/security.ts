import type { TopicTexts } from '../topic.ts';

export const security: TopicTexts = {
  name: 'Security',
  stories: [
    {
      title: 'Critical vulnerability in {project} mail server lets anyone read queued mail',
      lead: [
        'A missing check in the {project} mail server lets an unauthenticated attacker read messages that wait in the queue.',
        'The vulnerability affects all versions of the last {n:2-6} years; a fixed version has been available since Monday.',
        'Administrators who cannot update should close the management port at once.',
      ],
    },
    {
      title: 'Malicious package imitated a date library and stole tokens',
      lead: [
        'A package with a name one letter away from a popular date library was downloaded {n:2-9},000 times before it was removed.',
        'Its install script searched for access tokens and sent them to a server that had been registered the same day.',
        'Anyone who installed it should revoke their tokens, the registry\u2019s security team says.',
      ],
    },
    {
      title: 'Server-side request forgery in {company} preview service exposed cloud keys',
      lead: [
        'The link preview of {company} fetched any address that users typed, including the metadata address of its cloud.',
        'Researcher {name} used a redirect to get around the first fix and DNS rebinding to get around the second.',
        'The third fix checks every resolved address and pins it for the connection.',
      ],
    },
    {
      title: 'Ransomware at {city} hospital: attackers came through a forgotten VPN account',
      lead: [
        'The account of a contractor who had left {n:2-5} years ago gave attackers access to the hospital of {city}.',
        'Operations were postponed for {n:3-12} days while systems were rebuilt from offline backups.',
        'No ransom was paid, the hospital\u2019s security officer said, because the backups could be restored.',
      ],
    },
    {
      title: 'Passkeys at {company}: phishing reports fall by {n:60-97} percent',
      lead: [
        'After {company} made passkeys the default sign-in, successful phishing attacks fell by {n:60-97} percent within a year.',
        'Support calls about lost devices rose at first and then returned to the old level.',
        'Passwords remain possible for {n:2-6} percent of accounts whose devices are too old.',
      ],
    },
  ],
  background: [
    'Most attacks use vulnerabilities for which a patch has long been available.',
    'Security experts recommend to install updates within days, not within months.',
    'Two-factor authentication stops many attacks, but not those on the server itself.',
    'Logs help only when somebody reads them before the attackers delete them.',
    'A secret that once stood in a log file must be treated as stolen.',
    'Responsible disclosure gives makers time to repair a flaw before the exploit is known to everybody.',
  ],
};
