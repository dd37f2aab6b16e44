import type { ArticleText, Judgement } from '../judge.ts';
import type { Answer, Model, Question } from '../model.ts';
import type { AskedQuestion, Reply } from './model-server.ts';

export const JAPANESE_ARTICLE: ArticleText = {
  url: 'https://example.jp/kosodate',
  title: '保育士の配置基準を75年ぶりに見直し、こども家庭庁',
  text: [
    'こども家庭庁は10日、保育所で働く保育士の配置基準を改める方針を示した。',
    '4歳児と5歳児では、保育士1人が受け持つ子どもの数を30人から25人に減らす。',
    '基準が変わるのは制度ができて以来およそ75年ぶりで、子育て支援の質を高める狙いがある。',
    '新しい基準は来年4月に始まり、人手が足りない園には経過措置を設ける。',
    '必要な費用は来年度の予算に盛り込み、保育士の給与の引き上げもあわせて検討する。',
    '現場からは、保育の質が上がると歓迎する声と、採用が追いつかないと心配する声の両方が出ている。',
  ].join('\n'),
  language: 'ja',
};

export const ENGLISH_ARTICLE: ArticleText = {
  url: 'https://example.com/birds',
  title: 'A pocket listener that knows two hundred birds',
  text: [
    'A small laboratory in Tartu has trained a machine learning model that names birds by their song.',
    'The model fits into 200 kilobytes and runs for a year on one battery.',
    'It was trained on a public dataset of forty thousand recordings made by volunteers.',
    'Where two species sing alike, the neural network says that it is not sure instead of guessing.',
    'The team has published the weights, the training code and the drawings of the case.',
    'Park rangers will hang sixty of the devices in a forest this spring to count owls.',
  ].join(' '),
  language: 'en',
};

export const PAGE_WITHOUT_MATERIALS: ArticleText = {
  url: 'https://example.jp/kaigi/3',
  title: '第3回 地域交通のあり方に関する検討会',
  text: '日時：令和8年2月3日（火）10時から12時まで\n場所：オンライン\n配付資料は後日掲載します。\n議事録は準備ができ次第、公表します。',
  language: 'ja',
};

const JAPANESE =
  '配置の基準が四半世紀をこえて初めて変わり、受け持つ子どもの数が30人から25人に減る。新しい基準は来年4月に始まり、経過措置も設ける。必要な費用は来年度の予算に盛り込まれる。';
const ENGLISH =
  'The model fits into 200 kilobytes and says when it is not sure. Sixty devices will count owls this spring, and the code is free.';

/** A model with correct answers for the articles of the contract. */
export function goodAnswer(question: AskedQuestion): Reply {
  const japanese = /[ぁ-ん]/.test(question.data);
  if (question.instructions.includes('"decision"')) {
    const ready = question.data.length > 400 || question.files.length > 0;
    return json({
      decision: ready ? 'worth_it' : 'not_ready',
      reason: japanese ? '本文の有無による。' : 'By its text.',
    });
  }
  if (question.instructions.includes('"score"')) {
    return json({
      score: 84,
      topics: [japanese ? '子育て支援' : 'machine learning'],
      summary: japanese ? JAPANESE : ENGLISH,
      reason: japanese ? '関心の中心にある。' : 'It is about the topic.',
    });
  }
  return json({ summary: JAPANESE });
}

export function json(value: unknown): Reply {
  return { kind: 'text', text: JSON.stringify(value) };
}

/** A model in this process with scripted answers, which counts the questions. */
export interface ScriptedModel extends Model {
  readonly questions: Question[];
}

export function scriptedModel(
  respond: (question: Question, count: number) => Answer | Promise<Answer>,
  abilities: Partial<Pick<Model, 'takesPdf' | 'contextTokens'>> = {},
): ScriptedModel {
  const questions: Question[] = [];
  return {
    id: 'gemini',
    name: 'scripted',
    takesPdf: false,
    contextTokens: 32_000,
    ...abilities,
    questions,
    async ask(question, signal) {
      signal?.throwIfAborted();
      questions.push(question);
      return respond(question, questions.length);
    },
  };
}

export function answerWith(value: unknown, inputTokens = 100, outputTokens = 20): Answer {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { outcome: 'answer', text, cutOff: false, usage: { calls: 1, inputTokens, outputTokens } };
}

/** The value of a verdict; any other outcome fails the test. */
export function judged<T>(judgement: Judgement<T>): T {
  if (judgement.outcome !== 'judged') throw new Error(`expected a verdict, got ${JSON.stringify(judgement)}`);
  return judgement.value;
}
