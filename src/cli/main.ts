import './heap-flags.ts';
import { runCli } from './program.ts';

// A reader that closes the pipe early (`kawaraban items | head`) is no error.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The terminal was closed; its SIGHUP stops the program.
    if (error.code === 'EIO') return;
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });

const code = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
});

// What a command stores is stored by now. The listeners of Firestore's SDK leave a timer of two minutes behind when a message arrives
// after their end: it must not keep a finished command alive.
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise((written) => stream.write('', written))),
);
process.exit(code);
