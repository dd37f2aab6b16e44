import { interestsOf } from '../../src/judge/interests.ts';
import { labelledArticles, newsArticles } from '../../src/judge/local/labelled/quality.ts';
import { createLocalJudge } from '../../src/judge/local/local-judge.ts';
import { sentencesOf } from '../../src/judge/text-length.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { judgeAuc, mean, rouge, tfIdfAuc, topicSet } from './quality.ts';

const LANGUAGES = [
  ['en', 'English'],
  ['ja', 'Japanese'],
] as const;
/** A summary of an evaluation has at least this length (A3). */
const MIN_CHARACTERS = 50;
const round = (figure: number): number => Math.round(figure * 1000) / 1000;

/** Quality on the held-out halves: topics by their name alone, and summaries beside the beginning of the text. */
export async function byTopic({ log }: BenchOptions): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [language, name] of LANGUAGES) {
    const set = topicSet(language, 'held-out');
    const ours = await judgeAuc(set, (topic) => topic.name);
    const foreign = await judgeAuc(set, (topic) => topic.foreign);
    log([...ours].map(([topic, figure]) => `${topic} ${figure.toFixed(2)}`).join(', '));
    const peer = { name: 'TF-IDF with 8 aliases for each topic', value: round(mean(tfIdfAuc(set).values())) };
    const kinds = [
      ['the topic by its name', ours],
      ['the topic in the other language', foreign],
    ] as const;
    for (const [kind, figures] of kinds) {
      const figure = mean(figures.values());
      results.push(
        result({
          name: `local judge, ${name} titles, ${kind}`,
          ours: round(figure),
          unit: 'AUC',
          peer,
          goal: 'at least 0.9',
          met: figure >= 0.9,
        }),
      );
    }
    results.push(...(await summaries(language, name)));
  }
  return results;
}

async function summaries(language: 'en' | 'ja', name: string): Promise<Result[]> {
  const judge = createLocalJudge();
  const interests = interestsOf([{ topic: 'nothing in particular' }]);
  const joint = language === 'ja' ? '' : ' ';
  const style = { language, sentences: [3, 3] as const, characters: language === 'ja' ? 200 : 450 };
  const figures = { short: [], lead: [], styled: [], leads: [] } as Record<
    string,
    ReturnType<typeof rouge>[]
  >;
  const articles = [...newsArticles(language, 'held-back'), ...labelledArticles('held-back')];
  for (const { article, summary } of articles) {
    if (summary === null || article.language !== language) continue;
    const sentences = sentencesOf(article.text);
    const short = await judge.evaluate(article, interests);
    const styled = await judge.summarise(article, [], style);
    if (short.outcome !== 'judged' || styled.outcome !== 'judged') continue;
    figures.short?.push(rouge(short.value.summary, summary));
    figures.styled?.push(rouge(styled.value.text, summary));
    figures.lead?.push(rouge(leadOf(sentences, joint), summary));
    figures.leads?.push(rouge(sentences.slice(0, 3).join(joint), summary));
  }
  const of = (kind: string, measure: 'one' | 'longest'): number =>
    round(mean((figures[kind] ?? []).map((each) => each[measure])));
  const lines = [
    ['short summary', 'short', 'lead', `the first sentences up to ${MIN_CHARACTERS} characters`],
    ['summary of 3 sentences', 'styled', 'leads', 'the first 3 sentences'],
  ] as const;
  return lines.flatMap(([what, own, peer, peerName]) =>
    (['one', 'longest'] as const).map((measure) =>
      result({
        name: `local judge, ${name}, ${what}`,
        ours: of(own, measure),
        unit: measure === 'one' ? 'ROUGE-1' : 'ROUGE-L',
        peer: { name: peerName, value: of(peer, measure) },
        goal: 'not below the beginning of the text',
        met: of(own, measure) >= of(peer, measure),
      }),
    ),
  );
}

function leadOf(sentences: readonly string[], joint: string): string {
  let lead = '';
  for (const sentence of sentences) {
    lead += (lead === '' ? '' : joint) + sentence;
    if (lead.length >= MIN_CHARACTERS) break;
  }
  return lead;
}
