import type { Item, Verdict } from '../item/item.ts';
import { type LearnedVerdict, learnedRuleText } from '../item/learned.ts';
import type { Reason, State } from '../item/lifecycle.ts';
import type { Delivery } from '../outbox/outbox.ts';
import { describeStoryReason, type StoryReason } from '../same-story/story-reason.ts';
import type { HistoryEntry, RecordedSighting } from './ledger.ts';

export interface ExplainedItem {
  /** `null` when the item was swept or never existed. */
  readonly item: Item | null;
  readonly history: readonly HistoryEntry[];
  readonly deliveries: readonly Delivery[];
  readonly sightings?: readonly RecordedSighting[];
  /** Why it is in a story with others, or was kept out of one. */
  readonly story?: StoryReason | null;
}

/** One sentence with its time; `null` for the current state. */
export interface Sentence {
  readonly at: number | null;
  readonly text: string;
}

/** The history of an item in plain sentences, oldest first, then its current state (X4). */
export function explainItem({
  item,
  history,
  deliveries,
  sightings = [],
  story = null,
}: ExplainedItem): readonly Sentence[] {
  const lines = [
    ...history.flatMap((line) => explainLine(line).map((text) => ({ at: line.at, text }))),
    ...sightings.slice(1).map(({ at, sourceName, sourceId }) => ({
      at,
      text: `${sourceName || sourceId} carried it too.`,
    })),
  ];
  return [
    ...lines.toSorted((a, b) => a.at - b.at),
    ...[
      currentState(item, history),
      story === null ? null : describeStoryReason(story),
      ...deliveries.map(explainDelivery),
    ]
      .filter((text) => text !== null)
      .map((text) => ({ at: null, text })),
  ];
}

function explainLine(line: HistoryEntry): string[] {
  const step = explainStep(line);
  return line.verdict === undefined ? [step] : [explainVerdict(line.verdict), step];
}

function explainStep({ event, to, reason, detail, who, notes, verdict }: HistoryEntry): string {
  const because = `${reasonText(reason)}${detail === null ? '' : `: ${detail}`}`;
  switch (event) {
    case 'admit':
      return to === 'baseline'
        ? `Seen at ${sourceText(notes, who)} on first contact, so it only set the baseline.`
        : `Seen for the first time, at ${sourceText(notes, who)}.`;
    case 'claim':
      return sentence(`${who ?? 'Another worker'} took it over`, detail);
    case 'deliver':
      return explainAttempt(notes, detail);
    case 'sweep':
      return 'Swept after its keep time; only its key is remembered, so that it is not news again.';
    case 'accept':
      return sentence('Accepted', detail);
    case 'publish':
      return sentence('Published', detail);
    case 'reject':
      return reason === 'low_relevance' && verdict?.minScore !== undefined
        ? `Rejected: score ${verdict.score} is below the minimum ${verdict.minScore}.`
        : `Rejected because ${because}.`;
    case 'defer':
      return to === 'failed'
        ? `Given up after too many attempts${detail === null ? '' : ` (${detail})`}.`
        : `Deferred because ${because}.`;
    case 'postpone':
      return `Postponed because ${because}.`;
    case 'giveUp':
      return `Given up because ${because}.`;
    case 'park':
      return `Parked for a person because ${because}.`;
    case 'requeue':
      return sentence(`Brought back by ${who ?? 'a person'}`, detail);
    case 'markSent':
      return sentence(`Marked as sent by ${who ?? 'a person'}`, detail);
    case 'drop':
      return sentence(`Dropped by ${who ?? 'a person'}`, detail);
    default:
      return sentence(event, detail);
  }
}

function explainVerdict(verdict: Verdict): string {
  const { topics, judge, model, reason, provisional, learned } = verdict;
  const score = learned?.base ?? verdict.score;
  const by = model === '' || model === judge ? judge : `${judge} (${model})`;
  const about = topics.length === 0 ? 'for no topic' : `for ${topics.join(', ')}`;
  const rating = score === null && topics.length === 0 ? 'said' : `${scoreText(score)} ${about}`;
  const later = provisional
    ? ' It is provisional: the judge re-evaluates the item unless it is published before.'
    : '';
  const moved = learned === undefined ? '' : ` ${explainLearned(learned, verdict.score)}`;
  return `The judge ${by} ${rating}: ${withFullStop(reason)}${moved}${later}`;
}

/** "Reactions moved it from 62 to 70 (+8: 5 starred about Rust)." */
export function explainLearned({ base, rules, examples }: LearnedVerdict, score: number | null): string {
  if (examples !== undefined)
    return `It got ${examples} ${examples === 1 ? 'article' : 'articles'} that people reacted to as examples.`;
  const texts = rules.map((rule) => learnedRuleText(rule, 'en', 'people'));
  return `Reactions moved it from ${base} to ${score} (${texts.join('; ')}).`;
}

function scoreText(score: number | null): string {
  return score === null ? 'gave no score' : `gave it ${score} of 100`;
}

function explainAttempt(notes: HistoryEntry['notes'], detail: string | null): string {
  const place = String(notes.destination ?? 'its destination');
  switch (notes.outcome) {
    case 'sent':
      return notes.remoteId === undefined
        ? sentence(`Counted as sent to ${place}`, detail)
        : `Sent to ${place} as ${notes.remoteId}.`;
    case 'refused':
      return sentence(`${place} refused the message`, detail);
    case 'unknown':
      return sentence(`It is not known whether ${place} got the message`, detail);
    case 'parked':
      return sentence(`The message for ${place} was parked for a person`, detail);
    case 'dropped':
      return sentence(`The message for ${place} was dropped`, detail);
    default:
      return sentence(`The message for ${place} is to be sent again`, detail);
  }
}

/** The current state of a delivery; a finished one is already described by its attempts. */
function explainDelivery({ destination, state, attempts, remoteUrl, dueAt }: Delivery): string | null {
  const next = dueAt === null ? '' : `, next at ${timeText(dueAt)}`;
  switch (state) {
    case 'intended':
      return `A message for ${destination} waits to be sent (${attemptsText(attempts)} so far${next}).`;
    case 'sending':
      return `A message for ${destination} is being sent.`;
    case 'unknown':
      return `Whether ${destination} has the message is being found out${next}.`;
    case 'parked':
      return `A person has to say whether the message for ${destination} arrived.`;
    case 'sent':
      return remoteUrl === null ? null : `It can be read at ${remoteUrl}`;
    case 'refused':
    case 'dropped':
      return null;
  }
}

const STATE_TEXTS: Readonly<Record<State, string>> = {
  waiting: 'It waits for its turn',
  deferred: 'It is deferred',
  accepted: 'It is accepted and waits to be published',
  published: 'It is published, and that is final',
  rejected: 'It is rejected',
  failed: 'It has failed, and a person can bring it back',
  parked: 'It is parked until a person decides',
  baseline: 'It is known and never worked on',
};

function currentState(item: Item | null, history: readonly HistoryEntry[]): string {
  if (item === null) return history.length === 0 ? 'Nothing is known of it.' : 'It was deleted.';
  const due = item.dueAt === null ? '' : `, not before ${timeText(item.dueAt)}`;
  const tries = item.attempts === 0 ? '' : ` (${attemptsText(item.attempts)} failed)`;
  return `${STATE_TEXTS[item.state]}${due}${tries}.`;
}

const STATUS_TEXTS: Readonly<Record<State, string>> = {
  waiting: 'Waiting for its turn',
  deferred: 'Deferred',
  accepted: 'Accepted',
  published: 'Published',
  rejected: 'Rejected',
  failed: 'Failed',
  parked: 'Waiting for a decision',
  baseline: 'Not processed',
};

/**
 * Why an item is in its state, in one line, with the rule and the threshold: "Rejected: score 67 is below the minimum 70".
 * `minScore`: the current minimum of its pipeline; `null` if it has none.
 */
export function explainStatus(
  { state, reason, detail, verdict }: Pick<Item, 'state' | 'reason' | 'detail' | 'verdict'>,
  minScore: number | null,
): string {
  const score = verdict?.score ?? null;
  const rule =
    score !== null && minScore !== null && (reason === 'low_relevance' || reason === 'none')
      ? scoreRule(score, minScore, reason === 'low_relevance')
      : reason === 'none'
        ? null
        : reasonText(reason);
  const status = rule === null ? STATUS_TEXTS[state] : `${STATUS_TEXTS[state]}: ${rule}`;
  const moved = verdict?.learned === undefined ? '' : explainLearned(verdict.learned, score);
  const texts = [status, detail ?? '', moved].filter((text) => text !== '');
  return texts.map((text, n) => (n < texts.length - 1 ? withFullStop(text) : text)).join(' ');
}

/** The minimum score as the rule that decided; `low`: the item was rejected by it. */
export function scoreRule(score: number, minimum: number, low: boolean): string {
  if (low && score < minimum) return `score ${score} is below the minimum ${minimum}`;
  if (!low && score >= minimum) return `score ${score}, minimum ${minimum}`;
  // The minimum was changed since.
  return low ? `score ${score} was below the minimum at that time` : `score ${score}`;
}

const REASON_TEXTS: Readonly<Record<Reason, string>> = {
  none: 'no reason is recorded',
  low_relevance: 'its score was below the minimum',
  no_topic_match: 'no interest matched',
  content_extraction_failed: 'its text could not be read',
  not_valuable: 'it was not worth summarising',
  not_ready: 'the page was not ready',
  download_failed: 'the download failed',
  too_large: 'a file was too large',
  api_failed: 'a service failed',
  retry_limit: 'it was tried too often',
  processor_failed: 'the processor failed',
  delivery_refused: 'the message was refused',
  delivery_unknown: 'it is not known whether the message arrived',
  over_limit: 'a limit was reached',
  not_chosen: 'others were better this time',
  same_story: 'another source published the same story',
  first_contact: 'the source was new',
  by_person: 'a person decided so',
};

function reasonText(reason: Reason): string {
  return REASON_TEXTS[reason];
}

function sourceText(notes: HistoryEntry['notes'], who: string | null): string {
  return String(notes.source ?? who ?? 'an unknown source');
}

function sentence(text: string, detail: string | null): string {
  return detail === null || detail === '' ? `${text}.` : `${text}: ${withFullStop(detail)}`;
}

function withFullStop(text: string): string {
  return /[.!?。！？]$/.test(text) ? text : `${text}.`;
}

function attemptsText(count: number): string {
  return count === 1 ? '1 attempt' : `${count} attempts`;
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
