import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findHelm } from '../../scripts/helm.ts';
import { parseConfig } from '../../src/config/config.ts';
import { requires } from '../../test/requirements.ts';
import {
  kustomize,
  type Manifest,
  mayConnect,
  ofKind,
  parseManifests,
  schemaProblems,
  selects,
  workloads,
} from '../kubernetes/manifests.ts';

const run = promisify(execFile);
const here = import.meta.dirname;
const chart = join(here, 'kawaraban');
const GKE = ['--values', join(here, 'gke-values.yaml')];
const EVERYTHING = [...GKE, '--set', 'serviceMonitor.enabled=true,prometheusRule.enabled=true'];
const read = (path: string): string => readFileSync(join(here, '../..', path), 'utf8');

const helm = async (...args: string[]): Promise<string> => (await run(findHelm() ?? 'helm', args)).stdout;
const template = async (...args: string[]): Promise<Manifest[]> =>
  parseManifests(await helm('template', 'kawaraban', chart, '--namespace', 'kawaraban', ...args));

requires('helm', 'kubectl')('the Helm chart', () => {
  let single: Manifest[];
  let everything: Manifest[];
  let folder: string;
  beforeAll(async () => {
    single = await template();
    everything = await template(...EVERYTHING);
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-chart-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['one replica', []],
    ['every role on GKE', GKE],
    ['monitoring', EVERYTHING],
  ])('X16 I8 passes helm lint: %s', async (_what, values) => {
    expect(await helm('lint', '--strict', chart, ...values)).toContain('0 chart(s) failed');
  });

  it('X16 I8 is packaged, and the package renders the same', async () => {
    await helm('package', chart, '--destination', folder);
    const { version } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as { version: string };
    const packaged = join(folder, `kawaraban-${version}.tgz`);
    const rendered = await helm('template', 'kawaraban', packaged, '--namespace', 'kawaraban');
    expect(parseManifests(rendered)).toEqual(single);
  });

  it('X16 I8 renders only fields that Kubernetes’ API knows', async () => {
    expect(await schemaProblems([...single, ...everything])).toBe('');
  });

  it('X16 is of the version of the program, as the production overlay is', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const about = parse(read('deploy/helm/kawaraban/Chart.yaml')) as Record<string, string>;
    expect([about.version, about.appVersion]).toEqual([version, version]);
    const { images } = parse(read('deploy/kubernetes/overlays/production/kustomization.yaml')) as {
      images: { newTag: string }[];
    };
    expect(images.map(({ newTag }) => newTag)).toEqual([version]);
  });

  describe('beside kustomize', () => {
    it('I8 renders one replica as the overlay single does', async () => {
      const withSecret = await template('--set', 'secrets.existingSecret=kawaraban');
      expect(comparable(withSecret)).toEqual(comparable(await kustomize('single')));
    });

    it('I8 renders every role as the overlay production does', async () => {
      expect(comparable(await template(...GKE))).toEqual(comparable(await kustomize('production')));
    });
  });

  it('I8 takes secrets by reference only', () => {
    for (const all of [single, everything]) expect(ofKind(all, 'Secret')).toEqual([]);
    for (const { name, template: pod } of workloads(everything)) {
      expect(pod.spec?.volumes, name).toContainEqual(
        expect.objectContaining({ secret: expect.objectContaining({ secretName: 'kawaraban' }) }),
      );
      const from = pod.spec?.containers[0]?.envFrom?.[0]?.configMapRef?.name;
      const environment = ofKind(everything, 'ConfigMap').find(({ metadata }) => metadata?.name === from);
      expect(environment?.data, name).toMatchObject({
        DISCORD_WEBHOOK_URL_FILE: '/run/secrets/kawaraban/discord-webhook-url',
      });
    }
  });

  it('X6 I8 lets replicas resolve names, and reach no private address but those that are named', () => {
    for (const all of [single, everything])
      for (const { name, template: pod } of workloads(all)) {
        const labels = pod.metadata?.labels ?? {};
        const may = (address: string, port: number, protocol?: 'UDP'): boolean =>
          mayConnect(all, labels, { address, port, ...(protocol && { protocol }) });
        for (const address of ['169.254.20.10', '169.254.169.254'])
          expect([may(address, 53), may(address, 53, 'UDP')], name).toEqual([true, true]);
        expect([may('93.184.215.14', 443), may('10.1.2.3', 443), may('10.1.2.3', 53)]).toEqual([
          true,
          false,
          false,
        ]);
        const onGke = all === everything;
        expect([may('10.0.0.3', 6379), may('169.254.169.254', 80), may('169.254.169.252', 988)]).toEqual([
          onGke,
          onGke,
          onGke,
        ]);
      }
  });

  it('I8 restarts the replicas when the configuration or the environment changes, and only then', async () => {
    const checksum = (all: readonly Manifest[]): unknown =>
      workloads(all)[0]?.template.metadata?.annotations?.['checksum/configuration'];
    const file = join(folder, 'kawaraban.yaml');
    writeFileSync(file, 'sources:\n  mine: { feed: https://example.org/feed }\n');
    const own = await template('--set-file', `configuration=${file}`);
    expect(ofKind(own, 'ConfigMap')[0]?.data?.['kawaraban.yaml']).toContain('https://example.org/feed');
    const sums = [
      checksum(single),
      checksum(own),
      checksum(await template('--set', 'environment.KAWARABAN_LOG_LEVEL=debug')),
    ];
    expect(new Set(sums).size).toBe(3);
    expect(checksum(await template('--set', 'service.annotations.a=b'))).toBe(sums[0]);
  });

  it('I8 sets the number of replicas only where no autoscaler does', async () => {
    const replicas = (all: readonly Manifest[]) =>
      Object.fromEntries(
        ofKind(all, 'Deployment').map(({ metadata, spec }) => [metadata?.name, spec?.replicas]),
      );
    expect(replicas(everything)).toEqual({
      'kawaraban-web': undefined,
      'kawaraban-timeline': undefined,
      'kawaraban-worker': undefined,
      'kawaraban-scheduler': 2,
    });
    const fixed = await template(...GKE, '--set', 'roles.web.autoscaling.enabled=false,roles.web.replicas=3');
    expect(replicas(fixed)['kawaraban-web']).toBe(3);
    expect(ofKind(fixed, 'HorizontalPodAutoscaler').map(({ metadata }) => metadata?.name)).not.toContain(
      'kawaraban-web',
    );
  });

  it('X11 carries samples that pass the check', () => {
    for (const all of [single, everything]) {
      const [{ data } = {}] = ofKind(all, 'ConfigMap');
      const env = { KAWARABAN_SERVICE_TOKEN: 'x'.repeat(40) };
      const loaded = parseConfig(data?.['kawaraban.yaml'] ?? '', '/etc/kawaraban/kawaraban.yaml', env);
      expect(loaded.ok ? [] : loaded.problems).toEqual([]);
    }
  });

  it('X15 I8 lets Prometheus’ operator find every replica and the alert rules', () => {
    type Monitor = Manifest & {
      spec: {
        selector: { matchLabels: Record<string, string> };
        jobLabel: string;
        endpoints: { port: string }[];
      };
    };
    const monitor = everything.find(({ kind }) => kind === 'ServiceMonitor') as Monitor;
    const found = ofKind(everything, 'Service').filter(({ metadata }) =>
      selects(monitor.spec.selector.matchLabels, metadata?.labels ?? {}),
    );
    expect(found).toHaveLength(1);
    const [service] = found;
    expect(service?.spec?.ports?.map(({ name }) => name)).toEqual(
      monitor.spec.endpoints.map(({ port }) => port),
    );
    for (const { name, template: pod } of workloads(everything))
      expect(selects(service?.spec?.selector ?? {}, pod.metadata?.labels ?? {}), name).toBe(true);
    // The rules ask for the job of this name.
    expect(service?.metadata?.labels?.[monitor.spec.jobLabel]).toBe('kawaraban');
    const rules = everything.filter(({ kind }) => kind === 'PrometheusRule') as (Manifest & {
      spec: unknown;
    })[];
    expect(rules.map(({ spec }) => spec)).toEqual(
      ['newsroom', 'timelines', 'firestore'].map((name) => parse(read(`deploy/alerts/${name}.yaml`))),
    );
  });

  it('I8 refuses values that it does not know, every problem at once', async () => {
    const wrong = helm(
      'template',
      'x',
      chart,
      '--set',
      'mode=distributed,image.tga=1,roles.web.replicas=many',
    );
    await expect(wrong).rejects.toThrow(
      /(?=.*tga)(?=.*existingSecret)(?=.*KAWARABAN_PROJECT)(?=.*KAWARABAN_REDIS)(?=.*replicas)/s,
    );
  });
});

/**
 * What must be equal in both, by kind and name: everything but the labels that tell installations apart, and the ways of
 * naming things and of restarting pods.
 */
function comparable(all: readonly Manifest[]): Record<string, unknown> {
  return Object.fromEntries(
    all
      .filter(({ kind }) => kind !== 'Namespace')
      .map(({ kind, metadata, apiVersion: _, ...rest }) => {
        const { annotations } = metadata as { annotations?: object };
        const name = simplifiedName(metadata.name).replace(/^kawaraban-/, '');
        return [`${kind} ${name}`, simplified({ ...rest, annotations })];
      }),
  );
}

const OWN_WAYS = [
  /^app\.kubernetes\.io\/(name|instance|part-of|managed-by|version)$/,
  /^checksum\//,
  /^(imagePullPolicy|automountServiceAccountToken|optional)$/,
];

function simplified(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => simplified(each));
  if (key === 'kawaraban.yaml') return parse(String(value));
  if (key === 'image') return String(value).replace(/:.*/, '');
  if (typeof value === 'string') return simplifiedName(value);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .filter(([name]) => !OWN_WAYS.some((pattern) => pattern.test(name)))
    .map(([name, field]) => [name, simplified(field, name)] as const)
    .filter(
      ([name, field]) => !(/^(matchL|l)abels$/.test(name) && Object.keys(field as object).length === 0),
    );
  return Object.fromEntries(fields);
}

/** Kustomize ends the names of maps in a hash; the chart begins names with that of the release. */
function simplifiedName(name: string): string {
  return name
    .replace(/^(kawaraban|kawaraban-environment)-[a-z0-9]{10}$/, '$1')
    .replace(/\bkawaraban-(newsroom|people|web|timeline|worker|scheduler)\b/, '$1');
}
