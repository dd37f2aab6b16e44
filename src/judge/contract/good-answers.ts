import type { AskedQuestion, Reply } from './model-server.ts';

const JAPANESE =
  '配置の基準が四半世紀をこえて初めて変わり、受け持つ子どもの数が30人から25人に減る。新しい基準は来年4月に始まり、経過措置も設ける。必要な費用は来年度の予算に盛り込まれる。';
const ENGLISH =
  'The model fits into 200 kilobytes and says when it is not sure. Sixty devices will count owls this spring, and the code is free.';

/** A model that does what it is asked, for the articles of the contract. */
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
