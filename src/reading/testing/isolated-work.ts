/** A task for the tests of the isolated thread: it does what it is told, the harmful included. */
export default async function isolatedWork(input: {
  readonly does: string;
  readonly size?: number;
}): Promise<unknown> {
  switch (input.does) {
    case 'answer':
      return { size: input.size, environment: Object.keys(process.env).length };
    case 'throw':
      throw new RangeError('secret words of a page');
    case 'loop':
      for (;;);
    case 'wait':
      return new Promise(() => setInterval(() => {}, 1000));
    case 'overflow':
      return overflow(0);
    case 'heap': {
      const kept: string[][] = [];
      for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => `${index}${kept.length}`));
    }
    case 'buffers': {
      const kept: Buffer[] = [];
      for (;;) kept.push(Buffer.alloc(8 * 1024 * 1024, 1));
    }
    case 'exit':
      return process.exit(3);
    default:
      return null;
  }
}

function overflow(depth: number): number {
  return overflow(depth + 1) + 1;
}
