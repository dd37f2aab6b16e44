import { createHash, randomUUID } from 'node:crypto';
import type { DocumentSnapshot } from '@google-cloud/firestore';
import type {
  PipelineSettingsStore,
  StoredPipelineSettings,
} from '../../pipelines/pipeline-settings-store.ts';
import type { DocumentPath, FirestoreConnection, Mutation, Write } from './connection.ts';
import { createOrReplace, type QueryForm } from './query.ts';

const SETTINGS = 'pipeline_settings';
/** Written with every change, and watched in place of all records. */
const REVISION: DocumentPath = ['pipeline_settings_revision', 'revision'];

export const PIPELINE_SETTINGS_QUERIES: Readonly<Record<'all', QueryForm>> = {
  all: { collection: SETTINGS, where: [], orderBy: [] },
};

/** Pipeline settings shared by all replicas, one document for each changed pipeline. */
export class FirestorePipelineSettingsStore implements PipelineSettingsStore {
  readonly #connection: FirestoreConnection;

  /** The caller owns the connection. */
  constructor(connection: FirestoreConnection) {
    this.#connection = connection;
  }

  async list(): Promise<readonly StoredPipelineSettings[]> {
    const found = await this.#connection.query(PIPELINE_SETTINGS_QUERIES.all, { where: [] });
    return found.flatMap((snapshot) => toSettings(snapshot) ?? []);
  }

  put(settings: Omit<StoredPipelineSettings, 'version'>, expectedVersion: number | null): Promise<boolean> {
    const at = pathOf(settings.pipeline);
    const content = JSON.stringify({ ...settings, version: (expectedVersion ?? 0) + 1 });
    return this.#connection.mutate(at, (now): Mutation<boolean> => {
      // An earlier attempt of this call succeeded, but its reply was lost.
      if (now.get('content') === content) return { value: true, writes: [] };
      if ((toSettings(now)?.version ?? null) !== expectedVersion) return { value: false, writes: [] };
      const revision: Write = { do: 'set', at: REVISION, data: { revision: randomUUID() } };
      return { value: true, writes: [createOrReplace(now, at, { content }), revision] };
    });
  }

  /** Firestore reports the change: only that costs a read. */
  watch(listener: () => void, signal: AbortSignal): Promise<void> {
    return this.#connection.watch(REVISION, () => listener(), signal);
  }
}

function toSettings(snapshot: DocumentSnapshot): StoredPipelineSettings | null {
  const content: unknown = snapshot.get('content');
  return typeof content === 'string' ? (JSON.parse(content) as StoredPipelineSettings) : null;
}

function pathOf(pipeline: string): DocumentPath {
  return [SETTINGS, createHash('sha256').update(pipeline).digest('hex')];
}
