import type { PluginHost } from '../plugins/plugin-services.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import {
  type BudgetLimits,
  type BudgetStore,
  type Price,
  type Spend,
  spendOf,
  withBudget,
} from './budget/budget.ts';
import { withFallback } from './fallback-judge.ts';
import type { InterestsHistory } from './interests.ts';
import type { Judge } from './judge.ts';
import { type JudgeFailureStore, JudgeHealth, type ReportedFailure } from './judge-stores.ts';
import { createLocalJudge, LOCAL_VERSION } from './local/local-judge.ts';
import { type Model, type Reasoning, withConcurrency } from './model.ts';
import { withTelemetry } from './observed-judge.ts';
import { loadPrompts } from './prompts.ts';
import { createRemoteJudge } from './remote/remote-judge.ts';
import type { FenceNames } from './untrusted-text.ts';
import { type VerdictCache, withCache } from './verdict-cache.ts';

/** A configured judge and its fallback. */
export type NamedJudge = (JudgeSettings | PluginJudgeSettings) & {
  /** ID of another judge. */
  readonly fallback?: string;
  /** How long this one must be unavailable before the fallback is used. Default: 0. */
  readonly fallbackAfterMs?: number;
};

/** All configured judges by their IDs, each with its fallback. Cycles and unknown names were rejected with the configuration. */
export async function createJudges(
  settings: Readonly<Record<string, NamedJudge>>,
  deps: JudgeDeps,
): Promise<ReadonlyMap<string, Judge>> {
  const making = new Map<string, Promise<Judge>>();
  /** `path`: the judges that are being made for one another. */
  const make = (id: string, path: readonly string[]): Promise<Judge> => {
    if (path.includes(id))
      return Promise.reject(new Error(`the judges ${[...path, id].join(' → ')} need each other`));
    const known = making.get(id);
    if (known) return known;
    const judge = makeOne(id, [...path, id]);
    making.set(id, judge);
    return judge;
  };
  const makeOne = async (id: string, path: readonly string[]): Promise<Judge> => {
    const wanted = Object.hasOwn(settings, id) ? settings[id] : undefined;
    if (!wanted) throw new Error(`there is no judge “${id}”`);
    const own =
      wanted.kind === 'plugin'
        ? await createPluginJudge(id, wanted, deps, (other) => make(other, path))
        : await createJudge(wanted.kind === 'local' ? wanted : { ...wanted, id }, deps);
    if (wanted.fallback === undefined) return own;
    const fallback = await make(wanted.fallback, path);
    return withFallback(own, fallback, { clock: deps.clock, afterMs: wanted.fallbackAfterMs ?? 0 });
  };
  const made = new Map<string, Judge>();
  for (const id of Object.keys(settings)) made.set(id, await make(id, []));
  return made;
}

async function createPluginJudge(
  id: string,
  { pluginKind, timeoutMs, host }: PluginJudgeSettings,
  deps: JudgeDeps,
  judge: (id: string) => Promise<Judge>,
): Promise<Judge> {
  const { pluginJudge } = await import('../plugins/plugin-judge.ts');
  return withTelemetry(await pluginJudge({ id, timeoutMs, judge }, host), pluginKind, deps);
}

/** Settings of a judge. */
export type JudgeSettings =
  | { readonly kind: 'local'; readonly language?: string }
  | ({ readonly kind: 'gemini'; readonly apiKey: () => string } & RemoteSettings)
  | ({ readonly kind: 'openai'; readonly apiKey?: () => string; readonly baseUrl: string } & RemoteSettings);

/** A judge of a plugin, which keeps its own settings. */
export interface PluginJudgeSettings {
  readonly kind: 'plugin';
  readonly pluginKind: string;
  readonly timeoutMs: number;
  readonly host: PluginHost;
}

export interface RemoteSettings {
  /** Name of the judge in verdicts. Default: its kind. */
  readonly id?: string;
  readonly model: string;
  readonly baseUrl?: string;
  /** Dollars per million tokens. Needed for a limit of money. */
  readonly price?: Price;
  readonly limits?: BudgetLimits;
  /** Time zone of the limits per day. Default UTC. */
  readonly timeZone?: string;
  /** How long a call may wait for the limit per minute. Default 0: it is postponed. */
  readonly maxWaitMs?: number;
  /** Concurrent questions. Default 4. */
  readonly concurrency?: number;
  /** Default 60 seconds. */
  readonly timeoutMs?: number;
  readonly contextTokens?: number;
  /** Of one text. Default 12,000. */
  readonly maxInputTokens?: number;
  /** Of one answer, reasoning included. Default 8,192, less for a small context or budget; four times that when one is cut off. */
  readonly maxOutputTokens?: number;
  /** Parts of a long document that are read. Default 8. */
  readonly maxParts?: number;
  /** Temperature, 0 to 2. Default 0 where the model accepts it. */
  readonly temperature?: number;
  /** How much the model reasons before it answers. Default: that of the model. */
  readonly reasoning?: Reasoning;
  /** A folder with prompts that replace ours. */
  readonly prompts?: string;
}

export interface JudgeDeps {
  readonly clock: Clock;
  readonly events: Pick<Events, 'judgeCalled'>;
  /** The guarded HTTP client. */
  readonly fetch: typeof globalThis.fetch;
  readonly budgets: BudgetStore;
  readonly verdicts: VerdictCache & InterestsHistory;
  readonly failures: JudgeFailureStore;
  readonly fenceNames?: FenceNames;
}

/** Contradictory settings. */
export class JudgeSettingsError extends Error {
  override readonly name = 'JudgeSettingsError';
}

/** Creates a judge: cache → telemetry → validated questions → concurrency limit → budget → model. */
export async function createJudge(settings: JudgeSettings, deps: JudgeDeps): Promise<Judge> {
  if (settings.kind === 'local') {
    const local = createLocalJudge({
      monotonic: () => deps.clock.monotonic(),
      ...(settings.language !== undefined && { language: settings.language }),
    });
    return withTelemetry(local, LOCAL_VERSION, deps);
  }
  if (settings.limits?.microUsdPerDay !== undefined && settings.price === undefined) {
    throw new JudgeSettingsError('A limit of money a day needs the price of the model');
  }
  const prompts = await loadPrompts(settings.prompts);
  const model = await modelOf(settings, deps);
  const price = settings.price ?? null;
  const budgeted = withBudget(model, {
    ...budgetOf(settings, deps),
    limits: settings.limits ?? {},
    price,
    maxWaitMs: settings.maxWaitMs ?? 0,
  });
  const remote = createRemoteJudge({
    model: withConcurrency(budgeted, settings.concurrency ?? 4),
    prompts,
    clock: deps.clock,
    price,
    maxInputTokens: settings.maxInputTokens ?? 12_000,
    maxOutputTokens: settings.maxOutputTokens ?? defaultOutputTokens(settings, model),
    maxParts: settings.maxParts ?? 8,
    ...(deps.fenceNames === undefined ? {} : { fenceNames: deps.fenceNames }),
  });
  return withCache(withTelemetry(remote, settings.model, deps), {
    cache: deps.verdicts,
    history: deps.verdicts,
    model: settings.model,
    promptVersion: (question) => prompts.version(question),
    clock: deps.clock,
    health: new JudgeHealth(budgetIdOf(settings), deps.failures, deps.clock),
  });
}

/**
 * Enough for a model that reasons by default, but small enough to leave space for the text in a small context, and to fit a small
 * budget: the most a call may use is reserved before it is made.
 */
function defaultOutputTokens({ limits, price }: RemoteSettings, model: Model): number {
  const affordable =
    limits?.microUsdPerDay === undefined || !price?.outputPerMillion
      ? DEFAULT_OUTPUT_TOKENS
      : limits.microUsdPerDay / price.outputPerMillion / 4;
  const most = Math.min(
    DEFAULT_OUTPUT_TOKENS,
    model.contextTokens / 4,
    (limits?.tokensPerDay ?? Number.POSITIVE_INFINITY) / 4,
    affordable,
  );
  return Math.max(MIN_OUTPUT_TOKENS, Math.floor(most));
}

const DEFAULT_OUTPUT_TOKENS = 8192;
/** The default before models reasoned. */
const MIN_OUTPUT_TOKENS = 2048;

/** Spending and last failure of a judge, for `status` and the page; `null` for the local one and those of plugins. */
export async function judgeSpend(
  settings: NamedJudge,
  deps: Pick<JudgeDeps, 'clock' | 'budgets' | 'failures'>,
): Promise<(Spend & { readonly limits: BudgetLimits; readonly trouble: ReportedFailure | null }) | null> {
  if (settings.kind === 'local' || settings.kind === 'plugin') return null;
  const [spend, failure] = await Promise.all([
    spendOf(budgetOf(settings, deps)),
    deps.failures.lastFailure(budgetIdOf(settings)),
  ]);
  return { ...spend, limits: settings.limits ?? {}, trouble: failure };
}

/** One for each model: models have separate budgets and failures. */
function budgetIdOf({ id, kind, model }: Exclude<JudgeSettings, { kind: 'local' }>): string {
  return `${id ?? kind}/${model}`;
}

function budgetOf(
  settings: Exclude<JudgeSettings, { kind: 'local' }>,
  deps: Pick<JudgeDeps, 'clock' | 'budgets'>,
) {
  return {
    store: deps.budgets,
    budgetId: budgetIdOf(settings),
    timeZone: settings.timeZone ?? 'UTC',
    clock: deps.clock,
  };
}

async function modelOf(settings: Exclude<JudgeSettings, { kind: 'local' }>, deps: JudgeDeps): Promise<Model> {
  const shared = {
    model: settings.model,
    fetch: deps.fetch,
    clock: deps.clock,
    timeoutMs: settings.timeoutMs ?? 60_000,
    id: settings.id ?? settings.kind,
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(settings.reasoning === undefined ? {} : { reasoning: settings.reasoning }),
    ...(settings.contextTokens === undefined ? {} : { contextTokens: settings.contextTokens }),
  };
  if (settings.kind === 'gemini') {
    const { createGeminiModel } = await import('./gemini/gemini-model.ts');
    const address = settings.baseUrl === undefined ? {} : { baseUrl: settings.baseUrl };
    return createGeminiModel({ ...shared, ...address, apiKey: settings.apiKey });
  }
  const { createOpenaiModel } = await import('./openai/openai-model.ts');
  const key = settings.apiKey === undefined ? {} : { apiKey: settings.apiKey };
  return createOpenaiModel({ ...shared, ...key, baseUrl: settings.baseUrl });
}
