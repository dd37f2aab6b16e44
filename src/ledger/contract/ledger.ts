import { outboxContract } from '../../outbox/contract/outbox.ts';
import { admitContract } from './admit.ts';
import { claimContract, handOverContract } from './claim.ts';
import { clockJumpsContract } from './clock-jumps.ts';
import { hostileInputContract } from './hostile-input.ts';
import { listContract } from './list.ts';
import { modelContract } from './model.ts';
import { lostReplyContract, recordContract } from './record.ts';
import type { MakePipelineStores } from './subject.ts';
import { sweepContract } from './sweep.ts';
import { transferContract } from './transfer.ts';

/** Contract of a ledger with its outbox. `modelRuns`: fewer sequences where each call is slow. */
export function ledgerContract(
  make: MakePipelineStores,
  options: { readonly modelRuns?: number } = {},
): void {
  admitContract(make);
  claimContract(make);
  recordContract(make);
  lostReplyContract(make);
  clockJumpsContract(make);
  listContract(make);
  sweepContract(make);
  handOverContract(make);
  outboxContract(make);
  hostileInputContract(make);
  transferContract(make);
  modelContract(make, options.modelRuns);
}
