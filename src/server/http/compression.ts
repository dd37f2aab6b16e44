import fastifyCompress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Smaller answers fit into one packet anyway. */
const MIN_BYTES = 1024;

/** Said here, so that the compiled program needs no list of all types. */
const COMPRESSIBLE = /^text\/(?!event-stream)|^(application|image)\/([\w.-]+\+)?(json|xml|yaml)(;|$)/;

/** Compresses JSON and text for clients that accept it. Streams of events write to the connection themselves and are not affected. */
export async function compressAnswers(api: FastifyInstance): Promise<void> {
  await api.register(fastifyCompress, {
    encodings: ['br', 'gzip'],
    threshold: MIN_BYTES,
    customTypes: COMPRESSIBLE,
    // A small compressed body could expand far beyond the limit of bodies.
    globalDecompression: false,
  });
}
