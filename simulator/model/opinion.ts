import { wordsFor } from './lexicon.ts';
import type { Interest, Reading } from './prompt.ts';

/** What the model thinks of the material. */
export interface Opinion {
  readonly score: number;
  readonly topics: readonly string[];
  readonly decision: 'worth_it' | 'not_valuable' | 'not_ready';
  readonly summary: string;
  readonly reason: string;
}

/** An honest and simple reader: it counts words. The same prompt gives the same opinion. */
export function opinionOn(reading: Reading, topics: readonly string[]): Opinion {
  const interests =
    reading.interests.length > 0 ? reading.interests : topics.map((topic) => ({ topic, aliases: [] }));
  const weighed = interests.map((interest) => ({ interest, hits: hits(interest, reading) }));
  const matching = weighed.filter(({ hits }) => hits >= 2).sort((a, b) => b.hits - a.hits);
  const most = matching[0]?.hits ?? 0;
  const score = most === 0 ? 8 : Math.min(98, 52 + most * 6);
  const names = matching.map(({ interest }) => interest.topic);
  return {
    score,
    topics: names,
    decision: decide(reading.material),
    summary: summarise(reading),
    reason: names.length > 0 ? `It is about ${names.join(', ')}.` : 'It matches none of the interests.',
  };
}

function hits(interest: Interest, reading: Reading): number {
  const text = ` ${reading.material.toLowerCase()} `;
  const title = ` ${reading.title.toLowerCase()} `;
  let found = 0;
  for (const word of wordsFor(interest.topic, interest.aliases)) {
    found += Math.min(3, text.split(word).length - 1) + 2 * (title.split(word).length - 1);
  }
  return found;
}

function decide(material: string): Opinion['decision'] {
  if (
    /後日(?:掲載|公表)|準備ができ次第|追って掲載|will be published later|to be published|documents will follow/i.test(
      material,
    )
  ) {
    return 'not_ready';
  }
  const text = material.replace(/^\s*(?:url|title|lang\w*)\s*[:：].*$/gim, '').trim();
  return /官報掲載|人事異動|site maintenance/i.test(material) || text.length < 80
    ? 'not_valuable'
    : 'worth_it';
}

const MAX_SUMMARY_LENGTH = 200;

/** Long sentences, each cut after a word so that all of them fit. */
function cutSentences(sentences: readonly string[], maxLength: number): string {
  const each = Math.floor(maxLength / sentences.length) - 1;
  return sentences
    .map((sentence) =>
      sentence.length <= each ? sentence : `${sentence.slice(0, each - 1).replace(/[\s,;:]+\S*$/, '')}.`,
    )
    .join(' ');
}

/** The first sentences that do not repeat the title: as many as the prompt asks for, and as long as it allows. */
function summarise(reading: Reading): string {
  const body = reading.material.replace(/^\s*(?:url|title|headline|language|lang|byline)\s*[:：].*$/gim, '');
  const lines = body
    .split(/(?<=[。！？])|(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 12 && !sentence.includes(reading.title || '\n'));
  // A byline is no sentence.
  const whole = lines.filter((line) => /[.!?。！？]$/.test(line));
  const sentences = whole.length > 0 ? whole : lines;
  const [, least = '1', most = '9'] = /(\d+) to (\d+) sentences/.exec(reading.instructions) ?? [];
  const asked = /about (\d+) characters/.exec(reading.instructions)?.[1];
  const maxLength = asked === undefined ? MAX_SUMMARY_LENGTH : Number(asked) * 1.5;
  let summary = '';
  let count = 0;
  for (const sentence of [...new Set(sentences)]) {
    const next = summary === '' ? sentence : `${summary}${/[。！？]$/.test(summary) ? '' : ' '}${sentence}`;
    if (count >= Number(most) || (next.length > maxLength && count >= Number(least))) break;
    if (next.length > maxLength && count > 0) continue;
    summary = next;
    count++;
  }
  if (count < Number(least)) summary = cutSentences(sentences.slice(0, Number(least)), maxLength) || summary;
  return (
    summary.slice(0, asked === undefined ? MAX_SUMMARY_LENGTH : undefined) ||
    reading.title.slice(0, MAX_SUMMARY_LENGTH)
  );
}
