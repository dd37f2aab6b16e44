import type { Item, Verdict } from '../item/item.ts';
import type { Reason, State } from '../item/lifecycle.ts';
import type { Delivery } from '../press/outbox.ts';
import type { HistoryEntry, Sighted } from './ledger.ts';

export interface Life {
  /** `null` when the item is gone or never was. */
  readonly item: Item | null;
  readonly history: readonly HistoryEntry[];
  readonly deliveries: readonly Delivery[];
  readonly sightings?: readonly Sighted[];
}

/** One sentence with its time; `null` for what is true now. */
export interface Sentence {
  readonly at: number | null;
  readonly text: string;
}

/** The whole life of an item in plain sentences, oldest first, and last how things stand (X4). */
export function tellLife({ item, history, deliveries, sightings = [] }: Life): readonly Sentence[] {
  const told = [
    ...history.flatMap((line) => tellLine(line).map((text) => ({ at: line.at, text }))),
    ...sightings.slice(1).map(({ at, sourceName, sourceId }) => ({
      at,
      text: `${sourceName || sourceId} carried it too.`,
    })),
  ];
  return [
    ...told.toSorted((a, b) => a.at - b.at),
    ...[standing(item, history), ...deliveries.map(tellDelivery)]
      .filter((text) => text !== null)
      .map((text) => ({ at: null, text })),
  ];
}

function tellLine(line: HistoryEntry): string[] {
  const step = tellStep(line);
  return line.verdict === undefined ? [step] : [tellVerdict(line.verdict), step];
}

function tellStep({ event, to, reason, detail, who, notes }: HistoryEntry): string {
  const because = `${why(reason)}${detail === null ? '' : `: ${detail}`}`;
  switch (event) {
    case 'admit':
      return to === 'baseline'
        ? `Seen at ${source(notes, who)} on first contact, so it only set the baseline.`
        : `Seen for the first time, at ${source(notes, who)}.`;
    case 'claim':
      return sentence(`${who ?? 'Somebody'} took it over`, detail);
    case 'deliver':
      return tellAttempt(notes, detail);
    case 'sweep':
      return 'Swept after its keep time; only its key is remembered, so that it is not news again.';
    case 'accept':
      return sentence('Accepted', detail);
    case 'publish':
      return sentence('Published', detail);
    case 'reject':
      return `Rejected because ${because}.`;
    case 'defer':
      return to === 'failed'
        ? `Given up after too many attempts${detail === null ? '' : ` (${detail})`}.`
        : `Put off because ${because}.`;
    case 'postpone':
      return `Left for later because ${because}.`;
    case 'giveUp':
      return `Given up because ${because}.`;
    case 'park':
      return `Parked for a person because ${because}.`;
    case 'requeue':
      return sentence(`Brought back by ${who ?? 'somebody'}`, detail);
    case 'markSent':
      return sentence(`Marked as sent by ${who ?? 'somebody'}`, detail);
    case 'drop':
      return sentence(`Dropped by ${who ?? 'somebody'}`, detail);
    default:
      return sentence(event, detail);
  }
}

function tellVerdict(verdict: Verdict): string {
  const { score, topics, judge, model, reason, provisional } = verdict;
  const by = model === '' || model === judge ? judge : `${judge} (${model})`;
  const about = topics.length === 0 ? 'for no topic' : `for ${topics.join(', ')}`;
  const said = score === null && topics.length === 0 ? 'said' : `${scored(score)} ${about}`;
  const later = provisional
    ? ' It stood in for the judge: until it is published, the judge is asked again.'
    : '';
  return `The judge ${by} ${said}: ${stopped(reason)}${later}`;
}

function scored(score: number | null): string {
  return score === null ? 'gave no score' : `gave it ${score} of 100`;
}

function tellAttempt(notes: HistoryEntry['notes'], detail: string | null): string {
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

/** What a delivery means now; one that is over was told by its attempts. */
function tellDelivery({ destination, state, attempts, remoteUrl, dueAt }: Delivery): string | null {
  const next = dueAt === null ? '' : `, next at ${iso(dueAt)}`;
  switch (state) {
    case 'intended':
      return `A message for ${destination} waits to be sent (${attemptsOf(attempts)} so far${next}).`;
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

const STANDINGS: Readonly<Record<State, string>> = {
  waiting: 'It waits for its turn',
  deferred: 'It is put off',
  accepted: 'It is accepted and waits to be published',
  published: 'It is published, and that is final',
  rejected: 'It is rejected',
  failed: 'It has failed, and a person can bring it back',
  parked: 'It is parked until a person decides',
  baseline: 'It is known and never worked on',
};

function standing(item: Item | null, history: readonly HistoryEntry[]): string {
  if (item === null) return history.length === 0 ? 'Nothing is known of it.' : 'It is gone.';
  const due = item.dueAt === null ? '' : `, not before ${iso(item.dueAt)}`;
  const tries = item.attempts === 0 ? '' : ` (${attemptsOf(item.attempts)} failed)`;
  return `${STANDINGS[item.state]}${due}${tries}.`;
}

const WHYS: Readonly<Record<Reason, string>> = {
  none: 'of no stated reason',
  low_relevance: 'its score was below the threshold',
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
  same_story: 'another source told the same story',
  first_contact: 'the source was new',
  by_person: 'a person decided so',
};

function why(reason: Reason): string {
  return WHYS[reason];
}

function source(notes: HistoryEntry['notes'], who: string | null): string {
  return String(notes.source ?? who ?? 'a source nobody wrote down');
}

function sentence(text: string, detail: string | null): string {
  return detail === null || detail === '' ? `${text}.` : `${text}: ${stopped(detail)}`;
}

function stopped(text: string): string {
  return /[.!?。！？]$/.test(text) ? text : `${text}.`;
}

function attemptsOf(count: number): string {
  return count === 1 ? '1 attempt' : `${count} attempts`;
}

function iso(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
