import type { PipelineConfig } from '../config/resolve.ts';
import { wordKey } from '../item/word-key.ts';
import { type InterestEntry, interestsOf, MAX_ALIASES, MAX_WORD_LENGTH } from '../judge/interests.ts';
import type { Interest, Interests } from '../judge/judge.ts';
import type { DecidedAlias } from './pipeline-settings-store.ts';
import type { SettingsChanges } from './settings-changes.ts';

/** Accepted and refused words of one pipeline, so that its record stays small. */
const MAX_DECIDED = 1000;

/** `none`: neither an alias nor refused; the word may be proposed again. */
export type AliasDecision = DecidedAlias['decision'] | 'none';

export interface AliasChange {
  readonly topic: string;
  readonly words: readonly string[];
  readonly decision: AliasDecision;
}

/** Why a word cannot get this decision; `index` is its place among the words of the change. */
export interface AliasProblem {
  readonly index: number;
  readonly word: string;
  readonly problem: 'required' | 'too_long' | 'invalid' | 'in_file' | 'taken' | 'too_many';
  readonly detail: string;
  /** Values of the text. */
  readonly parameters: Readonly<Record<string, string | number>>;
}

export type AliasOutcome =
  | { readonly outcome: 'done'; readonly changed: boolean }
  | { readonly outcome: 'unknown_topic' }
  | { readonly outcome: 'refused'; readonly problems: readonly AliasProblem[] };

/** A word with the owner who decided about it. */
export type DecidedWord = Pick<DecidedAlias, 'word' | 'by' | 'at'>;

/** An interest as it is in force. Its aliases are those of the configuration file and the added ones. */
export interface InterestWords extends Interest {
  /** Aliases that are not in the configuration file. */
  readonly added: readonly DecidedWord[];
  /** Words that are not proposed any more. */
  readonly refused: readonly DecidedWord[];
}

/** The interests in force: those of the configuration file with the aliases that owners accepted (Q25). Each run reads them. */
export class LiveInterests {
  readonly #configured: Readonly<Record<string, PipelineConfig>>;
  readonly #changes: SettingsChanges;

  constructor(deps: {
    readonly pipelines: Readonly<Record<string, PipelineConfig>>;
    readonly changes: SettingsChanges;
  }) {
    this.#configured = deps.pipelines;
    this.#changes = deps.changes;
  }

  /** `null`: no such pipeline, or one without interests. */
  async effective(pipeline: string): Promise<Interests | null> {
    const configured = this.#configuredOf(pipeline);
    return configured === null ? null : interestsOf(withAdded(configured, await this.#decided(pipeline)));
  }

  /** `null`: no such pipeline, or one without interests. */
  async report(pipeline: string): Promise<readonly InterestWords[] | null> {
    const configured = this.#configuredOf(pipeline);
    if (configured === null) return null;
    const decided = await this.#decided(pipeline);
    return interestsOf(withAdded(configured, decided)).topics.map((interest) => ({
      ...interest,
      added: addedTo(interest, configured, decided).map(decidedWord),
      refused: of(interest, decided, 'refused').map(decidedWord),
    }));
  }

  /** In force at the next run, in every process. Nothing is changed if there is a problem with any of the words. */
  async decide(pipeline: string, change: AliasChange, who: string): Promise<AliasOutcome> {
    const configured = this.#configuredOf(pipeline) ?? [];
    const topic = configured.find((entry) => wordKey(entry.topic) === wordKey(change.topic))?.topic.trim();
    if (topic === undefined) return { outcome: 'unknown_topic' };
    let outcome: AliasOutcome = { outcome: 'done', changed: false };
    await this.#changes.update(pipeline, (stored, now) => {
      const before = stored?.aliases ?? [];
      const problems = problemsOf({ ...change, topic }, configured, before);
      const aliases = decide(before, { ...change, topic }, { by: who, at: now });
      const changed = JSON.stringify(aliases) !== JSON.stringify(before);
      outcome = problems.length > 0 ? { outcome: 'refused', problems } : { outcome: 'done', changed };
      if (problems.length > 0 || !changed) return null;
      // The settings of the schedule keep the name of who changed those.
      return {
        schedule: stored?.schedule ?? null,
        minScore: stored?.minScore ?? null,
        enabled: stored?.enabled ?? null,
        scheduledSince: stored?.scheduledSince ?? 0,
        changedBy: stored?.changedBy ?? who,
        changedAt: stored?.changedAt ?? now,
        aliases,
      };
    });
    return outcome;
  }

  #configuredOf(pipeline: string): readonly InterestEntry[] | null {
    const settings = this.#configured[pipeline];
    return settings?.kind === 'curate' ? settings.interests : null;
  }

  async #decided(pipeline: string): Promise<readonly DecidedAlias[]> {
    return (await this.#changes.find(pipeline))?.aliases ?? [];
  }
}

/** As it is stored: composed, without space around it. */
function clean(word: string): string {
  return word.normalize('NFC').trim();
}

function decide(
  before: readonly DecidedAlias[],
  { topic, words, decision }: AliasChange,
  stamp: Pick<DecidedAlias, 'by' | 'at'>,
): readonly DecidedAlias[] {
  const decided = [...before];
  for (const word of words.map(clean)) {
    const at = decided.findIndex((one) => isOf(topic, one) && wordKey(one.word) === wordKey(word));
    if (decided[at]?.decision === decision) continue;
    if (at >= 0) decided.splice(at, 1);
    if (decision !== 'none') decided.push({ topic, word, decision, ...stamp });
  }
  return decided;
}

function problemsOf(
  change: AliasChange,
  configured: readonly InterestEntry[],
  before: readonly DecidedAlias[],
): readonly AliasProblem[] {
  const found: AliasProblem[] = [];
  const isDecided = (word: string, decision: AliasDecision): boolean =>
    before.some((one) => isOf(change.topic, one) && one.decision === decision && wordKey(one.word) === word);
  let room = MAX_ALIASES - countAliases(change.topic, configured, before);
  let space = MAX_DECIDED - before.length;
  for (const [index, word] of change.words.map(clean).entries()) {
    const key = wordKey(word);
    const add = (
      problem: AliasProblem['problem'],
      detail: string,
      parameters: AliasProblem['parameters'] = {},
    ): number => found.push({ index, word, problem, detail, parameters });
    if (key === '') add('required', 'is empty');
    else if ([...word].length > MAX_WORD_LENGTH)
      add('too_long', `has more than ${MAX_WORD_LENGTH} characters`, { maximum: MAX_WORD_LENGTH });
    else if (!isWord(word)) add('invalid', 'must have letters or digits, and no control characters');
    else if (configuredWords(configured).has(key))
      add('in_file', 'is a topic or an alias of the configuration file: change it there');
    else if (change.decision === 'accepted' && !isDecided(key, 'accepted')) {
      const taken = configured
        .flatMap((entry) => of(entry, before, 'accepted'))
        .find((one) => wordKey(one.word) === key);
      if (taken !== undefined)
        add('taken', `is an alias of "${taken.topic}" already`, { topic: taken.topic });
      else if (room-- <= 0)
        add('too_many', `is too many: an interest has at most ${MAX_ALIASES} aliases`, {
          maximum: MAX_ALIASES,
        });
      else if (!isDecided(key, 'refused') && space-- <= 0)
        add('too_many', TOO_MANY_DECIDED, { maximum: MAX_DECIDED });
    } else if (change.decision === 'refused' && !isDecided(key, 'accepted') && !isDecided(key, 'refused'))
      if (space-- <= 0) add('too_many', TOO_MANY_DECIDED, { maximum: MAX_DECIDED });
  }
  return found;
}
const TOO_MANY_DECIDED = `is too many: a pipeline has at most ${MAX_DECIDED} added and refused words`;

/** Zero-width joiners belong to words of some scripts. */
function isWord(word: string): boolean {
  return (
    /[\p{L}\p{N}]/u.test(word) &&
    !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(word.replace(/[\u200c\u200d]/g, ''))
  );
}

function countAliases(
  topic: string,
  configured: readonly InterestEntry[],
  decided: readonly DecidedAlias[],
): number {
  const entries = withAdded(configured, decided);
  return entries.find((entry) => entry.topic.trim() === topic)?.aliases?.length ?? 0;
}

function withAdded(
  configured: readonly InterestEntry[],
  decided: readonly DecidedAlias[],
): readonly InterestEntry[] {
  return configured.map((entry) => ({
    topic: entry.topic,
    priority: entry.priority,
    aliases: [...(entry.aliases ?? []), ...addedTo(entry, configured, decided).map(({ word }) => word)],
  }));
}

/** A word that has come into the configuration file since is one of that file. */
function addedTo(
  entry: Pick<InterestEntry, 'topic'>,
  configured: readonly InterestEntry[],
  decided: readonly DecidedAlias[],
): readonly DecidedAlias[] {
  const words = configuredWords(configured);
  return of(entry, decided, 'accepted').filter(({ word }) => !words.has(wordKey(word)));
}

function of(
  { topic }: Pick<InterestEntry, 'topic'>,
  decided: readonly DecidedAlias[],
  decision: DecidedAlias['decision'],
): readonly DecidedAlias[] {
  return decided.filter((one) => one.decision === decision && isOf(topic, one));
}

function isOf(topic: string, decided: DecidedAlias): boolean {
  return wordKey(decided.topic) === wordKey(topic);
}

function configuredWords(configured: readonly InterestEntry[]): ReadonlySet<string> {
  return new Set(configured.flatMap(({ topic, aliases = [] }) => [topic, ...aliases].map(wordKey)));
}

function decidedWord({ word, by, at }: DecidedAlias): DecidedWord {
  return { word, by, at };
}
