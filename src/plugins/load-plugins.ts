import { assetPath } from '../assets/assets.ts';
import type { RuleViolation } from '../config/cross-rules.ts';
import { isGroup, type OwnNames } from '../config/schema/section.ts';
import { LITERAL_SECRET, Secret, secretPlaceOf } from '../config/secrets.ts';
import { SECRET_FIELD } from '../telemetry/secrets.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import {
  type ConfiguredEntry,
  ConfiguredPlugins,
  type LoadedPlugin,
  type PluginDefinitions,
  type PluginSection,
  SOURCE_STORE,
} from './configured-plugins.ts';
import { PLUGIN_API_VERSION, type Plugin } from './plugin.ts';
import { callPlugin, PluginCallError } from './plugin-call.ts';
import { resolvePlugin } from './resolve-plugin.ts';
import type { StandardSchema, StandardSchemaIssue } from './standard-schema.ts';

/** Of a module to be loaded, and of settings to be checked: either may do work of its own. */
const LOAD_TIMEOUT_MS = 30 * SECOND;

const SECTIONS = ['sources', 'judges', 'publishers', 'sourceStores'] as const;
const NOUNS = {
  sources: 'source',
  judges: 'judge',
  publishers: 'publisher',
  sourceStores: 'source store',
} as const satisfies Record<PluginSection, string>;

const KIND = /^[a-z][a-z0-9-]{0,63}$/;

export interface LoadPluginsOptions {
  /** Folder of the configuration file: plugins are looked for there first. */
  readonly folder: string;
  /** Kinds and keys that are Kawaraban's own, by section. */
  readonly own: Readonly<Record<PluginSection, OwnNames>>;
  /** Where secrets are read from; `null` if they are not. */
  readonly env: NodeJS.ProcessEnv | null;
  readonly clock?: Clock;
  /** Imports a module by its URL. Tests replace it. */
  readonly load?: (url: string) => Promise<unknown>;
}

/**
 * Loads the plugins that a document names, and has them check the settings of the entries that use their kinds. Problems are
 * collected, never thrown. Malformed parts of the document are skipped: its schema reports them.
 */
export async function loadPlugins(
  document: Readonly<Record<string, unknown>>,
  options: LoadPluginsOptions,
): Promise<ConfiguredPlugins> {
  const violations: RuleViolation[] = [];
  const plugins: { readonly specifier: string; readonly plugin: Plugin }[] = [];
  const kinds = new Kinds(options.own);
  const listed = Array.isArray(document.plugins) ? document.plugins : [];
  for (const [n, specifier] of listed.entries()) {
    if (typeof specifier !== 'string' || specifier === '') continue;
    const path = ['plugins', n];
    const plugin =
      listed.indexOf(specifier) < n
        ? 'stands here a second time: remove one'
        : await load(specifier, options);
    if (typeof plugin === 'string') violations.push({ path, message: `\`${specifier}\` ${plugin}` });
    else {
      violations.push(
        ...kinds.add(plugin).map((message) => ({ path, message: `\`${specifier}\` ${message}` })),
      );
      plugins.push({ specifier, plugin });
    }
  }
  const entries = {
    sources: new Map<string, ConfiguredEntry<PluginDefinitions['sources']>>(),
    judges: new Map<string, ConfiguredEntry<PluginDefinitions['judges']>>(),
    publishers: new Map<string, ConfiguredEntry<PluginDefinitions['publishers']>>(),
    sourceStores: new Map<string, ConfiguredEntry<PluginDefinitions['sourceStores']>>(),
  };
  for (const section of SECTIONS)
    for (const { id, path, written } of writtenEntries(document, section)) {
      const found = kinds.get(section, written.kind);
      if (found === undefined) continue;
      const checked = await checkSettings(written, found.definition.settings, options, section);
      if ('problems' in checked)
        violations.push(...checked.problems.map((one) => ({ ...one, path: [...path, ...one.path] })));
      // The map and the definition are of the same section.
      else (entries[section] as Map<string, unknown>).set(id, { ...found, ...checked });
    }
  const loaded = plugins.map(
    ({ specifier, plugin }): LoadedPlugin => ({ specifier, name: plugin.name, kinds: kindsOf(plugin) }),
  );
  return new ConfiguredPlugins(loaded, entries, violations);
}

/** The kinds of all plugins; each exists once. */
class Kinds {
  readonly #own: LoadPluginsOptions['own'];
  readonly #found = new Map<string, Found>();

  constructor(own: LoadPluginsOptions['own']) {
    this.#own = own;
  }

  /** Adds those of a plugin; returns what is wrong with them. */
  add(plugin: Plugin): string[] {
    const problems: string[] = [];
    for (const section of SECTIONS)
      for (const [kind, definition] of Object.entries(plugin[section] ?? {})) {
        const what = `brings a ${NOUNS[section]} of kind \`${kind.slice(0, 64)}\``;
        const earlier = this.#found.get(`${section} ${kind}`);
        if (!KIND.test(kind)) problems.push(`${what}: a kind is made of lower-case letters, digits and -`);
        else if (this.#own[section].kinds.includes(kind))
          problems.push(`${what}, which Kawaraban has itself`);
        else if (earlier !== undefined)
          problems.push(`${what}, as \`${earlier.plugin}\` does: remove one of the plugins`);
        else this.#found.set(`${section} ${kind}`, { plugin: plugin.name, kind, definition });
      }
    return problems;
  }

  get(section: PluginSection, kind: unknown): Found | undefined {
    return typeof kind === 'string' ? this.#found.get(`${section} ${kind}`) : undefined;
  }
}

interface Found {
  readonly plugin: string;
  readonly kind: string;
  readonly definition: PluginDefinitions[PluginSection];
}

/** The plugin, or why it cannot be used. */
async function load(specifier: string, options: LoadPluginsOptions): Promise<Plugin | string> {
  const { folder, clock = systemClock, load: importModule = (url: string) => import(url) } = options;
  let url: string | null;
  try {
    // A plugin that is installed beside a global Kawaraban is found from there.
    url = resolvePlugin(specifier, [folder, assetPath('.')]);
  } catch {
    return 'has a package.json that cannot be read: install it again';
  }
  if (url === null)
    return /^[./\\]/.test(specifier)
      ? `does not exist: the path starts at ${folder}`
      : `is not installed: run \`npm install ${specifier}\` in ${folder}, or install it globally beside a global kawaraban`;
  try {
    const module = await callPlugin(() => importModule(url), { clock, timeoutMs: LOAD_TIMEOUT_MS });
    return asPlugin(isGroup(module) ? module.default : null);
  } catch (error) {
    if (!(error instanceof PluginCallError)) throw error;
    return error.why === 'timeout' ? error.message : `cannot be loaded: ${firstLine(error.message)}`;
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** The plugin, or why this is none. */
function asPlugin(exported: unknown): Plugin | string {
  if (!isGroup(exported) || !('apiVersion' in exported))
    return 'is not a plugin: its default export must be made by `definePlugin`';
  const { name, apiVersion } = exported;
  if (apiVersion !== PLUGIN_API_VERSION)
    return `is written for version ${String(apiVersion)} of the plugin interface, and this Kawaraban has version ${PLUGIN_API_VERSION}: install the version of the plugin for it`;
  if (typeof name !== 'string' || name === '') return 'is not a plugin: it has no `name`';
  for (const section of SECTIONS) {
    const definitions = exported[section];
    if (definitions === undefined) continue;
    if (!isGroup(definitions)) return `is not a plugin: \`${section}\` must be an object of kinds`;
    for (const [kind, definition] of Object.entries(definitions))
      if (!isDefinition(definition))
        return `is not a plugin: \`${section}.${kind}\` needs \`settings\` (a Standard Schema) and \`create\``;
  }
  return exported as unknown as Plugin;
}

function isDefinition(value: unknown): boolean {
  if (!isGroup(value) || typeof value.create !== 'function') return false;
  const { settings } = value;
  // A validator may be a function with the property.
  const standard =
    (typeof settings === 'object' || typeof settings === 'function') && settings !== null
      ? (settings as { readonly '~standard'?: unknown })['~standard']
      : undefined;
  return isGroup(standard) && standard.version === 1 && typeof standard.validate === 'function';
}

function kindsOf(plugin: Plugin): LoadedPlugin['kinds'] {
  const of = (section: PluginSection): readonly string[] => Object.keys(plugin[section] ?? {});
  return {
    sources: of('sources'),
    judges: of('judges'),
    publishers: of('publishers'),
    sourceStores: of('sourceStores'),
  };
}

interface WrittenEntry {
  readonly id: string;
  readonly path: readonly PropertyKey[];
  readonly written: Readonly<Record<string, unknown>>;
}

function writtenEntries(document: Readonly<Record<string, unknown>>, section: PluginSection): WrittenEntry[] {
  if (section === 'sourceStores') {
    const store = isGroup(document.polling) ? document.polling.store : undefined;
    return isGroup(store) ? [{ id: SOURCE_STORE, path: ['polling', 'store'], written: store }] : [];
  }
  const entries = document[section];
  return Object.entries(isGroup(entries) ? entries : {}).flatMap(([id, written]) =>
    isGroup(written) ? [{ id, path: [section, id], written }] : [],
  );
}

type CheckedSettings =
  | { readonly settings: unknown; readonly secrets: readonly Secret[] }
  | { readonly problems: readonly RuleViolation[] };

async function checkSettings(
  written: Readonly<Record<string, unknown>>,
  schema: StandardSchema,
  { own, env, folder, clock = systemClock }: LoadPluginsOptions,
  section: PluginSection,
): Promise<CheckedSettings> {
  const keys = ['kind', ...own[section].keys];
  const plain = Object.fromEntries(Object.entries(written).filter(([key]) => !keys.includes(key)));
  const literals = literalSecrets(plain, []);
  if (literals.length > 0) return { problems: literals };
  const secrets: Secret[] = [];
  const settings = withSecrets(plain, secrets);
  if (env !== null) for (const secret of secrets) secret.load(env, folder);
  try {
    const result = await callPlugin(() => schema['~standard'].validate(settings), {
      clock,
      timeoutMs: LOAD_TIMEOUT_MS,
    });
    if (!result.issues) return { settings: result.value, secrets };
    return { problems: result.issues.map(issueProblem) };
  } catch (error) {
    if (!(error instanceof PluginCallError)) throw error;
    return { problems: [{ path: [], message: `its plugin cannot check these settings: ${error.message}` }] };
  }
}

function issueProblem({ message, path = [] }: StandardSchemaIssue): RuleViolation {
  return {
    path: path.map((part) => (typeof part === 'object' ? part.key : part)),
    message: firstLine(message),
  };
}

/** Keys that name a secret, with the secret itself as their value (X7). */
function literalSecrets(value: unknown, path: readonly PropertyKey[]): RuleViolation[] {
  if (Array.isArray(value)) return value.flatMap((each, n) => literalSecrets(each, [...path, n]));
  if (!isGroup(value)) return [];
  return Object.entries(value).flatMap(([key, below]) =>
    typeof below === 'string' && SECRET_FIELD.test(key)
      ? [{ path: [...path, key], message: LITERAL_SECRET }]
      : literalSecrets(below, [...path, key]),
  );
}

/** The same value with a `Secret` in place of each reference. */
function withSecrets(value: unknown, secrets: Secret[]): unknown {
  if (Array.isArray(value)) return value.map((each) => withSecrets(each, secrets));
  if (!isGroup(value)) return value;
  const place = secretPlaceOf(value);
  if (place !== null) {
    const secret = new Secret(place);
    secrets.push(secret);
    return secret;
  }
  return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, withSecrets(below, secrets)]));
}
