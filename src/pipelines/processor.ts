import type { Item } from '../item/item.ts';
import type { Judge, Judgement } from '../judge/judge.ts';

/** Processes a video (D11). */
export interface Processor {
  process(item: Item, signal: AbortSignal): Promise<Processed>;
}

export type Processed =
  | { readonly outcome: 'done'; readonly output: string; readonly summary: string | null }
  /** The judge is unavailable: handled as in every other pipeline (X18). */
  | { readonly outcome: 'unanswered'; readonly judged: Judgement<unknown> & { outcome: 'later' } }
  /** It requested a retry; counts as an attempt. */
  | { readonly outcome: 'later'; readonly detail: string; readonly output: string }
  | { readonly outcome: 'failed'; readonly detail: string; readonly output: string }
  /** The program is being stopped; the video is unchanged. */
  | { readonly outcome: 'stopped' };

export interface SummaryProcessorOptions {
  readonly judge: Judge;
  readonly language: string;
}

/** The built-in processor (D11): summarises a video from its description. */
export function summaryProcessor({ judge, language }: SummaryProcessorOptions): Processor {
  return {
    async process(item, signal) {
      const style = { language, sentences: [3, 5] as const, characters: 200 };
      const page = { url: item.url, title: item.title, text: videoText(item) };
      const judged = await judge.summarise(page, [], style, signal);
      if (signal.aborted && judged.outcome !== 'judged') return { outcome: 'stopped' };
      return processedOf(judged);
    },
  };
}

/** Stands for a command in a dry run. */
export const notRun: Processor = {
  process: async () => ({ outcome: 'done', output: '', summary: null }),
};

function processedOf(judged: Awaited<ReturnType<Judge['summarise']>>): Processed {
  switch (judged.outcome) {
    case 'judged':
      return { outcome: 'done', output: '', summary: judged.value.text };
    case 'later':
      return { outcome: 'unanswered', judged };
    case 'unfit':
      // A video without a description is published with its title and link.
      return judged.why === 'empty'
        ? { outcome: 'done', output: '', summary: null }
        : { outcome: 'failed', detail: judged.detail, output: '' };
  }
}

function videoText({ video, excerpt }: Item): string {
  return video?.description ?? excerpt ?? '';
}
