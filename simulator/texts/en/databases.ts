import type { TopicTexts } from '../topic.ts';

export const databases: TopicTexts = {
  name: 'Databases',
  stories: [
    {
      title: 'SQLite in production: what {company} learned from {n:20-90} million rows',
      lead: [
        '{company} moved its order history from a database cluster to a single SQLite file two years ago, and this week it published what happened.',
        'With write-ahead logging switched on and transactions kept short, the median query takes under a millisecond at {n:20-90} million rows.',
        'The team says that the hard part was not speed but backups, and that they now restore one copy every night to be sure it works.',
      ],
    },
    {
      title: 'PostgreSQL index advice that cut query time by {n:40-95} percent',
      lead: [
        'A covering index on two columns turned a sequential scan into an index-only scan and removed {n:40-95} percent of the query time, according to a write-up by {name}.',
        'The query plan before and after is shown in full, with the buffers that each step had to read.',
        'The author warns that every index also makes each write slower, and that three unused ones were dropped in the same change.',
      ],
    },
    {
      title: 'A field guide to schema migrations without downtime, by {name}',
      lead: [
        'Adding a column is easy; renaming one while old and new versions of a program run side by side is not.',
        '{name} describes a sequence of expand, backfill and contract steps that {company} has used for {n:30-400} schema migrations.',
        'Each migration is numbered, runs inside a transaction where the database allows it, and refuses to start on a newer schema.',
      ],
    },
    {
      title: '{company} open-sources a replication checker for PostgreSQL and SQLite',
      lead: [
        'The tool reads two copies of a database, hashes rows in key order and reports the first range in which they differ.',
        'Engineers at {company} built it after a replica silently lost {n:12-80} rows during a failover.',
        'It needs no extension and reads at a limited rate, so that it can run beside production traffic.',
      ],
    },
    {
      title: 'Why our key-value store lost a write: an incident report from {company}',
      lead: [
        'A storage engine that acknowledged before flushing to disk lost {n:2-19} writes when a rack in {city} lost power.',
        'The report follows one transaction from the client through the log to the page cache, where it stayed.',
        'Since then the database waits for the flush by default, and a test pulls the plug {n:100-900} times before each release.',
      ],
    },
  ],
  background: [
    'Backups that nobody has ever restored are hopes, as every database administrator knows.',
    'Transactions that stay open while a program waits for the network hold locks that everybody else needs.',
    'Most surprises in production come from a query planner that expected ten rows and met a million.',
    'A database that acknowledges a write before it is on disk is fast until the power fails.',
    'Connection pools only move the queue: on each core the database still does one thing at a time.',
    'Numbers like these depend on the data, so engineers are advised to measure their own queries first.',
    'SQL has outlived every technology that was going to replace it, and schemas outlive the programs around them.',
  ],
};
