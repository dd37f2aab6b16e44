import type { LifecyclePolicy } from '../../item/lifecycle.ts';
import { MINUTE } from '../../time/duration.ts';

/** At most 3 attempts, waiting 1, 2, 3 minutes. */
export const POLICY: LifecyclePolicy = { retryLimit: 3, backoff: (attempts) => attempts * MINUTE };
