import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ipaddr from 'ipaddr.js';
import type { Deployment, StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.js';
import type {
  ConfigMap,
  Namespace,
  PodTemplateSpec,
  Secret,
  Service,
  ServiceAccount,
} from 'kubernetes-types/core/v1.js';
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { parseAllDocuments } from 'yaml';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/** A kind of Kubernetes itself; others (of Google, of Prometheus' operator) are defined by what is installed in a cluster. */
interface Kinds {
  ConfigMap: ConfigMap;
  Deployment: Deployment;
  HorizontalPodAutoscaler: HorizontalPodAutoscaler;
  Ingress: Ingress;
  Namespace: Namespace;
  NetworkPolicy: NetworkPolicy;
  PodDisruptionBudget: PodDisruptionBudget;
  Secret: Secret;
  Service: Service;
  ServiceAccount: ServiceAccount;
  StatefulSet: StatefulSet;
}

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

export async function kustomize(overlay: string): Promise<Manifest[]> {
  const { stdout } = await run('kubectl', ['kustomize', join(import.meta.dirname, 'overlays', overlay)]);
  return parseManifests(stdout);
}

export function ofKind<K extends keyof Kinds>(all: readonly Manifest[], kind: K): Kinds[K][] {
  return all.filter((each) => each.kind === kind) as Kinds[K][];
}

/** What runs pods: name and template. */
export function workloads(all: readonly Manifest[]): { name: string; template: PodTemplateSpec }[] {
  return [...ofKind(all, 'Deployment'), ...ofKind(all, 'StatefulSet')].map(({ metadata, spec }) => ({
    name: metadata?.name ?? '',
    template: spec?.template ?? {},
  }));
}

/**
 * What the TypeScript compiler says about manifests, compared with the types of Kubernetes' API: unknown fields, missing
 * ones and values of a wrong type. Empty if they are valid.
 */
export async function schemaProblems(all: readonly Manifest[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-manifests-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const lines = all
      .filter(({ apiVersion }) => !/^(cloud\.google|monitoring\.coreos)\.com\//.test(apiVersion))
      .map((manifest, index) => {
        const [group = '', version] = manifest.apiVersion.includes('/')
          ? manifest.apiVersion.replace('.k8s.io', '').split('/')
          : ['core', manifest.apiVersion];
        const type = `import('kubernetes-types/${group}/${version}').${manifest.kind}`;
        return `export const ${manifest.kind}_${index}: ${type} = ${JSON.stringify(manifest, null, 1)};`;
      });
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--types', ''];
    await run(process.execPath, [tsc, ...options, 'manifests.ts'], { cwd: folder });
    return '';
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Connection {
  address: string;
  port: number;
  protocol?: 'TCP' | 'UDP';
}

/** Whether a pod with these labels may connect to an address outside of the cluster, as Kubernetes reads the policies. */
export function mayConnect(
  all: readonly Manifest[],
  labels: Readonly<Record<string, string>>,
  { address, port, protocol = 'TCP' }: Connection,
): boolean {
  const policies = ofKind(all, 'NetworkPolicy').filter(
    ({ spec }) =>
      spec?.policyTypes?.includes('Egress') && selects(spec.podSelector.matchLabels ?? {}, labels),
  );
  if (policies.length === 0) return true;
  return policies
    .flatMap(({ spec }) => spec?.egress ?? [])
    .some(
      ({ to, ports }) =>
        (to === undefined || to.some(({ ipBlock }) => ipBlock !== undefined && isWithin(address, ipBlock))) &&
        (ports === undefined ||
          ports.some((each) => each.port === port && (each.protocol ?? 'TCP') === protocol)),
    );
}

export function selects(
  wanted: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

function isWithin(
  address: string,
  { cidr, except = [] }: { cidr: string; except?: readonly string[] },
): boolean {
  const parsed = ipaddr.parse(address);
  const matches = (range: string): boolean => {
    const [network, bits] = ipaddr.parseCIDR(range);
    return network.kind() === parsed.kind() && parsed.match(network, bits);
  };
  return matches(cidr) && !except.some(matches);
}
