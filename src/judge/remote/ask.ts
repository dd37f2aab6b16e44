import type { Clock } from '../../time/clock.ts';
import type { AnswerForm } from '../answers.ts';
import { readJson } from '../json-answer.ts';
import type { Judgement, Usage } from '../judge.ts';
import type { CallUsage, Model, Question } from '../model.ts';
import type { Price } from '../price.ts';
import { costOf } from '../price.ts';
import type { Prompts } from '../prompts.ts';

export interface AskSettings {
  readonly model: Model;
  readonly prompts: Prompts;
  readonly clock: Clock;
  readonly price: Price | null;
  readonly maxOutputTokens: number;
}

const NOTHING: CallUsage = { calls: 0, inputTokens: 0, outputTokens: 0 };

/** Asks, checks the answer, asks once more with what was wrong, and then puts it off (A3, X8). */
export async function ask<T>(
  settings: AskSettings & { readonly promptVersion: string },
  form: AnswerForm<T>,
  question: Pick<Question, 'instructions' | 'data' | 'files'>,
  signal: AbortSignal | undefined,
): Promise<Judgement<T>> {
  const startedAt = settings.clock.monotonic();
  let used = NOTHING;
  let problems: readonly string[] = [];
  for (let attempt = 1; attempt <= 2; attempt++) {
    signal?.throwIfAborted();
    const instructions =
      attempt === 1
        ? question.instructions
        : `${question.instructions}\n\n${settings.prompts.fill('again', { problems: listed(problems) })}`;
    const answer = await settings.model.ask(
      {
        ...question,
        instructions,
        schema: form.schema,
        schemaName: form.name,
        maxOutputTokens: settings.maxOutputTokens * attempt,
      },
      signal,
    );
    if (answer.usage !== null) used = add(used, answer.usage);
    const usage = usageOf(used, settings, settings.clock.monotonic() - startedAt);
    if (answer.outcome === 'later') {
      const { outcome, why, detail } = answer;
      const retryAt = answer.retryAt === undefined ? {} : { retryAt: answer.retryAt };
      return { outcome, why, detail, ...retryAt, usage };
    }
    if (answer.outcome === 'unfit')
      return { outcome: 'unfit', why: answer.why, detail: answer.detail, usage };
    const json = readJson(answer.text, answer.cutOff);
    const checked = json.ok ? form.check(json.value) : { ok: false as const, problems: [json.problem] };
    if (checked.ok) {
      const { id, name } = settings.model;
      return {
        outcome: 'judged',
        value: checked.value,
        by: { judge: id, model: name, promptVersion: settings.promptVersion, provisional: false, usage },
      };
    }
    problems = checked.problems;
  }
  return {
    outcome: 'later',
    why: 'bad_answer',
    detail: `${settings.model.name} gave no usable answer twice: ${problems.join('; ')}`,
    usage: usageOf(used, settings, settings.clock.monotonic() - startedAt),
  };
}

function usageOf(used: CallUsage, settings: AskSettings, ms: number): Usage {
  return { ...used, microUsd: costOf(used, settings.price), ms: Math.round(ms) };
}

function add(a: CallUsage, b: CallUsage): CallUsage {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}

function listed(problems: readonly string[]): string {
  return problems.map((problem) => `- ${problem}`).join('\n');
}
