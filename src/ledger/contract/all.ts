import { admittingContract } from './admitting.ts';
import { claimingContract } from './claiming.ts';
import { clockJumpsContract } from './clock-jumps.ts';
import { handingContract } from './handing.ts';
import { hostileInputContract } from './hostile-input.ts';
import { lookingContract } from './looking.ts';
import { modelContract } from './model.ts';
import { outboxContract } from './outbox.ts';
import { recordingContract } from './recording.ts';
import { repeatingContract } from './repeating.ts';
import type { MakeMemory } from './subject.ts';
import { sweepingContract } from './sweeping.ts';
import { transferContract } from './transfer.ts';

/** Everything that a ledger with its outbox has to prove. `modelRuns`: fewer sequences where each call is slow. */
export function ledgerContract(make: MakeMemory, options: { readonly modelRuns?: number } = {}): void {
  admittingContract(make);
  claimingContract(make);
  recordingContract(make);
  repeatingContract(make);
  clockJumpsContract(make);
  lookingContract(make);
  sweepingContract(make);
  handingContract(make);
  outboxContract(make);
  hostileInputContract(make);
  transferContract(make);
  modelContract(make, options.modelRuns);
}
