/** How the program ends, for scripts. Numbers from 64 on are those of sysexits.h. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  badData: 65,
  notFound: 66,
  unavailable: 69,
  cannotWrite: 73,
  diskFull: 74,
  noPermission: 77,
  badConfig: 78,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The same in words, shown at the end of `--help`. */
export const EXIT_WORDS: Readonly<Record<ExitCode, string>> = {
  0: 'all went well',
  1: 'something did not work; the last line says what',
  2: 'a command, option or argument was not understood',
  65: 'a file that was given does not hold what it should',
  66: 'the pipeline, item or file that was named does not exist',
  69: 'something needed is away: a port in use, an engine out of reach',
  73: 'a file or folder cannot be written, or is there already',
  74: 'the disk is full',
  77: 'the store refuses this identity: a role is missing',
  78: 'the configuration has problems (or Node is too old)',
  130: 'stopped at once, by a second Ctrl-C',
};
