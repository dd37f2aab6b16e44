// The entry of a Google Cloud Function (2nd generation): see deploy/functions.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { programVersion } from '../assets/assets.ts';
import { openServerless, type ServerlessNewsroom } from './function.ts';

let opening: Promise<ServerlessNewsroom> | null = null;

/** Cloud Functions calls this for every request. */
export async function kawaraban(request: IncomingMessage, response: ServerResponse): Promise<void> {
  opening ??= openServerless(process.env, programVersion());
  const { handler } = await opening;
  await handler(request, response);
}

process.once('SIGTERM', () => void opening?.then((newsroom) => newsroom[Symbol.asyncDispose]()));
