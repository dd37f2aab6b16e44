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

/** An answer that was cut off is asked for once more with so many times its limit, and never with more than the bound. */
const GROWTH = 4;
export const MAX_OUTPUT_TOKENS = 65_536;

/**
 * Asks, checks the answer, asks once more with what was wrong, and then puts it off (A3, X8). An answer that ended at the output
 * limit is asked for once more with a larger one: three calls at most.
 */
export async function ask<T>(
  settings: AskSettings & { readonly promptVersion: string },
  form: AnswerForm<T>,
  question: Pick<Question, 'instructions' | 'data' | 'files'>,
  signal: AbortSignal | undefined,
): Promise<Judgement<T>> {
  const startedAt = settings.clock.monotonic();
  const { model } = settings;
  const bound = Math.max(settings.maxOutputTokens, Math.min(MAX_OUTPUT_TOKENS, model.contextTokens / 2));
  let maxOutputTokens = settings.maxOutputTokens;
  let used = NOTHING;
  let problems: readonly string[] = [];
  for (let grown = false, corrected = false; ; ) {
    signal?.throwIfAborted();
    const instructions =
      problems.length === 0
        ? question.instructions
        : `${question.instructions}\n\n${settings.prompts.fill('again', { problems: listed(problems) })}`;
    const answer = await model.ask(
      { ...question, instructions, schema: form.schema, schemaName: form.name, maxOutputTokens },
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
      const { id, name } = model;
      return {
        outcome: 'judged',
        value: checked.value,
        by: { judge: id, model: name, promptVersion: settings.promptVersion, provisional: false, usage },
      };
    }
    const silent = answer.cutOff && answer.text.trim() === '';
    if (silent && (grown || maxOutputTokens >= bound)) {
      const thinking = answer.reasoningTokens ? ` (${answer.reasoningTokens} of them for reasoning)` : '';
      const detail = `${model.name} used ${answer.usage.outputTokens} output tokens${thinking} and answered nothing. Raise max_output_tokens, or lower reasoning`;
      return { outcome: 'later', why: 'output_limit', detail, usage };
    }
    if (!silent && (corrected || (answer.cutOff && grown))) {
      const detail = `${model.name} gave no usable answer twice: ${checked.problems.join('; ')}`;
      return { outcome: 'later', why: 'bad_answer', detail, usage };
    }
    // A model that only reasoned was not wrong: it needs room, not advice.
    problems = silent ? [] : checked.problems;
    if (answer.cutOff) {
      grown = true;
      maxOutputTokens = Math.round(Math.max(maxOutputTokens, Math.min(maxOutputTokens * GROWTH, bound)));
    }
    if (!silent) corrected = true;
  }
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
