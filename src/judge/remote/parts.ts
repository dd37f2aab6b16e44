import { notesForm } from '../answers.ts';
import type { Judgement, Usage } from '../judge.ts';
import { estimateTokens, partsByTokens } from '../tokens.ts';
import type { AskSettings } from './ask.ts';
import { ask } from './ask.ts';

export interface Section {
  readonly label: string;
  readonly text: string;
}

/** How one part is asked about. */
export interface PartQuestion {
  readonly settings: AskSettings & { readonly promptVersion: string };
  readonly characters: number;
  readonly instructions: string;
  readonly data: string;
}

export type Notes =
  | {
      readonly outcome: 'ready';
      readonly sections: readonly Section[];
      /** Adds what the notes cost to the verdict they were made for. */
      withUsage<T>(judgement: Judgement<T>): Judgement<T>;
    }
  | { readonly outcome: 'stopped'; readonly judgement: Exclude<Judgement<never>, { outcome: 'judged' }> };

/**
 * Makes texts fit: what is short goes as it is, what is longer is read in parts and its notes go instead. The parts of one text
 * are read one after the other, so that a budget that runs out stops early.
 */
export async function notesOnParts(
  sections: readonly Section[],
  most: number,
  maxParts: number,
  questionFor: (section: Section) => PartQuestion,
  signal: AbortSignal | undefined,
): Promise<Notes> {
  const total = sections.reduce((sum, { text }) => sum + estimateTokens(text), 0);
  const present = sections.filter(({ text }) => text.trim() !== '');
  if (total <= most) return ready(present, null);
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
      const judgement = await ask(settings, notesForm(characters), { instructions, data, files: [] }, signal);
      if (judgement.outcome !== 'judged')
        return {
          outcome: 'stopped',
          judgement:
            judgement.usage === undefined ? judgement : { ...judgement, usage: sum(used, judgement.usage) },
        };
      used = sum(used, judgement.by.usage);
      notes.push(judgement.value.text);
    }
    shortened.push({ label: section.label, text: notes.join('\n') });
  }
  return ready(shortened, used);
}

function ready(sections: readonly Section[], used: Usage | null): Notes {
  return {
    outcome: 'ready',
    sections,
    withUsage(judgement) {
      if (used === null) return judgement;
      if (judgement.outcome !== 'judged')
        return judgement.usage === undefined
          ? judgement
          : { ...judgement, usage: sum(used, judgement.usage) };
      return { ...judgement, by: { ...judgement.by, usage: sum(used, judgement.by.usage) } };
    },
  };
}

function sum(a: Usage | null, b: Usage): Usage {
  if (a === null) return b;
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    microUsd: a.microUsd + b.microUsd,
    ms: a.ms + b.ms,
  };
}
