import type { Item } from '../item/item.ts';
import type { Judge } from '../judge/judge.ts';
import type { Processed, Processor } from './processor.ts';

export interface SummaryProcessorOptions {
  readonly judge: Judge;
  readonly language: string;
}

/** The built-in processor (D11): summarises a video from its description, for the pipeline to publish. */
export function summaryProcessor({ judge, language }: SummaryProcessorOptions): Processor {
  return {
    async process(item, signal) {
      const style = { language, sentences: [3, 5] as const, characters: 200 };
      const page = { url: item.url, title: item.title, text: textOf(item) };
      const judged = await judge.summarise(page, [], style, signal);
      if (signal.aborted && judged.outcome !== 'judged') return { outcome: 'stopped' };
      return processed(judged);
    },
  };
}

function processed(judged: Awaited<ReturnType<Judge['summarise']>>): Processed {
  switch (judged.outcome) {
    case 'judged':
      return { outcome: 'done', output: '', summary: judged.value.text };
    case 'later':
      return { outcome: 'unanswered', judged };
    case 'unfit':
      // A video without words of its own is still news: its title and its link say what there is.
      return judged.why === 'empty'
        ? { outcome: 'done', output: '', summary: null }
        : { outcome: 'failed', detail: judged.detail, output: '' };
  }
}

function textOf({ video, excerpt }: Item): string {
  return video?.description ?? excerpt ?? '';
}
