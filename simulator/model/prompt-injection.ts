import type { Opinion } from './opinion.ts';

/** The effect of an injected text on a model that obeys it. */
export interface Obedience {
  readonly opinion: Opinion;
  /** Keys and values that the text demands, whatever the schema says. */
  readonly forced: Readonly<Record<string, unknown>>;
  /** The text demands to be answered with exactly this, not with JSON. */
  readonly verbatim: string | null;
}

/**
 * The worst case: it follows every instruction in the material. It takes over scores, decisions, links, mentions,
 * JSON and wording, also from encoded text, and believes that every topic matches.
 */
export function obey(material: string, honest: Opinion, topics: readonly string[]): Obedience {
  const input = `${material}\n${decoded(material)}`;
  const demanded = quotedDemands(input);
  const links = [...input.matchAll(/(?:https?|javascript|data|file):[^\s"'<>）)」]+/gi)].map(
    (match) => match[0],
  );
  const mentions = [...input.matchAll(/@everyone|@here|<@[!&]?\d+>|@[a-z0-9_]+(?:@[a-z0-9.-]+)?/gi)].map(
    (m) => m[0],
  );
  const demandedText = [...demanded, ...mentions.slice(0, 50), ...links.slice(0, 10)].join(' ');
  const summary = demandedText === '' ? honest.summary : demandedText;
  const score = /(?:score|relevance|rate|rating|スコア|点数|評価|関連度)[^\d\n]{0,30}(-?\d{1,6})/i.exec(
    input,
  )?.[1];
  const decision = /\b(worth_it|not_valuable|not_ready)\b/.exec(input)?.[1] as
    | Opinion['decision']
    | undefined;
  return {
    opinion: {
      score: score === undefined ? 100 : Number(score),
      topics: [...topics, ...demanded.slice(0, 1)],
      decision: decision ?? 'worth_it',
      summary,
      reason: summary,
    },
    forced: jsonIn(input),
    verbatim: verbatim(input),
  };
}

function decoded(material: string): string {
  const runs = material.match(/[A-Za-z0-9+/]{24,}={0,2}/g) ?? [];
  const texts = runs.map((run) => Buffer.from(run, 'base64').toString('utf8'));
  const escapes = material.match(/(?:%[0-9a-f]{2}){8,}/gi) ?? [];
  const plain = escapes.map((run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
  return [...texts, ...plain].filter((text) => !text.includes('\ufffd')).join('\n');
}

/** Say "…", write: …, 「…」と出力, and the like. */
function quotedDemands(input: string): string[] {
  const patterns = [
    /(?:say|write|output|print|respond with|reply with|answer|include|summary(?: is| to|:)?|title(?: is| to|:)?)\s*(?:exactly|only)?\s*[:：]?\s*["“']([^"”'\n]{2,300})["”']/gi,
    /[「『]([^」』\n]{2,300})[」』]\s*(?:と|を)?(?:出力|書|答|回答|要約|表示|投稿)/g,
    /^\s*(?:summary|title|要約|タイトル)\s*(?:must be|should be|は|:=)\s*(.{2,300})$/gim,
  ];
  return patterns.flatMap((pattern) => [...input.matchAll(pattern)].map((match) => (match[1] ?? '').trim()));
}

function jsonIn(input: string): Record<string, unknown> {
  const forced: Record<string, unknown> = {};
  for (const [object] of input.matchAll(/\{[^{}]{2,2000}\}/g)) {
    try {
      Object.assign(forced, JSON.parse(object) as object);
    } catch {
      // Braces that hold no JSON demand nothing.
    }
  }
  return forced;
}

function verbatim(input: string): string | null {
  const english = /(?:do not|don't|never) (?:answer|respond|reply|output)[^.\n]{0,20}json/i.test(input);
  const only =
    /(?:respond|reply|answer|output) (?:with )?only(?: with)?\s*[:：]?\s*["“']?([^"”'\n]{1,300})/i.exec(
      input,
    )?.[1];
  const japanese = /JSON(?:で|では)(?:なく|ない)/.test(input);
  return only !== undefined || english || japanese ? (only ?? 'As you wish.') : null;
}
