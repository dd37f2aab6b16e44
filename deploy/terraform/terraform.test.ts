import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build } from '../../scripts/build.ts';
import { queueNames } from '../../src/storage/pubsub/topics.ts';
import { requires } from '../../test/requirements.ts';

const run = promisify(execFile);
const here = import.meta.dirname;
const text = (name: string): string => readFileSync(join(here, name), 'utf8');

requires('terraform')('the Terraform module for Google Cloud', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-terraform-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Quiet, and without network access. */
  const terraform = (args: readonly string[], cwd: string) =>
    run('terraform', args, {
      cwd,
      env: { ...process.env, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1', TF_CLI_ARGS: '-no-color' },
    });

  it('X16 is formatted by terraform fmt', async () => {
    await terraform(['fmt', '-check', '-diff', here], folder);
  });

  it('X16 passes terraform validate, where its provider can be installed', async ({ skip }) => {
    cpSync(here, join(folder, 'terraform'), {
      recursive: true,
      filter: (path) => !path.includes('.terraform'),
    });
    cpSync(join(here, '..', 'firestore.rules'), join(folder, 'firestore.rules'));
    cpSync(join(here, '..', 'firestore.indexes.json'), join(folder, 'firestore.indexes.json'));
    const at = join(folder, 'terraform');
    try {
      await terraform(['init', '-backend=false', '-input=false'], at);
    } catch {
      skip('the Google Cloud provider cannot be downloaded (terraform init)');
    }
    await terraform(['validate'], at);
  });

  it('X16 A15 has every index and every exception of the file that the program’s queries are checked by', async () => {
    // Terraform itself evaluates the module's own expressions; without resources it needs no provider.
    const locals = /locals \{\n.*?\n\}\n/s.exec(text('firestore.tf'))?.[0] ?? '';
    const module = join(folder, 'terraform');
    cpSync(here, module, { recursive: true, filter: (path) => path === here });
    cpSync(join(here, '..', 'firestore.indexes.json'), join(folder, 'firestore.indexes.json'));
    writeFileSync(
      join(module, 'main.tf'),
      `variable "indexes_file" { default = "" }\n${locals}\noutput "composite" { value = local.composite }\noutput "not_indexed" { value = local.not_indexed }\n`,
    );
    await terraform(['init', '-input=false'], module);
    await terraform(['apply', '-auto-approve', '-input=false'], module);
    const { stdout } = await terraform(['output', '-json'], module);
    const made = JSON.parse(stdout) as Record<
      'composite' | 'not_indexed',
      { value: Record<string, unknown> }
    >;
    const file = JSON.parse(readFileSync(join(here, '..', 'firestore.indexes.json'), 'utf8')) as {
      indexes: unknown[];
      fieldOverrides: unknown[];
    };
    const known = (items: readonly unknown[]): string[] =>
      items.map((item) => JSON.stringify(item, sorted)).toSorted();
    expect(known(Object.values(made.composite.value))).toEqual(known(file.indexes));
    expect(known(Object.values(made.not_indexed.value))).toEqual(known(file.fieldOverrides));
  });

  it('X16 D9 names queues and dead letters as the program does', () => {
    const names = queueNames('kawaraban-videos');
    const pubsub = text('pubsub.tf');
    expect(pubsub).toMatch(/"\$\{var\.topic_prefix\}-\$\{id\}"/);
    expect([names.topic, names.subscription]).toEqual(['kawaraban-videos', 'kawaraban-videos']);
    expect(pubsub.match(/"\$\{each\.value\}-dead"/g)).toHaveLength(2);
    expect([names.deadTopic, names.deadSubscription]).toEqual([
      'kawaraban-videos-dead',
      'kawaraban-videos-dead',
    ]);
  });

  describe('a newsroom that is called', () => {
    /** What Terraform makes of the module's own variables and locals; without resources it needs no provider. */
    async function evaluated(variables: object): Promise<Evaluated> {
      const locals = ['services.tf', 'cloud-run.tf'].map(
        (name) => /^locals \{\n.*?\n\}\n/ms.exec(text(name))?.[0],
      );
      const outputs = ['ready', 'missing_versions', 'calls'].map(
        (name) => `output "${name}" {\n  value = local.${name}\n}\n`,
      );
      cpSync(join(here, 'variables.tf'), join(folder, 'variables.tf'));
      writeFileSync(join(folder, 'main.tf'), [...locals, ...outputs].join('\n'));
      writeFileSync(
        join(folder, 'terraform.tfvars.json'),
        JSON.stringify({ project: 'p', secrets: ['A_TOKEN', 'B_TOKEN'], ...variables }),
      );
      await terraform(['init', '-input=false'], folder);
      await terraform(['apply', '-auto-approve', '-input=false'], folder);
      const { stdout } = await terraform(['output', '-json'], folder);
      const found = JSON.parse(stdout) as Record<keyof Evaluated, { value: never }>;
      return {
        ready: found.ready.value,
        missing_versions: found.missing_versions.value,
        calls: found.calls.value,
      };
    }
    const called = {
      schedules: { morning: { cron: '0 7 * * *' } },
      image: 'i',
      configuration: 'sources: {}',
    };
    const newsroom = block('cloud-run.tf', 'google_cloud_run_v2_service', 'newsroom');

    it('I9 is created, with its schedule, only when each of its secrets has a version', async () => {
      expect(await evaluated(called)).toEqual({
        ready: false,
        missing_versions: ['A_TOKEN', 'B_TOKEN'],
        calls: {},
      });
      expect(await evaluated({ ...called, secret_versions: { A_TOKEN: '1' } })).toMatchObject({
        ready: false,
        missing_versions: ['B_TOKEN'],
      });
      expect(await evaluated({ ...called, secret_versions: { A_TOKEN: '1', B_TOKEN: '3' } })).toEqual({
        ready: true,
        missing_versions: [],
        calls: {
          morning: { cron: '0 7 * * *', time_zone: 'Asia/Tokyo', path: '/run/morning' },
          sweep: { cron: '0 3 * * 0', time_zone: 'Asia/Tokyo', path: '/sweep' },
        },
      });
      expect(await evaluated({})).toMatchObject({ ready: false, calls: {} });
      expect(newsroom).toMatch(/^ {2}count += local\.ready \? 1 : 0$/m);
      expect(block('cloud-run.tf', 'google_cloud_run_v2_service_iam_member', 'caller_calls')).toMatch(
        /^ {2}count += local\.ready \? 1 : 0$/m,
      );
      expect(block('cloud-run.tf', 'google_cloud_scheduler_job', 'call')).toMatch(
        /^ {2}for_each += local\.calls$/m,
      );
      expect(newsroom).toMatch(/version = var\.secret_versions\[env\.key\]/);
      expect(newsroom).not.toContain('latest');
    });

    it('I9 waits for the grants of every secret that it reads', () => {
      const [, waitsFor = ''] = /^ {2}depends_on = \[(.*?)\]/ms.exec(newsroom) ?? [];
      const grants = [
        ...text('secrets.tf').matchAll(/resource "(google_secret_manager_secret_iam_member)" "(\w+)"/g),
      ].map(([, type, name]) => `${type}.${name}`);
      expect(grants).toHaveLength(2);
      for (const grant of [...grants, 'google_project_service.api']) expect(waitsFor).toContain(grant);
    });

    it('I9 mounts the configuration where the image looks for it, and runs a file of the image', async () => {
      const image = readFileSync(join(here, '../container/Dockerfile'), 'utf8');
      const [, path = ''] = /KAWARABAN_CONFIG=(\S+)/.exec(image) ?? [];
      expect(newsroom).toMatch(
        new RegExp(`volume_mounts \\{\\s+name += "configuration"\\s+mount_path = "${dirname(path)}"`),
      );
      expect(newsroom).toMatch(
        new RegExp(
          `version = google_secret_manager_secret_version\\.configuration\\[0\\]\\.version\\s+path += "${basename(path)}"`,
        ),
      );
      const [, program = ''] = /command = \["node", "(.+)"\]/.exec(newsroom) ?? [];
      const installed = '/usr/lib/kawaraban/';
      expect(program.startsWith(installed), program).toBe(true);
      expect(image).toContain(`scripts/package.ts program /image${installed.slice(0, -1)}`);
      await build();
      expect(existsSync(join(here, '../..', program.slice(installed.length))), program).toBe(true);
    });

    it.each([
      ['no configuration', { configuration: '' }, 'needs a configuration'],
      ['a configuration that is no YAML', { configuration: 'a: [' }, 'must be YAML'],
      ['no image', { image: '' }, 'needs an image'],
      ['a version of an unknown secret', { secret_versions: { C_TOKEN: '1' } }, 'must be one of'],
    ])('I9 is refused with %s', async (_what, wrong, message) => {
      await expect(evaluated({ ...called, ...wrong })).rejects.toMatchObject({
        stderr: expect.stringContaining(message),
      });
    });
  });

  it('X7 X16 grants the least privileges, and contains no secret', () => {
    const all = readdirSync(here)
      .filter((name) => name.endsWith('.tf'))
      .map(text)
      .join('\n');
    const roles = [...all.matchAll(/role\s+=\s+"([^"]+)"/g)].map(([, role]) => role);
    expect(new Set(roles)).toEqual(
      new Set([
        'roles/datastore.user',
        'roles/pubsub.publisher',
        'roles/pubsub.subscriber',
        'roles/pubsub.viewer',
        'roles/secretmanager.secretAccessor',
        'roles/iam.workloadIdentityUser',
        'roles/run.invoker',
      ]),
    );
    // The configuration names secrets and contains none.
    expect([...all.matchAll(/secret_data\s+=\s+(.*)/g)].map(([, value]) => value)).toEqual([
      'var.configuration',
    ]);
    expect(all).not.toMatch(/allUsers|allAuthenticatedUsers|roles\/(owner|editor)/);
    // Only one role is granted on the whole project, and it is restricted to one database.
    expect(all.match(/google_project_iam_member"/g)).toHaveLength(1);
  });
});

interface Evaluated {
  ready: boolean;
  missing_versions: string[];
  calls: Record<string, unknown>;
}

/** The text of a resource; `terraform fmt` has aligned its lines. */
function block(file: string, type: string, name: string): string {
  const begin = `resource "${type}" "${name}" {\n`;
  const found = text(file).split(begin)[1]?.split('\n}\n')[0];
  if (found === undefined) throw new Error(`There is no ${type}.${name} in ${file}`);
  return found;
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
