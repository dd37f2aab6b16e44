import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { formatPath } from '../config/problems.ts';
import { isGroup } from '../config/schema/section.ts';
import { neededSecrets, readSecret } from '../config/secrets.ts';
import { configWithoutSecrets, textWithoutSecrets } from '../config/without-secrets.ts';
import { registerSecret } from '../telemetry/secrets.ts';
import { CommandError, EXIT } from './errors.ts';
import { writeFileAtomically } from './files.ts';

/** In a backup, beside the manifest of its data, whose form earlier versions read. */
const CONTENTS_FILE = 'contents.json';
const CONFIGURATION_FOLDER = 'configuration';

const contentsSchema = z.object({
  format: z.literal('kawaraban-backup-contents'),
  version: z.literal(1),
  /** Of the program that made it. */
  program: z.string(),
  configuration: z.object({
    /** The configuration and the prompts it names, below `configuration`. Paths are relative to the folder of the configuration. */
    files: z.array(
      z.object({
        path: z.string().regex(/^(?!\.\.?\/)(?!.*\/\.\.?\/)[^/\\][^\\]*$/),
        bytes: z.int().min(0),
        sha256: z.string(),
      }),
    ),
    /** Where a secret stood that is left out: these have to be written again. */
    removed: z.array(z.string()),
  }),
  /** Secrets that the configuration refers to: these have to be set. */
  secrets: z.array(z.object({ at: z.string(), env: z.string().optional(), file: z.string().optional() })),
  /** What the backup does not hold, in sentences. */
  notHeld: z.array(z.string()),
});

export type BackupContents = z.output<typeof contentsSchema>;

export interface ConfigurationCopy {
  readonly contents: BackupContents;
  /** What is written into the backup, by name. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface LoadedConfiguration {
  readonly config: Config;
  /** As it was written. */
  readonly document: unknown;
  readonly env: NodeJS.ProcessEnv;
}

/** The configuration as a backup holds it, and what the backup does not hold. */
export function copyConfiguration(loaded: LoadedConfiguration, program: string): ConfigurationCopy {
  const { config, document, env } = loaded;
  const folder = dirname(config.file);
  const needed = neededSecrets(document);
  // A secret that was typed into the file as well is recognised by its value.
  for (const { place } of needed) {
    const reading = readSecret(place, env, folder);
    if (reading.found) registerSecret(reading.value);
  }
  const main = configWithoutSecrets(readFileSync(config.file, 'utf8'));
  const { inside, outside } = promptFiles(config);
  const removed = [...main.removed];
  const copies = new Map([[basename(config.file), main.text]]);
  for (const path of inside) {
    const text = readFileSync(join(folder, path), 'utf8');
    const clean = textWithoutSecrets(text);
    if (clean !== text) removed.push(path);
    copies.set(path, clean);
  }
  const contents: BackupContents = {
    format: 'kawaraban-backup-contents',
    version: 1,
    program,
    configuration: {
      files: [...copies].map(([path, text]) => ({
        path,
        bytes: Buffer.byteLength(text),
        sha256: hashText(text),
      })),
      removed,
    },
    secrets: needed.map(({ path, place }) => ({ at: formatPath(path), ...place })),
    notHeld: notHeld(loaded, removed, outside),
  };
  return {
    contents,
    texts: new Map([
      ...[...copies].map(([path, text]) => [join(CONFIGURATION_FOLDER, path), text] as const),
      [CONTENTS_FILE, `${JSON.stringify(contents, null, 2)}\n`],
    ]),
  };
}

/** Prompts that replace ours: paths relative to the folder of the configuration, and folders elsewhere. */
function promptFiles({ file, judges }: Config): { inside: readonly string[]; outside: readonly string[] } {
  const folders = Object.values(judges).flatMap((judge) =>
    'prompts' in judge && judge.prompts !== undefined ? [judge.prompts] : [],
  );
  const isInside = (path: string): boolean => !relative(dirname(file), path).startsWith('..');
  const inside = [...new Set(folders)].filter((folder) => isInside(folder) && existsSync(folder));
  return {
    inside: inside.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.md'))
        .map((name) => relative(dirname(file), join(folder, name)).split(sep).join('/')),
    ),
    outside: folders.filter((folder) => !isInside(folder)),
  };
}

function notHeld(
  { config, document, env }: LoadedConfiguration,
  removed: readonly string[],
  outside: readonly string[],
): string[] {
  const folder = dirname(config.file);
  const commands = Object.values(config.pipelines).flatMap((pipeline) =>
    pipeline.kind === 'process' && pipeline.processor.kind === 'command'
      ? [pipeline.processor.command[0]]
      : [],
  );
  const { timelines, data } = config;
  const certificates = tlsFiles(document);
  const copies = existsSync(data)
    ? readdirSync(data).filter((name) => /^(before-upgrade|replaced-.*)$/.test(name))
    : [];
  const usesRedis =
    timelines.store === 'redis' || (timelines.store === undefined && timelines.redis !== undefined);
  const lines: readonly (readonly [boolean, string])[] = [
    [
      true,
      `Values of secrets, which are in the environment${existsSync(join(folder, '.env')) ? ', in .env' : ''} and in files: the configuration only names them`,
    ],
    [removed.length > 0, `Secrets that stood in the configuration: ${removed.join(', ')}`],
    [certificates.length > 0, `Certificates and private keys: ${certificates.join(', ')}`],
    [outside.length > 0, `Prompts outside of the folder of the configuration: ${outside.join(', ')}`],
    [commands.length > 0, `The commands of processors, and what they made: ${commands.join(', ')}`],
    [usesRedis, 'Timelines in Redis: they are built again from the data'],
    [
      timelines.userService !== undefined || timelines.postService !== undefined,
      'People and drops, which are in the remote services',
    ],
    [
      Object.keys(env).some((name) => /^KAWARABAN_/.test(name)),
      'Settings that come from the environment (KAWARABAN_…)',
    ],
    [copies.length > 0, `Copies of earlier data: ${copies.join(', ')}`],
    [true, 'The program itself, and what is at Discord, Mastodon and other destinations'],
  ];
  return lines.flatMap(([applies, words]) => (applies ? [words] : []));
}

/** Files that `tls` groups name. */
function tlsFiles(value: unknown, inTls = false): string[] {
  if (!isGroup(value)) return [];
  return Object.entries(value).flatMap(([key, below]) =>
    typeof below === 'string' ? (inTls ? [below] : []) : tlsFiles(below, /tls$/.test(key)),
  );
}

/** The contents of a backup; `null` for one that an earlier version or an upgrade made, which holds no configuration. */
export function readContents(backup: string): BackupContents | null {
  const path = join(backup, CONTENTS_FILE);
  if (!existsSync(path)) return null;
  try {
    const contents = contentsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    for (const file of contents.configuration.files) readCopy(backup, file);
    return contents;
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError(`${path} is damaged, or of a newer program`, EXIT.badData, { cause });
  }
}

type CopiedFile = BackupContents['configuration']['files'][number];

function readCopy(backup: string, { path, sha256 }: CopiedFile): string {
  const copy = join(backup, CONFIGURATION_FOLDER, path);
  const text = existsSync(copy) ? readFileSync(copy, 'utf8') : null;
  if (text === null || hashText(text) !== sha256)
    throw new CommandError(`${copy} is missing or damaged: it is not what was backed up`, EXIT.badData);
  return text;
}

/** The text of the configuration itself. */
export function configurationIn(backup: string, { configuration }: BackupContents): string | null {
  const [main] = configuration.files;
  return main === undefined ? null : readCopy(backup, main);
}

export interface RestoredConfiguration {
  readonly written: readonly string[];
  /** Files that differ from those of the backup and were left as they are. */
  readonly kept: readonly string[];
  /** Where `replace` has moved the files that it replaced. */
  readonly moved: readonly string[];
}

/** Writes the files that are missing. Others are left as they are, or moved aside. */
export async function restoreConfiguration(
  backup: string,
  contents: BackupContents,
  target: { readonly file: string; readonly replace: boolean; readonly now: number },
): Promise<RestoredConfiguration> {
  const [written, kept, moved]: [string[], string[], string[]] = [[], [], []];
  for (const [nth, copy] of contents.configuration.files.entries()) {
    const text = readCopy(backup, copy);
    // The configuration may have had another name.
    const path = nth === 0 ? target.file : resolve(dirname(target.file), copy.path);
    if (existsSync(path)) {
      const present = readFileSync(path, 'utf8');
      const clean = nth === 0 ? configWithoutSecrets(present).text : textWithoutSecrets(present);
      if (text === clean) continue;
      if (!target.replace) {
        kept.push(path);
        continue;
      }
      const aside = `${path}.replaced-${new Date(target.now).toISOString().replaceAll(/[:.]/g, '-')}`;
      await rename(path, aside);
      moved.push(aside);
    }
    await mkdir(dirname(path), { recursive: true });
    await writeFileAtomically(path, text, { mode: 0o600 });
    written.push(path);
  }
  return { written, kept, moved };
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
