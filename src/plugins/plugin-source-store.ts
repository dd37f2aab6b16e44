import { z } from 'zod';
import type { SourceErrorKind, SourceRecord, SourceStore } from '../sources/source.ts';
import { SECOND } from '../time/duration.ts';
import { SOURCE_STORE } from './configured-plugins.ts';
import { callPlugin } from './plugin-call.ts';
import { createWithPlugin, type PluginHost, servicesFor } from './plugin-services.ts';

const CALL_TIMEOUT_MS = 30 * SECOND;

/** The source store of a plugin. An error, a late answer or an invalid record is an error, as of any store: the poller retries. */
export async function pluginSourceStore(host: PluginHost): Promise<SourceStore & AsyncDisposable> {
  const entry = host.config.plugins.entry('sourceStores', SOURCE_STORE);
  const { clock } = host;
  const made = await createWithPlugin(
    'polling.store',
    entry.plugin,
    () => entry.definition.create(entry.settings, servicesFor(SOURCE_STORE, entry, host)),
    ['load', 'save', 'claim', 'list', 'remove'],
    host,
  );
  const called = async <T>(call: string, work: () => Promise<unknown>, schema: z.ZodType<T>): Promise<T> => {
    try {
      return schema.parse(await callPlugin(work, { clock, timeoutMs: CALL_TIMEOUT_MS }));
    } catch (cause) {
      throw new SourceStoreError(call, entry.plugin, cause);
    }
  };
  return {
    load: (sourceId) => called('load', () => made.load(sourceId), recordSchema.nullable()),
    save: (record) => called('save', () => made.save(record), nothing),
    claim: (sourceId, owner, leaseMs) =>
      called('claim', () => made.claim(sourceId, owner, leaseMs), claimSchema.nullable()),
    list: () => called('list', () => made.list(), z.array(recordSchema)),
    remove: (sourceId) => called('remove', () => made.remove(sourceId), nothing),
    async [Symbol.asyncDispose]() {
      await called('dispose', async () => made[Symbol.asyncDispose]?.(), nothing);
    },
  };
}

class SourceStoreError extends Error {
  override readonly name = 'SourceStoreError';

  constructor(call: string, plugin: string, cause: unknown) {
    const reason = cause instanceof z.ZodError ? 'it returned an invalid record' : (cause as Error).message;
    super(`Failed to ${call} in the source store of the plugin ${plugin}: ${reason}`, { cause });
  }
}

const nothing = z.unknown().transform(() => undefined);
const time = z.number().nullable();

const recordSchema: z.ZodType<SourceRecord> = z.object({
  sourceId: z.string(),
  memory: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  movedTo: z.string().nullable(),
  lastTriedAt: time,
  lastSuccessAt: time,
  lastTrouble: z
    .object({
      why: z.string().transform((why) => why as SourceErrorKind),
      detail: z.string(),
      at: z.number(),
    })
    .nullable(),
  failuresInARow: z.int().min(0),
  nextAt: time,
  itemsSeen: z.number(),
  baselineTakenAt: time,
  reported: z.string().nullable(),
});

const claimSchema = z.object({ record: recordSchema.nullable() });
