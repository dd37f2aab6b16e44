// The entry of a Google Cloud Function (2nd generation, Node 24). Deploy the project's root with
//   --entry-point=kawaraban --set-env-vars=KAWARABAN_CONFIG=kawaraban.yaml,KAWARABAN_DATA=/tmp/kawaraban
// and let Cloud Scheduler POST to /run/<pipeline> and /sweep with the identity of a service account that may invoke it.
import { readFileSync } from 'node:fs';
import { openServerless } from '../../src/serverless/function.ts';

const file = new URL('../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(file, 'utf8'));

let opening = null;

/** Cloud Functions calls this for every request. */
export async function kawaraban(request, response) {
  opening ??= openServerless(process.env, version);
  const { handler } = await opening;
  await handler(request, response);
}

process.once('SIGTERM', () => void opening?.then((newsroom) => newsroom[Symbol.asyncDispose]()));
