import { fill, type Schema } from './fill-schema.ts';
import { opinionOn } from './opinion.ts';
import { readPrompt } from './prompt.ts';
import { obey } from './prompt-injection.ts';

/** One request to a simulated model. */
export interface ModelCall {
  readonly at: number;
  readonly model: string;
  /** The whole prompt, in order. */
  readonly prompt: string;
  readonly schema: Schema | null;
  readonly documents: readonly { readonly mediaType: string; readonly bytes: number }[];
  readonly inputTokens: number;
}

/** Scripted answer, which replaces the model's own. */
export interface ScriptedAnswer {
  readonly json?: unknown;
  readonly text?: string;
  /** The prompt is blocked: no candidate at all. */
  readonly blockReason?: string;
  /** Ends like this instead of a proper stop; `SAFETY` and `content_filter` come without a text. */
  readonly finishReason?: string;
  /** A well-formed answer with nothing in it. */
  readonly empty?: boolean;
  /** The model declines, in words (OpenAI's `refusal`). */
  readonly refusal?: string;
}

export type Script = (call: ModelCall) => ScriptedAnswer | undefined;

export interface BrainOptions {
  /** The model follows instructions in the material. */
  readonly obeyInjections?: boolean;
  /** Called first; `undefined` leaves the answer to the brain. */
  readonly answers?: Script;
}

const KEPT = 1000;

/** The logic of a simulated model: honest and simple, scripted by a test, or obeying whatever it reads. */
export class Brain {
  readonly #calls: ModelCall[] = [];
  readonly #next: ScriptedAnswer[] = [];
  #script: Script | undefined;
  #total = 0;
  obeyInjections: boolean;

  constructor(options: BrainOptions = {}) {
    this.obeyInjections = options.obeyInjections ?? false;
    this.#script = options.answers;
  }

  /** The latest calls, oldest first. */
  calls(): readonly ModelCall[] {
    return this.#calls;
  }

  /** How many calls there were since the start. */
  get total(): number {
    return this.#total;
  }

  /** The next answers, one for each call. */
  queueAnswers(...answers: readonly ScriptedAnswer[]): void {
    this.#next.push(...answers);
  }

  /** Sets the function that answers from now on; `undefined` restores the brain's own answers. */
  script(script: Script | undefined): void {
    this.#script = script;
  }

  clear(): void {
    this.#calls.length = 0;
    this.#next.length = 0;
    this.#total = 0;
  }

  /** Records the call and returns the answer. */
  consider(call: ModelCall): ScriptedAnswer {
    this.#total++;
    this.#calls.push(call);
    if (this.#calls.length > KEPT) this.#calls.shift();
    return this.#next.shift() ?? this.#script?.(call) ?? this.#think(call);
  }

  #think(call: ModelCall): ScriptedAnswer {
    const reading = readPrompt(call.prompt);
    const topics = reading.interests.map((interest) => interest.topic);
    const known = topics.length > 0 ? topics : topicsIn(call.schema);
    const honest = opinionOn(reading, known);
    const schema = call.schema ?? describedSchema(reading.instructions);
    if (!this.obeyInjections) return schema ? { json: fill(schema, honest) } : { text: honest.summary };
    const { opinion, forced, verbatim } = obey(reading.material, honest, known);
    if (verbatim !== null) return { text: verbatim };
    return schema ? { json: { ...(fill(schema, opinion) as object), ...forced } } : { text: opinion.summary };
  }
}

/** The topics that the schema itself allows. */
function topicsIn(schema: Schema | null): string[] {
  const lists = Object.values(schema?.properties ?? {}).flatMap((inner) => inner.items?.enum ?? []);
  return lists.filter((value) => typeof value === 'string');
}

/** For servers without schemas: the keys that the prompt writes out as JSON. */
function describedSchema(instructions: string): Schema | null {
  if (!/json/i.test(instructions)) return null;
  const keys = new Set(
    [...instructions.matchAll(/["'`](\w{2,30})["'`]\s*:/g)].map((match) => match[1] ?? ''),
  );
  keys.delete('topic');
  keys.delete('aliases');
  keys.delete('priority');
  const names = keys.size > 0 ? [...keys] : ['score', 'topics', 'summary', 'reason'];
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, guess(name)])) };
}

function guess(name: string): Schema {
  if (/score|relevance/i.test(name)) return { type: 'integer', minimum: 0, maximum: 100 };
  if (/topics|tags/i.test(name)) return { type: 'array', items: { type: 'string' } };
  if (/decision|verdict/i.test(name)) return { enum: ['worth_it', 'not_valuable', 'not_ready'] };
  return { type: 'string', maxLength: 200 };
}
