// `npm run package -- npm|…`: what a release consists of, in `build/release/`.
const KINDS = {
  npm: async () => (await import('./package/npm.ts')).packNpm(),
  executable: async () => (await import('./package/executable.ts')).buildExecutable(),
} as const;

const wanted = process.argv.slice(2);
const known = (name: string): name is keyof typeof KINDS => Object.hasOwn(KINDS, name);
if (wanted.length === 0 || !wanted.every(known)) {
  process.stderr.write(`usage: npm run package -- ${Object.keys(KINDS).join(' | ')}\n`);
  process.exit(64);
}
for (const name of wanted.filter(known)) process.stdout.write(`${await KINDS[name]()}\n`);
