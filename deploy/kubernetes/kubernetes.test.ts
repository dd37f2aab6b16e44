import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { ROLES } from '../../src/scheduler/roles.ts';
import { requires } from '../../test/requirements.ts';
import {
  kustomize,
  type Manifest,
  mayConnect,
  ofKind,
  schemaProblems,
  selects,
  workloads,
} from './manifests.ts';

const builds = new Map<string, Promise<Manifest[]>>();
function built(overlay: string): Promise<Manifest[]> {
  const building = builds.get(overlay) ?? kustomize(overlay);
  builds.set(overlay, building);
  return building;
}

const overlays = readdirSync(join(import.meta.dirname, 'overlays'));

/** Labels of pods that run this program, without emulators beside it. */
const replicas = (all: readonly Manifest[]): Record<string, string>[] =>
  workloads(all)
    .filter(({ template }) => template.spec?.serviceAccountName === 'kawaraban')
    .map(({ template }) => template.metadata?.labels ?? {});

requires('kubectl')('the manifests for Kubernetes', () => {
  describe.each(overlays)('overlay %s', (overlay) => {
    it('X16 is built by kubectl kustomize, and every pod is restricted as far as possible', async () => {
      const all = await built(overlay);
      expect(workloads(all).length).toBeGreaterThan(0);
      for (const { name, template } of workloads(all)) {
        const pod = template.spec;
        expect(pod?.securityContext, name).toMatchObject({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const container of pod?.containers ?? []) {
          expect(container.securityContext).toMatchObject({
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
          });
          expect(container.resources).toMatchObject({ requests: {}, limits: {} });
          if (!container.image?.startsWith('kawaraban')) continue;
          expect(container.securityContext?.readOnlyRootFilesystem).toBe(true);
          expect(container.livenessProbe?.httpGet?.path).toBe('/healthz');
          expect(container.readinessProbe?.httpGet?.path).toBe('/readyz');
        }
      }
    });

    it('X16 I8 has only fields that Kubernetes’ API knows', async () => {
      expect(await schemaProblems(await built(overlay))).toBe('');
    });

    it('X16 selects existing pods with its services, budgets and policies', async () => {
      const all = await built(overlay);
      const labels = workloads(all).map(({ template }) => template.metadata?.labels ?? {});
      const finds = (wanted: Readonly<Record<string, string>>): boolean =>
        labels.some((of) => selects(wanted, of));
      for (const { metadata, spec } of ofKind(all, 'Service'))
        expect(finds(spec?.selector ?? {}), metadata?.name).toBe(true);
      for (const { metadata, spec } of ofKind(all, 'PodDisruptionBudget'))
        expect(finds(spec?.selector?.matchLabels ?? {}), metadata?.name).toBe(true);
      for (const { metadata, spec } of ofKind(all, 'NetworkPolicy'))
        expect(finds(spec?.podSelector.matchLabels ?? {}), metadata?.name).toBe(true);
      for (const { kind, metadata } of all.filter((one) => one.kind !== 'Namespace'))
        expect(metadata.namespace, `${kind} ${metadata.name}`).toBe('kawaraban');
    });

    it('X6 I8 reaches the web and every resolver of a node, and no private address', async () => {
      const all = await built(overlay);
      expect(replicas(all).length).toBeGreaterThan(0);
      for (const labels of replicas(all)) {
        // NodeLocal DNSCache, and Cloud DNS for GKE: addresses of the node, which no pod selector matches.
        for (const address of ['169.254.20.10', '169.254.169.254'])
          for (const protocol of ['UDP', 'TCP'] as const)
            expect(mayConnect(all, labels, { address, port: 53, protocol }), address).toBe(true);
        for (const address of ['93.184.215.14', '2606:2800:21f:cb07::1'])
          expect(mayConnect(all, labels, { address, port: 443 }), address).toBe(true);
        for (const address of ['10.1.2.3', '192.168.0.1', '127.0.0.1', '169.254.169.253', 'fd00::1'])
          for (const port of [80, 443, 6379])
            expect(mayConnect(all, labels, { address, port }), `${address}:${port}`).toBe(false);
        const identity = overlay === 'production';
        expect(mayConnect(all, labels, { address: '169.254.169.254', port: 80 })).toBe(identity);
        expect(mayConnect(all, labels, { address: '169.254.169.252', port: 988 })).toBe(identity);
      }
    });

    it('I8 leaves the number of replicas to the autoscaler where there is one', async () => {
      const all = await built(overlay);
      for (const { spec } of ofKind(all, 'HorizontalPodAutoscaler')) {
        const { name } = spec?.scaleTargetRef ?? {};
        const target = ofKind(all, 'Deployment').find(({ metadata }) => metadata?.name === name);
        expect(target, name).toBeDefined();
        expect(target?.spec?.replicas, name).toBeUndefined();
      }
    });

    it('I8 mounts secrets of the cluster, and carries no value of its own but for trying out', async () => {
      const all = await built(overlay);
      for (const { name, template } of workloads(all).filter(
        ({ template: { spec } }) => spec?.serviceAccountName,
      ))
        expect(template.spec?.volumes, name).toContainEqual(
          expect.objectContaining({ secret: expect.objectContaining({ secretName: expect.any(String) }) }),
        );
      expect(ofKind(all, 'Secret')).toHaveLength(overlay === 'emulators' ? 1 : 0);
    });

    it('X11 carries a configuration that passes the check', async () => {
      const all = await built(overlay);
      const text = ofKind(all, 'ConfigMap')
        .map(({ data }) => data?.['kawaraban.yaml'])
        .find((found) => found !== undefined);
      const loaded = parseConfig(text ?? '', '/etc/kawaraban/kawaraban.yaml', {
        KAWARABAN_SERVICE_TOKEN: 'x'.repeat(40),
      });
      expect(loaded.ok ? [] : loaded.problems).toEqual([]);
    });
  });

  it.each(['production', 'emulators'])(
    'C24 I8 %s runs at least two replicas of each role, each with a disruption budget',
    async (overlay) => {
      const all = await built(overlay);
      const scaled = ofKind(all, 'HorizontalPodAutoscaler');
      expect(scaled.map(({ spec }) => spec?.scaleTargetRef.name).toSorted()).toEqual([
        'timeline',
        'web',
        'worker',
      ]);
      for (const role of Object.keys(ROLES)) {
        const deployment = ofKind(all, 'Deployment').find(({ metadata }) => metadata?.name === role);
        const scaler = scaled.find(({ spec }) => spec?.scaleTargetRef.name === role);
        expect(scaler?.spec?.minReplicas ?? deployment?.spec?.replicas).toBe(2);
        expect(deployment?.spec?.template.spec?.containers[0]?.args).toEqual(['start', '--role', role]);
        expect(ofKind(all, 'PodDisruptionBudget').some(({ metadata }) => metadata?.name === role)).toBe(true);
      }
    },
  );
});
