import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
    expect(all).not.toMatch(/secret_data|allUsers|allAuthenticatedUsers|roles\/(owner|editor)/);
    // Only one role is granted on the whole project, and it is restricted to one database.
    expect(all.match(/google_project_iam_member"/g)).toHaveLength(1);
  });
});

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
