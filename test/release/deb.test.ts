import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildDeb } from '../../scripts/package/deb.ts';
import { requires } from '../requirements.ts';
import { BASE_TIMEOUT_MS, DebianSystem } from './debian-system.ts';

const OPML =
  '<opml version="2.0"><body><outline text="Kept" xmlUrl="https://news.example/feed.xml"/></body></opml>';
const CONFIG = '/etc/kawaraban/kawaraban.yaml';
/** Bytes of all files together; it has 196 MB. */
const MAX_INSTALLED = 220e6;

requires('debian-system', 'release-check')('the Debian package', () => {
  let folder: string;
  let deb: string;
  let system: DebianSystem;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-deb-test-'));
    deb = await buildDeb({ target: folder, compression: 'none' });
    system = await DebianSystem.boot();
  }, BASE_TIMEOUT_MS);
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const inside = (path: string): string => join(system.root, path);
  async function install(path: string): Promise<void> {
    copyFileSync(path, inside('/root/kawaraban.deb'));
    await system.run('dpkg', '--force-unsafe-io', '--install', '/root/kawaraban.deb');
    rmSync(inside('/root/kawaraban.deb'));
  }
  const property = async (name: string): Promise<string> =>
    (await system.run('systemctl', 'show', '--value', `--property=${name}`, 'kawaraban')).trim();
  const get = (path: string): Promise<string> =>
    system.run(
      '/usr/lib/kawaraban/node',
      '--eval',
      `fetch('http://127.0.0.1:8080${path}').then(async (a) => console.log(a.status, await a.text()))`,
    );
  const sourceNames = async (): Promise<string[]> => {
    const list = JSON.parse(await system.run('kawaraban', 'sources', 'list', '--json')) as { name: string }[];
    return list.map(({ name }) => name);
  };

  it('I5 I6 it installs, and the hardened service is ready and shows its page', async () => {
    await install(deb);
    expect(await property('ActiveState')).toBe('active');
    expect(await property('StatusText')).toBe('Serving http://127.0.0.1:8080');
    expect((await system.run('systemctl', 'is-enabled', 'kawaraban')).trim()).toBe('enabled');
    expect(await get('/readyz')).toMatch(/^200 /);
    expect(await get('/')).toMatch(/^200 <!doctype html>/i);
    const user = statSync(inside('/var/lib/private/kawaraban')).uid;
    expect(user).toBeGreaterThan(60_000);
    expect(statSync(inside('/etc/kawaraban/environment')).mode & 0o777).toBe(0o640);
    const bytes = Number(
      /^Installed-Size: (\d+)/m.exec(await system.run('dpkg', '--status', 'kawaraban'))?.[1],
    );
    expect(bytes * 1024).toBeLessThan(MAX_INSTALLED);
    expect(await system.run('systemd-analyze', 'verify', 'kawaraban.service')).toBe('');
  });

  it('I6 root uses the newsroom of the service, and what it writes belongs to the user of the service', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
      version: string;
    };
    expect((await system.run('kawaraban', '--version')).trim()).toBe(version);
    writeFileSync(inside('/root/feeds.opml'), OPML);
    await system.run('kawaraban', 'sources', 'import', '/root/feeds.opml');
    expect(await sourceNames()).toEqual(['Kept']);
    await system.run('kawaraban', 'backup', '/root/backup');
    const { uid } = statSync(inside('/var/lib/private/kawaraban'));
    const owners = await system.run('find', '/var/lib/private/kawaraban', '/root/backup', '-printf', '%U\n');
    expect(new Set(owners.trim().split('\n'))).toEqual(new Set([String(uid)]));
  });

  it('I5 a program that does not answer the watchdog is restarted', async () => {
    const dropIn = '/etc/systemd/system/kawaraban.service.d';
    await system.run('mkdir', dropIn);
    writeFileSync(inside(`${dropIn}/watchdog.conf`), '[Service]\nWatchdogSec=3\nRestartSec=0\n');
    await system.run('systemctl', 'daemon-reload');
    await system.run('systemctl', 'restart', 'kawaraban');
    await system.run('systemctl', 'kill', '--kill-whom=main', '--signal=STOP', 'kawaraban');
    await expect.poll(() => property('NRestarts')).not.toBe('0');
    await system.run('rm', '-r', dropIn);
    await system.run('systemctl', 'daemon-reload');
    await system.run('systemctl', 'restart', 'kawaraban');
    expect(await get('/healthz')).toMatch(/^200 /);
  });

  it('I6 an upgrade restarts the service and keeps the data and the configuration', async () => {
    const unpacked = join(folder, 'next');
    await promisify(execFile)('dpkg-deb', ['--raw-extract', deb, unpacked]);
    const control = join(unpacked, 'DEBIAN/control');
    writeFileSync(control, readFileSync(control, 'utf8').replace(/^(Version: .*)$/m, '$1+next'));
    const next = join(folder, 'next.deb');
    await promisify(execFile)('dpkg-deb', ['-Znone', '--root-owner-group', '--build', unpacked, next]);
    await system.run('sh', '-c', `echo '# changed by the administrator' >>${CONFIG}`);
    const before = await property('MainPID');
    await install(next);
    expect(await system.run('dpkg-query', '--show', '--showformat=${Version}', 'kawaraban')).toContain(
      '+next',
    );
    expect(await property('MainPID')).not.toBe(before);
    expect(await property('ActiveState')).toBe('active');
    expect(readFileSync(inside(CONFIG), 'utf8')).toContain('# changed by the administrator');
    expect(await sourceNames()).toEqual(['Kept']);
  });

  it('I6 removing stops the service and keeps the data and the configuration; purging removes them', async () => {
    await system.run('dpkg', '--remove', 'kawaraban');
    expect(existsSync(inside('/usr/lib/kawaraban'))).toBe(false);
    expect(existsSync(inside('/var/cache/private/kawaraban'))).toBe(false);
    expect(await property('ActiveState')).toBe('inactive');
    expect(existsSync(inside('/var/lib/private/kawaraban/sources.db'))).toBe(true);
    expect(existsSync(inside(CONFIG))).toBe(true);
    await install(deb);
    expect(await sourceNames()).toEqual(['Kept']);
    await system.run('dpkg', '--purge', 'kawaraban');
    for (const path of ['/var/lib/private/kawaraban', '/etc/kawaraban', '/usr/bin/kawaraban'])
      expect(existsSync(inside(path)), path).toBe(false);
    expect(await system.run('find', '/etc/systemd', '/var/lib/systemd', '-name', 'kawaraban*')).toBe('');
  });

  it('I6 the same commit gives the same package', async () => {
    const again = join(folder, 'again');
    const other = await buildDeb({ target: again, compression: 'none' });
    expect(readFileSync(other).equals(readFileSync(deb))).toBe(true);
  });
});
