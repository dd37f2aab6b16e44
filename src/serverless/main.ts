// The serverless newsroom as a program for Cloud Run, which sets PORT.
import { createServer } from 'node:http';
import { programVersion } from '../assets/assets.ts';
import { openServerless } from './function.ts';

const newsroom = await openServerless(process.env, programVersion());
const server = createServer((request, response) => void newsroom.handler(request, response));
server.listen(Number(process.env.PORT ?? 8080), process.env.KAWARABAN_HOST ?? '0.0.0.0', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : '';
  process.stdout.write(`${JSON.stringify({ listening: port })}\n`);
});

process.once('SIGTERM', () => {
  // Calls in progress end first.
  server.close(() => {
    void newsroom[Symbol.asyncDispose]().then(() => process.exit(0));
  });
});
