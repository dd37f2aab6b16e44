import type { Answer, Model, Question } from '../model.ts';

/** A model in this process that says what it is told, and keeps count. */
export interface ScriptedModel extends Model {
  readonly questions: Question[];
}

export function scriptedModel(
  say: (question: Question, count: number) => Answer | Promise<Answer>,
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
      return say(question, questions.length);
    },
  };
}

export function said(value: unknown, inputTokens = 100, outputTokens = 20): Answer {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { outcome: 'answer', text, cutOff: false, usage: { calls: 1, inputTokens, outputTokens } };
}

export const GOOD_EVALUATION = {
  score: 80,
  topics: ['子育て支援'],
  summary:
    '受け持つ子どもの数が30人から25人に減り、来年4月に始まる。費用は来年度の予算に盛り込まれる見通しで、経過措置も設けられる。',
  reason: '関心の中心にある。',
};
