import type { AnswerForm } from '../answers.ts';
import { evaluationForm, screeningForm, summaryForm } from '../answers.ts';
import type { FenceNames } from '../fence.ts';
import { createFence } from '../fence.ts';
import type { ArticleText, Interests, Judge, Judgement } from '../judge.ts';
import type { Model, QuestionFile } from '../model.ts';
import type { Prompts } from '../prompts.ts';
import { cutToTokens } from '../tokens.ts';
import type { AskSettings } from './ask.ts';
import { ask } from './ask.ts';
import { notesOnParts } from './parts.ts';
import { readingOf } from './reading.ts';

export interface RemoteJudgeOptions extends AskSettings {
  readonly model: Model;
  readonly prompts: Prompts;
  /** More of a text than this is not sent: it is cut at the end of a sentence, or read in parts. */
  readonly maxInputTokens: number;
  /** A longer text than so many parts is not read to its end. */
  readonly maxParts: number;
  readonly fenceNames?: FenceNames;
}

/** What the instructions and the answer need of a model's context. */
const ROOM_FOR_WORDS = 2000;

/** A judge that asks a model: fences what it sends, checks what it gets, asks again once, and gives up politely. */
export function createRemoteJudge(options: RemoteJudgeOptions): Judge {
  const { model, prompts } = options;
  const room = Math.max(ROOM_FOR_WORDS, ROOM_FOR_WORDS / 2 + options.maxOutputTokens);
  const most = Math.max(500, Math.min(options.maxInputTokens, model.contextTokens - room));

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
  ): Promise<Judgement<T>> => {
    const { name, data } = fenced(sections);
    const instructions = prompts.fill(prompt, { ...values, fence: name });
    return ask(
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
      if (article.text.trim() === '' && article.title.trim() === '') return empty();
      const { text } = cutToTokens(article.text, most);
      return answer(
        'evaluate',
        evaluationForm(interests, article.title),
        articleSections(article, text),
        [],
        { interests: listOf(interests) },
        signal,
      );
    },

    async screen(page, documents, signal) {
      signal?.throwIfAborted();
      const reading = readingOf(page, documents, model.takesPdf);
      if (reading.empty) return empty();
      const sections = articleSections(page, cutToTokens(page.text, most / 2).text);
      const share = most / 2 / Math.max(1, reading.texts.length);
      for (const { label, text } of reading.texts)
        sections.push({ label, text: cutToTokens(text, share).text });
      return answer('screen', screeningForm(), sections, reading.files, {}, signal);
    },

    async summarise(page, documents, style, signal) {
      signal?.throwIfAborted();
      const reading = readingOf(page, documents, model.takesPdf);
      if (reading.tooLarge !== null) return { outcome: 'unfit', why: 'too_large', detail: reading.tooLarge };
      if (reading.empty) return empty();
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

function listOf(interests: Interests): string {
  return interests.topics
    .map(({ topic, aliases, priority }) => {
      const also =
        aliases.length === 0 ? '' : `, also: ${aliases.map((alias) => JSON.stringify(alias)).join(', ')}`;
      return `- ${JSON.stringify(topic)} (${priority}${also})`;
    })
    .join('\n');
}

function empty<T>(): Judgement<T> {
  return { outcome: 'unfit', why: 'empty', detail: 'There is no text to judge.' };
}
