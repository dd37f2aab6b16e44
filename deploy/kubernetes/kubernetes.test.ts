import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseConfig } from '../../src/config/config.ts';
import { ROLES } from '../../src/scheduler/roles.ts';
import { requires } from '../../test/requirements.ts';

const run = promisify(execFile);

interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  spec: {
    replicas?: number;
    selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>;
    template?: { metadata: { labels: Record<string, string> }; spec: PodSpec };
    scaleTargetRef?: { name: string };
    podSelector?: { matchLabels?: Record<string, string> };
  };
  data?: Record<string, string>;
}
interface PodSpec {
  securityContext: Record<string, unknown>;
  containers: {
    name: string;
    image: string;
    args?: string[];
    securityContext: {
      readOnlyRootFilesystem?: boolean;
      allowPrivilegeEscalation: boolean;
      capabilities: { drop: string[] };
    };
    livenessProbe?: { httpGet: { path: string } };
    readinessProbe?: { httpGet?: { path: string } };
    resources: { requests: object; limits: object };
  }[];
}

async function built(overlay: string): Promise<Manifest[]> {
  const { stdout } = await run('kubectl', ['kustomize', join(import.meta.dirname, 'overlays', overlay)]);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

const overlays = readdirSync(join(import.meta.dirname, 'overlays'));

requires('kubectl')('the manifests for Kubernetes', () => {
  describe.each(overlays)('overlay %s', (overlay) => {
    it('X16 is built by kubectl kustomize, and every pod is restricted as far as possible', async () => {
      const all = await built(overlay);
      const pods = all.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
      expect(pods.length).toBeGreaterThan(0);
      for (const { metadata, spec } of pods) {
        const pod = spec.template?.spec;
        expect(pod?.securityContext, metadata.name).toMatchObject({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const container of pod?.containers ?? []) {
          expect(container.securityContext).toMatchObject({
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
          });
          expect(container.resources).toMatchObject({ requests: {}, limits: {} });
          if (!container.image.startsWith('kawaraban')) continue;
          expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
          expect(container.livenessProbe?.httpGet.path).toBe('/healthz');
          expect(container.readinessProbe?.httpGet?.path).toBe('/readyz');
        }
      }
    });

    it('X16 selects existing pods with its services, budgets and policies', async () => {
      const all = await built(overlay);
      const labels = all.flatMap(({ spec }) => (spec?.template ? [spec.template.metadata.labels] : []));
      const finds = (wanted: Readonly<Record<string, unknown>>): boolean =>
        labels.some((of) => Object.entries(wanted).every(([key, value]) => of[key] === value));
      const of = (wanted: string) => all.filter(({ kind }) => kind === wanted);
      for (const { metadata, spec } of of('Service'))
        expect(finds(spec.selector ?? {}), metadata.name).toBe(true);
      for (const { metadata, spec } of of('PodDisruptionBudget'))
        expect(finds(spec.selector?.matchLabels ?? {}), metadata.name).toBe(true);
      for (const { metadata, spec } of of('NetworkPolicy'))
        expect(finds(spec.podSelector?.matchLabels ?? {}), metadata.name).toBe(true);
      for (const { kind, metadata } of all.filter((one) => one.kind !== 'Namespace'))
        expect(metadata.namespace, `${kind} ${metadata.name}`).toBe('kawaraban');
    });

    it('X11 carries a configuration that passes the check', async () => {
      const all = await built(overlay);
      const text = all.map(({ data }) => data?.['kawaraban.yaml']).find((found) => found !== undefined);
      const loaded = parseConfig(text ?? '', '/etc/kawaraban/kawaraban.yaml', {
        KAWARABAN_SERVICE_TOKEN: 'x'.repeat(40),
      });
      expect(loaded.ok ? [] : loaded.problems).toEqual([]);
    });
  });

  it.each(['production', 'emulators'])(
    'C24 %s runs two replicas of each role, each with a disruption budget',
    async (overlay) => {
      const all = await built(overlay);
      for (const role of Object.keys(ROLES)) {
        const deployment = all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === role);
        expect(deployment?.spec.replicas).toBe(2);
        expect(deployment?.spec.template?.spec.containers[0]?.args).toEqual(['start', '--role', role]);
        expect(
          all.some(({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === role),
        ).toBe(true);
      }
      const scaled = all.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
      expect(scaled.map(({ spec }) => spec.scaleTargetRef?.name).toSorted()).toEqual([
        'timeline',
        'web',
        'worker',
      ]);
    },
  );
});
