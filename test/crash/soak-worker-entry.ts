import {
  crashEverywhere,
  killEverywhere,
  killMany,
  type MatrixOptions,
  type SoakOptions,
  soak,
} from './soak.ts';

/** Input of one of several processes that soak together. */
export type SoakTask =
  | ({ readonly how: 'soak' | 'kill' } & Plain<SoakOptions>)
  | ({ readonly how: 'every-point' | 'matrix' } & Plain<MatrixOptions>);

type Plain<T> = Omit<T, 'onViolation' | 'onProgress'>;

/** Its progress and result. */
export type SoakMessage =
  | { readonly violation: string }
  | { readonly done: number }
  | { readonly report: PlainReport };

/** A report whose parts can be sent to another process. */
export interface PlainReport {
  readonly runs: number;
  readonly items: number;
  readonly twice: number;
  readonly lost: number;
  readonly odd: number;
  readonly parked: readonly (readonly [string, number])[];
  readonly points: readonly string[];
}

const task = JSON.parse(process.argv[2] ?? '') as SoakTask;
const callbacks = {
  onViolation: (violation: string) => send({ violation }),
  onProgress: (done: number) => send({ done }),
};
const { parked, points, ...sums } = await run();
send({ report: { ...sums, parked: [...parked], points: [...points] } });
process.disconnect();

function run() {
  switch (task.how) {
    case 'soak':
      return soak({ ...task, ...callbacks });
    case 'kill':
      return killMany({ ...task, ...callbacks });
    case 'every-point':
      return crashEverywhere({ ...task, ...callbacks });
    case 'matrix':
      return killEverywhere({ ...task, ...callbacks });
  }
}

function send(message: SoakMessage): void {
  process.send?.(message);
}
