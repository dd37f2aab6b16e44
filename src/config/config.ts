import { dirname, resolve } from 'node:path';
import { type ConfiguredPlugins, NO_PLUGINS } from '../plugins/configured-plugins.ts';
import { certificateProblems } from './certificates.ts';
import { crossRules, declaresPlugins, type RuleViolation } from './cross-rules.ts';
import { OVERRIDES, type Override } from './overrides.ts';
import { formatPath, lineAndColumn, type Problem, problemsOfIssues } from './problems.ts';
import { type ResolvedConfig, resolveConfig } from './resolve.ts';
import { document as documentSchema } from './schema/document.ts';
import { OWN_JUDGE_NAMES } from './schema/judges.ts';
import { OWN_PUBLISHER_NAMES } from './schema/publishers.ts';
import { isGroup } from './schema/section.ts';
import { OWN_SOURCE_NAMES } from './schema/sources.ts';
import { loadSecrets, missingSecrets } from './secrets.ts';
import { readConfigFile, readYaml, type YamlDocument } from './yaml-document.ts';

/** `kawaraban.yaml`, checked and complete: every default filled in, every reference known to exist. */
export type Config = ResolvedConfig;

export type LoadedConfig =
  | {
      readonly ok: true;
      readonly config: Config;
      /** The document as it was written, with the overrides of the environment in it. */
      readonly document: unknown;
      /** Secrets that are missing where they are optional. */
      readonly missing: readonly Problem[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface LoadOptions {
  /**
   * `ignore` checks a file on a machine that does not have the secrets and certificates; such a configuration cannot be
   * started. `optional` is for commands that send and serve nothing: the secrets of destinations, judges and sources may be
   * missing, and the certificates of our own ports.
   */
  readonly secrets?: 'require' | 'optional' | 'ignore';
}

/** Sections whose secrets only sending, judging and polling need. */
const OPTIONAL_SECRETS: readonly (PropertyKey | undefined)[] = [
  'publishers',
  'judges',
  'embedder',
  'sources',
];

/**
 * Reads and checks a configuration, and loads its plugins. Reports all problems, in the order of the file (X11): those of the
 * plugins and of the settings that they check, too (I3).
 */
export async function loadConfigWithPlugins(
  path: string,
  env: NodeJS.ProcessEnv,
  options: LoadOptions = {},
): Promise<LoadedConfig> {
  const file = readConfigFile(path);
  if (!file.ok) return { ok: false, problems: [file.problem] };
  const yaml = readYaml(file.text, path);
  if (!yaml.ok) return yaml;
  const { document } = withOverrides(yaml.document.value, env);
  if (!declaresPlugins(document)) return checkDocument(yaml.document, path, env, options, NO_PLUGINS);
  const { loadPlugins } = await import('../plugins/load-plugins.ts');
  const plugins = await loadPlugins(document, {
    folder: dirname(resolve(path)),
    own: {
      sources: OWN_SOURCE_NAMES,
      judges: OWN_JUDGE_NAMES,
      publishers: OWN_PUBLISHER_NAMES,
      sourceStores: { kinds: [], keys: [] },
    },
    env: options.secrets === 'ignore' ? null : env,
  });
  return checkDocument(yaml.document, path, env, options, plugins);
}

/**
 * Like `loadConfigWithPlugins`, without loading plugins: what is of a plugin is left unchecked, and cannot be started. For showing a
 * configuration that was checked.
 */
export function loadConfig(path: string, env: NodeJS.ProcessEnv, options: LoadOptions = {}): LoadedConfig {
  const file = readConfigFile(path);
  return file.ok ? parseConfig(file.text, path, env, options) : { ok: false, problems: [file.problem] };
}

/** Like `loadConfig`, for a text. Relative paths are resolved from `path`. */
export function parseConfig(
  text: string,
  path: string,
  env: NodeJS.ProcessEnv,
  options: LoadOptions = {},
): LoadedConfig {
  const yaml = readYaml(text, path);
  return yaml.ok ? checkDocument(yaml.document, path, env, options, null) : yaml;
}

/** `plugins`: `null` if they were not loaded. */
function checkDocument(
  yaml: YamlDocument,
  path: string,
  env: NodeJS.ProcessEnv,
  options: LoadOptions,
  plugins: ConfiguredPlugins | null,
): LoadedConfig {
  const folder = dirname(resolve(path));
  const { document, used } = withOverrides(yaml.value, env);
  // Parsed once: a parser that is compiled first takes longer.
  const shape = documentSchema.safeParse(document, { reportInput: true, jitless: true });
  const { secrets = 'require' } = options;
  const absent = secrets === 'ignore' ? [] : missingSecrets(document, env, folder);
  const toProblem = ({ path: at, message }: RuleViolation): Problem => problemAt(yaml, at, message);
  const isOptional = ({ path: [section] }: RuleViolation): boolean =>
    secrets === 'optional' && OPTIONAL_SECRETS.includes(section);
  const problems = [
    ...(shape.success ? [] : problemsOfIssues(shape.error.issues, yaml)),
    ...[
      ...crossRules(document, plugins),
      ...(plugins?.violations ?? []),
      ...absent.filter((one) => !isOptional(one)),
      ...(secrets === 'ignore' ? [] : certificateProblems(document, folder, secrets === 'require')),
    ].map(toProblem),
  ].map((problem) => environmentProblem(problem, used));
  if (!shape.success || problems.length > 0) return { ok: false, problems: sortedProblems(problems) };

  const config = resolveConfig(shape.data, resolve(path), plugins ?? NO_PLUGINS);
  if (secrets !== 'ignore') loadSecrets(config, env, folder);
  return { ok: true, config, document, missing: absent.filter(isOptional).map(toProblem) };
}

function problemAt(document: YamlDocument, path: readonly PropertyKey[], message: string): Problem {
  return { file: document.file, ...lineAndColumn(document.placeOf(path)), path: formatPath(path), message };
}

/** Names the environment variable in the message of an invalid value that is not in the file. */
function environmentProblem(
  problem: Problem,
  used: readonly { name: string; path: readonly string[] }[],
): Problem {
  const override = used.find(({ path }) => path.join('.') === problem.path);
  if (!override) return problem;
  return {
    ...problem,
    line: null,
    column: null,
    message: `${problem.message} (from the environment variable ${override.name})`,
  };
}

function sortedProblems(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems
    .filter((problem) => {
      const key = `${problem.path}\n${problem.message}`;
      return !seen.has(key) && seen.add(key);
    })
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

/** Applies the overrides of the environment, and returns which ones were used. */
export function withOverrides(
  document: unknown,
  env: NodeJS.ProcessEnv,
): { readonly document: unknown; readonly used: readonly Override[] } {
  if (!isGroup(document)) return { document, used: [] };
  const used = (OVERRIDES as readonly Override[]).filter(
    ({ name, path: [section] }) =>
      (env[name] ?? '') !== '' && (section !== 'engine' || isDistributed(document)),
  );
  let changed: Readonly<Record<string, unknown>> = document;
  for (const { name, path, list } of used) {
    const text = env[name] ?? '';
    changed = set(changed, path, list ? text.split(',').map((each) => each.trim()) : scalar(text));
  }
  return { document: changed, used };
}

/** Overrides of the engine's services apply to the distributed engine only. */
function isDistributed({ engine }: Readonly<Record<string, unknown>>): boolean {
  return isGroup(engine) && engine.kind === 'distributed';
}

function scalar(text: string): string | number {
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

function set(
  group: Readonly<Record<string, unknown>>,
  path: readonly string[],
  value: string | number | readonly string[],
): Readonly<Record<string, unknown>> {
  const [head, ...rest] = path;
  if (head === undefined) return group;
  if (rest.length === 0) return { ...group, [head]: value };
  const below = group[head] ?? {};
  // A malformed section is left as it is and reported by its schema.
  return isGroup(below) ? { ...group, [head]: set(below, rest, value) } : group;
}
