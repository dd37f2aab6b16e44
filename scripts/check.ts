// `npm run check`: types, lint, borders, unused code and trace, without running any test.
import { runChecks } from './checks.ts';

const results = await runChecks(({ name, passed, ms, output }) => {
  console.log(`${passed ? '✓' : '✗'} ${name}  ${(ms / 1000).toFixed(1)} s`);
  if (output !== '') console.log(output.replace(/^/gm, '    '));
});
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
