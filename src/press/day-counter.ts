/** How many messages each destination got today, counted by all copies of the program together. */
export interface DayCounter {
  /** Counts one more, unless there are `most` already. `day` is the moment at which the day began. */
  take(destination: string, day: number, most: number): Promise<boolean>;
  /** One was counted and not sent after all. */
  giveBack(destination: string, day: number): Promise<void>;
}
