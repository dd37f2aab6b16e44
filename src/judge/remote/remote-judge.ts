import { DETAIL_TEXTS } from '../../item/detail-texts.ts';
import type { Clock } from '../../time/clock.ts';
import {
  type AnswerForm,
  evaluationForm,
  notesForm,
  parseJsonAnswer,
  screeningForm,
  summaryForm,
} from '../answers.ts';
import { costOf, type Price } from '../budget/budget.ts';
import type { ArticleText, Document, Examples, Interests, Judge, Judgement, Usage } from '../judge.ts';
import type { CallUsage, Model, Question, QuestionFile } from '../model.ts';
import type { Prompts } from '../prompts.ts';
import { cutToTokens, estimateTokens, partsByTokens } from '../text-length.ts';
import { createFence, type FenceNames } from '../untrusted-text.ts';

export interface RemoteJudgeOptions extends AskSettings {
  readonly model: Model;
  readonly prompts: Prompts;
  /** Maximum tokens of a text in one question: a longer one is cut at the end of a sentence, or read in parts. */
  readonly maxInputTokens: number;
  /** Maximum number of parts; the rest of a longer text is not read. */
  readonly maxParts: number;
  readonly fenceNames?: FenceNames;
}

/** Tokens of the context reserved for the instructions and the answer. */
const PROMPT_RESERVE_TOKENS = 2000;
/** Tokens of examples of reactions, and their largest share of the text of a question. */
const MAX_EXAMPLE_TOKENS = 800;
const MAX_EXAMPLE_SHARE = 0.25;

/** A judge that asks a model: fences the input, validates the answer, retries once with a correction, then postpones. */
export function createRemoteJudge(options: RemoteJudgeOptions): Judge {
  const { model, prompts } = options;
  const reserved = Math.max(PROMPT_RESERVE_TOKENS, PROMPT_RESERVE_TOKENS / 2 + options.maxOutputTokens);
  const most = Math.max(500, Math.min(options.maxInputTokens, model.contextTokens - reserved));

  const fenced = (sections: readonly { label: string; text: string }[]) => {
    const fence = createFence(
      sections.map(({ text }) => text),
      options.fenceNames,
    );
    return { name: fence.name, data: fence.enclose(sections) };
  };

  const answer = <T>(
    prompt: 'evaluate' | 'screen' | 'summarise',
    form: AnswerForm<T>,
    sections: readonly { label: string; text: string }[],
    files: readonly QuestionFile[],
    values: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
    addition: string | null = null,
  ): Promise<Judgement<T>> => {
    const { name, data } = fenced(sections);
    const own = prompts.fill(prompt, { ...values, fence: name });
    const instructions = addition === null ? own : `${own}\n\n${addition}`;
    return askValidated(
      { ...options, promptVersion: prompts.version(prompt) },
      form,
      { instructions, data, files },
      signal,
    );
  };

  return {
    id: model.id,
    abilities: { takesPdf: model.takesPdf },

    async evaluate(article, interests, signal) {
      signal?.throwIfAborted();
      if (article.text.trim() === '' && article.title.trim() === '') return emptyText();
      const examples = exampleSections(
        interests.examples,
        Math.min(MAX_EXAMPLE_TOKENS, most * MAX_EXAMPLE_SHARE),
      );
      const { text } = cutToTokens(article.text, most - examples.tokens);
      const judgement = await answer(
        'evaluate',
        evaluationForm(interests, article.title),
        [...articleSections(article, text), ...examples.sections],
        [],
        { interests: interestList(interests) },
        signal,
        examples.count === 0 ? null : prompts.fill('examples', {}),
      );
      if (judgement.outcome !== 'judged' || examples.count === 0) return judgement;
      return { ...judgement, by: { ...judgement.by, examples: examples.count } };
    },

    async screen(page, documents, signal) {
      signal?.throwIfAborted();
      const reading = modelInputOf(page, documents, model.takesPdf);
      if (reading.empty) return emptyText();
      const sections = articleSections(page, cutToTokens(page.text, most / 2).text);
      const share = most / 2 / Math.max(1, reading.texts.length);
      for (const { label, text } of reading.texts)
        sections.push({ label, text: cutToTokens(text, share).text });
      return answer('screen', screeningForm(), sections, reading.files, {}, signal);
    },

    async summarise(page, documents, style, signal) {
      signal?.throwIfAborted();
      const reading = modelInputOf(page, documents, model.takesPdf);
      if (reading.tooLarge !== null) return { outcome: 'unfit', why: 'too_large', detail: reading.tooLarge };
      if (reading.empty) return emptyText();
      const notes = await notesOnParts(
        [{ label: 'PAGE', text: page.text }, ...reading.texts],
        most,
        options.maxParts,
        (section) => {
          const characters = style.characters * 2;
          const { name, data } = fenced([section]);
          const values = { fence: name, characters: String(characters), language: style.language };
          const instructions = prompts.fill('summarise-part', values);
          const version = prompts.version('summarise');
          return { settings: { ...options, promptVersion: version }, characters, instructions, data };
        },
        signal,
      );
      if (notes.outcome !== 'ready') return notes.judgement;
      const [least, mostSentences] = style.sentences;
      const judgement = await answer(
        'summarise',
        summaryForm(style, page.title),
        [{ label: 'TITLE', text: page.title }, ...notes.sections],
        reading.files,
        {
          least: String(least),
          most: String(mostSentences),
          characters: String(style.characters),
          language: style.language,
        },
        signal,
      );
      return notes.withUsage(judgement);
    },
  };
}

function articleSections(article: ArticleText, text: string): { label: string; text: string }[] {
  const sections = [{ label: 'TITLE', text: article.title }];
  const headings = (article.headings ?? []).slice(0, 30).join('\n');
  if (headings !== '') sections.push({ label: 'HEADINGS', text: headings });
  sections.push({ label: 'TEXT', text });
  return sections;
}

interface ExampleSections {
  readonly sections: readonly Section[];
  readonly count: number;
  readonly tokens: number;
}

/** Titles that people reacted to, newest first, as far as they fit. */
function exampleSections(examples: Examples | undefined, maxTokens: number): ExampleSections {
  const sections: Section[] = [];
  let count = 0;
  let tokens = 0;
  for (const [label, titles] of [
    ['READERS LIKED', examples?.liked ?? []],
    ['READERS DISLIKED', examples?.disliked ?? []],
  ] as const) {
    const lines: string[] = [];
    let own = 0;
    for (const title of titles) {
      const line = `- ${title.replace(/\s+/g, ' ')}`;
      const cost = estimateTokens(line);
      // Each of the two gets half.
      if (own + cost > maxTokens / 2) break;
      own += cost;
      lines.push(line);
    }
    if (lines.length > 0) sections.push({ label, text: lines.join('\n') });
    count += lines.length;
    tokens += own;
  }
  return { sections, count, tokens };
}

function interestList(interests: Interests): string {
  return interests.topics
    .map(({ topic, aliases, priority }) => {
      const also =
        aliases.length === 0 ? '' : `, also: ${aliases.map((alias) => JSON.stringify(alias)).join(', ')}`;
      return `- ${JSON.stringify(topic)} (${priority}${also})`;
    })
    .join('\n');
}

function emptyText<T>(): Judgement<T> {
  return { outcome: 'unfit', why: 'empty', detail: DETAIL_TEXTS.no_text_to_judge };
}

/** The parts of the input that are sent as text and as files (B17). */
export interface ModelInput {
  readonly texts: readonly { readonly label: string; readonly text: string }[];
  readonly files: readonly QuestionFile[];
  /** Why a document cannot be sent, if nothing else is left to read. */
  readonly tooLarge: string | null;
  readonly empty: boolean;
}

/** Files go inside the request, which may have 20 MB in all; their encoding makes them a third larger. */
export const MAX_FILE_BYTES = 14_000_000;

export function modelInputOf(
  page: ArticleText,
  documents: readonly Document[],
  takesPdf: boolean,
): ModelInput {
  const texts: { label: string; text: string }[] = [];
  const files: QuestionFile[] = [];
  const leftOut: string[] = [];
  let bytes = 0;
  for (const [index, document] of documents.entries()) {
    const size = document.bytes?.byteLength ?? 0;
    const asFile = takesPdf && document.bytes !== undefined && document.mediaType === 'application/pdf';
    if (asFile && size > 0 && bytes + size <= MAX_FILE_BYTES) {
      bytes += size;
      files.push({
        name: document.name,
        mediaType: document.mediaType,
        bytes: document.bytes ?? new Uint8Array(),
      });
    } else if (document.text !== undefined && document.text.trim() !== '') {
      texts.push({ label: `DOCUMENT ${index + 1}`, text: `${document.name}\n${document.text}` });
    } else if (size > 0) {
      leftOut.push(`${document.name} (${Math.ceil(size / 1_000_000)} MB)`);
    }
  }
  const nothing = page.text.trim() === '' && texts.length === 0 && files.length === 0;
  return {
    texts,
    files,
    tooLarge: nothing && leftOut.length > 0 ? `Too large, and without text: ${leftOut.join(', ')}` : null,
    empty: nothing && page.title.trim() === '',
  };
}

export interface Section {
  readonly label: string;
  readonly text: string;
}

/** The question about one part. */
export interface QuestionOnPart {
  readonly settings: AskSettings & { readonly promptVersion: string };
  readonly characters: number;
  readonly instructions: string;
  readonly data: string;
}

export type PartNotes =
  | {
      readonly outcome: 'ready';
      readonly sections: readonly Section[];
      /** Adds the cost of the notes to the verdict they were made for. */
      withUsage<T>(judgement: Judgement<T>): Judgement<T>;
    }
  | { readonly outcome: 'stopped'; readonly judgement: Exclude<Judgement<never>, { outcome: 'judged' }> };

/**
 * Makes texts fit: short ones are sent unchanged, longer ones are read in parts and replaced by notes. The parts of one text are read
 * sequentially, so that an exhausted budget stops early.
 */
export async function notesOnParts(
  sections: readonly Section[],
  most: number,
  maxParts: number,
  questionFor: (section: Section) => QuestionOnPart,
  signal: AbortSignal | undefined,
): Promise<PartNotes> {
  const total = sections.reduce((sum, { text }) => sum + estimateTokens(text), 0);
  const present = sections.filter(({ text }) => text.trim() !== '');
  if (total <= most) return notesReady(present, null);
  const share = Math.floor(most / Math.max(1, present.length));
  const shortened: Section[] = [];
  let used: Usage | null = null;
  for (const section of present) {
    if (estimateTokens(section.text) <= share) {
      shortened.push(section);
      continue;
    }
    const notes: string[] = [];
    for (const part of partsByTokens(section.text, most, maxParts)) {
      const { settings, characters, instructions, data } = questionFor({ label: section.label, text: part });
      const judgement = await askValidated(
        settings,
        notesForm(characters),
        { instructions, data, files: [] },
        signal,
      );
      if (judgement.outcome !== 'judged')
        return {
          outcome: 'stopped',
          judgement:
            judgement.usage === undefined
              ? judgement
              : { ...judgement, usage: sumUsage(used, judgement.usage) },
        };
      used = sumUsage(used, judgement.by.usage);
      notes.push(judgement.value.text);
    }
    shortened.push({ label: section.label, text: notes.join('\n') });
  }
  return notesReady(shortened, used);
}

function notesReady(sections: readonly Section[], used: Usage | null): PartNotes {
  return {
    outcome: 'ready',
    sections,
    withUsage(judgement) {
      if (used === null) return judgement;
      if (judgement.outcome !== 'judged')
        return judgement.usage === undefined
          ? judgement
          : { ...judgement, usage: sumUsage(used, judgement.usage) };
      return { ...judgement, by: { ...judgement.by, usage: sumUsage(used, judgement.by.usage) } };
    },
  };
}

function sumUsage(a: Usage | null, b: Usage): Usage {
  if (a === null) return b;
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    microUsd: a.microUsd + b.microUsd,
    ms: a.ms + b.ms,
  };
}

export interface AskSettings {
  readonly model: Model;
  readonly prompts: Prompts;
  readonly clock: Clock;
  readonly price: Price | null;
  readonly maxOutputTokens: number;
}

const NO_USAGE: CallUsage = { calls: 0, inputTokens: 0, outputTokens: 0 };

/** Factor by which the limit of a truncated answer is raised for its retry, up to the bound. */
const OUTPUT_GROWTH = 4;
export const MAX_OUTPUT_TOKENS = 65_536;

/**
 * Asks, validates the answer, retries once with the problems, and then postpones (A3, X8). An answer that was cut off at the output
 * limit is retried once with a larger one: three calls at most.
 */
export async function askValidated<T>(
  settings: AskSettings & { readonly promptVersion: string },
  form: AnswerForm<T>,
  question: Pick<Question, 'instructions' | 'data' | 'files'>,
  signal: AbortSignal | undefined,
): Promise<Judgement<T>> {
  const startedAt = settings.clock.monotonic();
  const { model } = settings;
  const bound = Math.max(settings.maxOutputTokens, Math.min(MAX_OUTPUT_TOKENS, model.contextTokens / 2));
  let maxOutputTokens = settings.maxOutputTokens;
  let used = NO_USAGE;
  let problems: readonly string[] = [];
  for (let grown = false, corrected = false; ; ) {
    signal?.throwIfAborted();
    const instructions =
      problems.length === 0
        ? question.instructions
        : `${question.instructions}\n\n${settings.prompts.fill('again', { problems: bulletList(problems) })}`;
    const answer = await model.ask(
      { ...question, instructions, schema: form.schema, schemaName: form.name, maxOutputTokens },
      signal,
    );
    if (answer.usage !== null) used = addUsage(used, answer.usage);
    const usage = usageOf(used, settings, settings.clock.monotonic() - startedAt);
    if (answer.outcome === 'later') {
      const { outcome, why, detail } = answer;
      const retryAt = answer.retryAt === undefined ? {} : { retryAt: answer.retryAt };
      return { outcome, why, detail, ...retryAt, usage };
    }
    if (answer.outcome === 'unfit')
      return { outcome: 'unfit', why: answer.why, detail: answer.detail, usage };
    const json = parseJsonAnswer(answer.text, answer.cutOff);
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
    // A model that only reasoned needs a larger limit, not a correction.
    problems = silent ? [] : checked.problems;
    if (answer.cutOff) {
      grown = true;
      maxOutputTokens = Math.round(
        Math.max(maxOutputTokens, Math.min(maxOutputTokens * OUTPUT_GROWTH, bound)),
      );
    }
    if (!silent) corrected = true;
  }
}

function usageOf(used: CallUsage, settings: AskSettings, ms: number): Usage {
  return { ...used, microUsd: costOf(used, settings.price), ms: Math.round(ms) };
}

function addUsage(a: CallUsage, b: CallUsage): CallUsage {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}

function bulletList(problems: readonly string[]): string {
  return problems.map((problem) => `- ${problem}`).join('\n');
}
