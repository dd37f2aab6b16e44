import fastifyCompress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** Smaller answers fit into one packet anyway. */
const MIN_BYTES = 1024;

/** Compresses JSON and text for clients that accept it. Streams of events write to the connection themselves and are not affected. */
export async function compressAnswers(api: FastifyInstance): Promise<void> {
  await api.register(fastifyCompress, {
    encodings: ['br', 'gzip'],
    threshold: MIN_BYTES,
    // A small compressed body could expand far beyond the limit of bodies.
    globalDecompression: false,
  });
}
