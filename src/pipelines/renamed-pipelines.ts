import type { Config } from '../config/config.ts';
import { RESERVED_PIPELINES } from '../config/cross-rules.ts';
import type { RunStore } from '../scheduler/run-store.ts';

/** A pipeline that starts with an empty ledger, perhaps by mistake. */
export interface EmptyLedgerWarning {
  readonly pipeline: string;
  readonly detail: string;
  readonly cure: string;
}

/**
 * Finds pipelines that have never run while others that have are no longer configured: one may be the other renamed.
 * Without `renamed_from` it would publish its items again.
 */
export async function findEmptyLedgers(
  config: Config,
  runs: Pick<RunStore, 'pipelines'>,
  only?: string,
): Promise<EmptyLedgerWarning[]> {
  const pipelines = Object.values(config.pipelines);
  if (pipelines.length === 0) return [];
  const ran = (await runs.pipelines()).filter((id) => !RESERVED_PIPELINES.includes(id));
  const used = new Set(pipelines.flatMap(({ id, renamedFrom }) => [id, renamedFrom ?? id]));
  const unconfigured = ran.filter((id) => !used.has(id));
  return pipelines
    .filter(({ id }) => !ran.includes(id) && (only ?? id) === id)
    .flatMap(({ id, renamedFrom }): EmptyLedgerWarning[] => {
      if (renamedFrom !== undefined && ran.includes(renamedFrom)) return [];
      if (renamedFrom === undefined && unconfigured.length === 0) return [];
      const detail =
        renamedFrom === undefined
          ? `${id} has never run and starts with an empty ledger; not configured any more: ${unconfigured.join(', ')}`
          : `${id} starts with an empty ledger: ${renamedFrom}, which \`renamed_from\` names, has never run`;
      const cure =
        renamedFrom === undefined
          ? `if it is one of these under a new ID, write \`renamed_from: ${unconfigured[0]}\` below pipelines.${id} before its first run`
          : `correct \`renamed_from\` below pipelines.${id}, or remove it`;
      return [{ pipeline: id, detail, cure }];
    });
}

/** The ID under which the ledger of a pipeline is stored. */
export function ledgerIdOf({
  id,
  renamedFrom,
}: {
  readonly id: string;
  readonly renamedFrom?: string;
}): string {
  return renamedFrom ?? id;
}
