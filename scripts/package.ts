// `npm run package -- <what>`: builds what is released, into `build/release/`.
const PACKAGES: Readonly<
  Record<string, () => Promise<{ build(...args: readonly string[]): Promise<string> }>>
> = {
  npm: () => import('./package/npm.ts'),
  program: () => import('./package/program.ts'),
  deb: () => import('./package/deb.ts'),
  executable: () => import('./package/executable.ts'),
};

const [what = '', ...args] = process.argv.slice(2);
const load = PACKAGES[what];
if (load === undefined) {
  process.stderr.write(`usage: npm run package -- ${Object.keys(PACKAGES).join('|')}\n`);
  process.exit(64);
}
const { build } = await load();
process.stdout.write(`${await build(...args)}\n`);
