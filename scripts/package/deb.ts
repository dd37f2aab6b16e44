import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build as buildProgram, RELEASE } from './program.ts';

const root = join(import.meta.dirname, '../..');
const debian = join(root, 'deploy', 'debian');
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const CONFIG = '/etc/kawaraban/kawaraban.yaml';
const ENVIRONMENT = '/etc/kawaraban/environment';

export interface DebOptions {
  /** Folder that gets the package. */
  readonly target: string;
  /** `xz` takes minutes. */
  readonly compression: 'xz' | 'none';
}

/** `npm run package -- deb`: the Debian package of this machine's architecture, with the Node that runs this. */
export async function build(): Promise<string> {
  return buildDeb({ target: RELEASE, compression: 'xz' });
}

/** Builds the package and returns its path. The same commit gives the same bytes. */
export async function buildDeb({ target, compression }: DebOptions): Promise<string> {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`There is no Debian architecture for ${process.arch}`);
  const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
    description: string;
  };
  // A version before the release sorts before it.
  const debianVersion = version.replace('-', '~');
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-deb-'));
  try {
    await stageFiles(folder);
    const kilobytes = Math.ceil(normalise(folder) / 1024);
    stageControl(folder, [
      'Package: kawaraban',
      `Version: ${debianVersion}`,
      `Architecture: ${architecture}`,
      'Maintainer: The Kawaraban developers <noreply@kawaraban.invalid>',
      `Installed-Size: ${kilobytes}`,
      'Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 9), init-system-helpers (>= 1.51)',
      'Recommends: systemd',
      'Section: net',
      'Priority: optional',
      `Description: ${description}`,
      ' Reads feeds, channels and lists of stories, shows them on a page, judges them',
      ' by your interests and posts the best to Discord, Mastodon and timelines.',
    ]);
    mkdirSync(target, { recursive: true });
    const path = join(target, `kawaraban_${debianVersion}_${architecture}.deb`);
    execFileSync('dpkg-deb', [`-Z${compression}`, '--root-owner-group', '--build', folder, path], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, SOURCE_DATE_EPOCH: sourceDate() },
    });
    return path;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function stageFiles(folder: string): Promise<void> {
  const program = join(folder, 'usr/lib/kawaraban');
  await buildProgram(program);
  copyFileSync(process.execPath, join(program, 'node'));
  const copy = (from: string, to: string): void => {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    cpSync(from, join(folder, to));
  };
  const doc = 'usr/share/doc/kawaraban';
  copy(join(debian, 'kawaraban'), 'usr/bin/kawaraban');
  copy(join(root, 'deploy/systemd/kawaraban.service'), 'lib/systemd/system/kawaraban.service');
  copy(join(root, 'docs/guides/systemd.md'), `${doc}/systemd.md`);
  copy(join(debian, 'copyright'), `${doc}/copyright`);
  writeFileSync(join(folder, doc, 'changelog.gz'), gzipSync(readFileSync(join(root, 'CHANGELOG.md'))));
  copy(join(debian, 'environment'), ENVIRONMENT);
  writeFileSync(join(folder, CONFIG), configText());
}

/** The recipe of the reader, with the data where the unit keeps it. */
function configText(): string {
  return readFileSync(join(root, 'recipes/reader.yaml'), 'utf8')
    .replace(/(\$schema=)\S+/, '$1/usr/lib/kawaraban/docs/kawaraban.schema.json')
    .replace(/^# Start it:.*$/m, '# After a change: systemctl restart kawaraban')
    .replace(/time_zone: UTC # .*$/m, 'time_zone: UTC')
    .replace(/^sources:/m, 'data: /var/lib/kawaraban # the state directory of the unit\n\nsources:');
}

function stageControl(folder: string, control: readonly string[]): void {
  const target = join(folder, 'DEBIAN');
  mkdirSync(target, { mode: 0o755 });
  writeFileSync(join(target, 'control'), `${control.join('\n')}\n`);
  writeFileSync(join(target, 'conffiles'), `${CONFIG}\n${ENVIRONMENT}\n`);
  for (const name of ['postinst', 'prerm', 'postrm']) {
    copyFileSync(join(debian, name), join(target, name));
    chmodSync(join(target, name), 0o755);
  }
}

/** Modes that do not depend on this machine. Returns the bytes of all files. */
function normalise(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mode, size } = lstatSync(path);
    if (entry.isFile()) bytes += size;
    const secret = path === join(folder, ENVIRONMENT);
    if (!entry.isSymbolicLink())
      chmodSync(path, secret ? 0o640 : entry.isDirectory() || (mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
  chmodSync(folder, 0o755);
  return bytes;
}

/** Time of every file in the package: that of the commit. */
function sourceDate(): string {
  const { SOURCE_DATE_EPOCH } = process.env;
  if (SOURCE_DATE_EPOCH) return SOURCE_DATE_EPOCH;
  return execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim();
}
