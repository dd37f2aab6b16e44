import { createServer } from 'node:http';
import { parentPort } from 'node:worker_threads';

/** A thousand feeds in a thread of their own: nine of ten answer that nothing has changed. */
const items = Array.from(
  { length: 20 },
  (_, n) =>
    `<item><title>Story ${n}</title><link>https://news.example/${n}</link><guid>${n}</guid><description>${'What happened, and why it matters. '.repeat(8)}</description></item>`,
).join('');
const feed = Buffer.from(
  `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${items}</channel></rss>`,
);

const server = createServer((request, response) => {
  const changed = Number(/\d+/.exec(request.url ?? '')?.[0]) % 10 === 0;
  if (!changed && request.headers['if-none-match'] === '"1"') response.writeHead(304, { etag: '"1"' }).end();
  else
    response
      .writeHead(200, {
        etag: '"2"',
        'content-type': 'application/rss+xml',
        'content-length': feed.byteLength,
      })
      .end(feed);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  parentPort?.postMessage(typeof address === 'object' && address ? address.port : 0);
});
