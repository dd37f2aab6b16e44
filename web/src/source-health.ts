import type { SourceStatus } from '../../src/sources/source-status.ts';

export type SourceHealth = 'ok' | 'failing' | 'never_checked' | 'paused';

export function healthOf({ enabled, record }: Pick<SourceStatus, 'enabled' | 'record'>): SourceHealth {
  if (!enabled) return 'paused';
  if (record === null || record.lastTriedAt === null) return 'never_checked';
  return record.failuresInARow > 0 ? 'failing' : 'ok';
}
