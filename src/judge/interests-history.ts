import type { Interests } from './judge.ts';

/** The interests of the past by their version: verdicts name only the version, and a change can be judged only beside what it changed. */
export interface InterestsHistory {
  remember(interests: Interests, now: number): Promise<void>;
  at(version: string): Promise<Interests | null>;
}
