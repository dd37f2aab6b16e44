import { dirname, resolve } from 'node:path';
import { readConfigFile } from './config-file.ts';
import { crossRules } from './cross-rules.ts';
import { withOverrides } from './environment.ts';
import { at, problemsOfIssues } from './issues.ts';
import { formatPath, type Problem } from './problem.ts';
import { document as documentSchema } from './schema/document.ts';
import { loadSecrets, missingSecrets } from './secrets.ts';
import { type SettledConfig, settle } from './settle.ts';
import { readYaml, type YamlDocument } from './yaml-document.ts';

/** `kawaraban.yaml`, checked and complete: every default filled in, every reference known to exist. */
export type Config = SettledConfig;

export type LoadedConfig =
  | {
      readonly ok: true;
      readonly config: Config;
      /** The document as it was written, with the overrides of the environment in it. */
      readonly document: unknown;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface LoadOptions {
  /** `ignore` checks a file on a machine that does not have the secrets. Such a configuration cannot be started. */
  readonly secrets?: 'require' | 'ignore';
}

/** Reads and checks a configuration completely. All problems at once, in the order of the file (X11). */
export function loadConfig(path: string, env: NodeJS.ProcessEnv, options: LoadOptions = {}): LoadedConfig {
  const file = readConfigFile(path);
  return file.ok ? parseConfig(file.text, path, env, options) : { ok: false, problems: [file.problem] };
}

/** The same for a text that is at hand. `path` is where it would stand: relative paths start there. */
export function parseConfig(
  text: string,
  path: string,
  env: NodeJS.ProcessEnv,
  options: LoadOptions = {},
): LoadedConfig {
  const yaml = readYaml(text, path);
  if (!yaml.ok) return yaml;
  const folder = dirname(resolve(path));
  const { document, used } = withOverrides(yaml.document.value, env);
  const shape = documentSchema.safeParse(document, { reportInput: true });
  const problems = [
    ...(shape.success ? [] : problemsOfIssues(shape.error.issues, yaml.document)),
    ...crossRules(document).map((finding) => problemAt(yaml.document, finding.path, finding.message)),
    ...(options.secrets === 'ignore' ? [] : missingSecrets(document, env, folder)).map((finding) =>
      problemAt(yaml.document, finding.path, finding.message),
    ),
  ].map((problem) => blameEnvironment(problem, used));
  if (!shape.success || problems.length > 0) return { ok: false, problems: inOrder(problems) };

  const config = settle(shape.data, resolve(path));
  if (options.secrets !== 'ignore') loadSecrets(config, env, folder);
  return { ok: true, config, document };
}

function problemAt(document: YamlDocument, path: readonly PropertyKey[], message: string): Problem {
  return { file: document.file, ...at(document.placeOf(path)), path: formatPath(path), message };
}

/** A bad value that came from the environment is not in the file, and the message says so. */
function blameEnvironment(
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

function inOrder(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems
    .filter((problem) => {
      const key = `${problem.path}\n${problem.message}`;
      return !seen.has(key) && seen.add(key);
    })
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}
