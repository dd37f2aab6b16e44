// Plugins of rolldown that make the compiled program smaller, and so faster to start.
import crypto from 'node:crypto';
import http from 'node:http';
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import type { Plugin } from 'rolldown';

/**
 * Modules of Node with what an `import` of them must not touch. Node has a fetch client of its own, which it loads when a program
 * touches `Response`, or `WebSocket` of `node:http`: a tenth of a second and 14 MB. The program has another client, and no Web Crypto.
 */
const LAZY_PARTS: Readonly<Record<string, { readonly module: object; readonly parts: RegExp }>> = {
  http: { module: http, parts: /^(WebSocket|CloseEvent|MessageEvent)$/ },
  crypto: { module: crypto, parts: /^(webcrypto|subtle|getRandomValues)$/ },
};

export const withoutLazyParts: Plugin = {
  name: 'without-lazy-parts',
  resolveId: {
    filter: { id: /^(node:)?(http|crypto)$/ },
    handler: (id, _importer, { kind }) =>
      kind === 'import-statement' ? `\0node ${id.replace('node:', '')}` : null,
  },
  load: {
    filter: { id: /^\0node / },
    handler(id) {
      const name = id.slice('\0node '.length);
      const { module = {}, parts = /^$/ } = LAZY_PARTS[name] ?? {};
      const names = Object.keys(module).filter((part) => !parts.test(part));
      return `const module = process.getBuiltinModule('node:${name}');
export default module;
export const { ${names.join(', ')} } = module;`;
    },
  },
};

/** Lines of packages that a start pays for, and what stands there in the program. */
const EDITED: Readonly<Record<string, readonly [before: string, after: string]>> = {
  // A `Response` loads Node's fetch client.
  '@fastify/compress/lib/utils.js': [
    'obj instanceof Response',
    "Object.prototype.toString.call(obj) === '[object Response]'",
  ],
  // The router compiles a function for each shorter part of a path.
  'find-my-way/lib/node.js': ['LONG_PREFIX_MIN_LENGTH = 16', 'LONG_PREFIX_MIN_LENGTH = 2'],
};

export const editedPackages: Plugin = {
  name: 'edited-packages',
  transform: {
    filter: { id: /node_modules\/(@fastify\/compress\/lib\/utils|find-my-way\/lib\/node)\.js$/ },
    handler(code, id, { magicString }) {
      const edit = EDITED[id.slice(id.lastIndexOf('node_modules/') + 'node_modules/'.length)];
      if (edit === undefined || !code.includes(edit[0]))
        throw new Error(`${id} is written in another way now`);
      return { code: editable(magicString).replace(...edit) };
    },
  },
};

const unused = (name: string): string =>
  `module.exports = () => { throw new Error('${name} is not part of the program'); };`;

/**
 * What packages load and the program does not use: half of the web server. Requests are validated by zod, answers are not validated,
 * no file is looked for by a pattern, HTTP is 1.1, styles of articles are removed, and what is compressed is said by a pattern of its type.
 */
const REPLACED: Readonly<Record<string, string>> = {
  '@fastify/ajv-compiler': unused('@fastify/ajv-compiler'),
  '@fastify/fast-json-stringify-compiler': unused('@fastify/fast-json-stringify-compiler'),
  'light-my-request': unused('light-my-request'),
  glob: unused('glob'),
  postcss: unused('postcss'),
  'node:http2': 'module.exports = {};',
  './client-h2.js': unused('HTTP/2'),
  '../milo/simd.js': unused('the parser milo'),
  '../milo/no-simd.js': unused('the parser milo'),
  'mime-db': 'module.exports = new Proxy({}, { get: () => ({ compressible: false }) });',
  'readable-stream': `module.exports = require('node:stream');`,
};

export const replacedPackages: Plugin = {
  name: 'replaced-packages',
  resolveId: {
    filter: { id: /^[\w@./:-]+$/ },
    handler: (id, importer = '') =>
      id in REPLACED &&
      /node_modules\/(@fastify\/(compress|static)|fastify|sanitize-html|undici)\//.test(importer)
        ? `\0replaced ${id}`
        : null,
  },
  load: {
    filter: { id: /^\0replaced / },
    handler: (id) => REPLACED[id.slice('\0replaced '.length)],
  },
};

/**
 * Writes other characters than those of Latin-1 as escapes. V8 keeps a module that has one in two bytes for each character: 2 MB
 * of sources in a newsroom.
 */
export const oneByteChunks: Plugin = {
  name: 'one-byte-chunks',
  generateBundle(_options, bundle) {
    for (const made of Object.values(bundle)) {
      if (made.type !== 'chunk' || !WIDE.test(made.code)) continue;
      const lines = made.code.split('\n');
      made.code = lines.map(escapeWide).join('\n');
      const map = bundle[`${made.fileName}.map`];
      if (map?.type !== 'asset') continue;
      const written = JSON.parse(String(map.source)) as { mappings: string };
      const mappings = decode(written.mappings).map((segments, n) => shiftColumns(segments, lines[n] ?? ''));
      map.source = JSON.stringify({ ...written, mappings: encode(mappings) });
    }
  },
};

const WIDE = /[^\0-\x7f]/;

function escapeWide(line: string): string {
  // After a backslash the escape would be something else.
  const escaped = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.exec(line);
  if (escaped !== null) throw new Error(`a character with a needless backslash: ${escaped[0]}`);
  return line.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Segments in order of their columns: each character before one of them became five longer. */
function shiftColumns(segments: SourceMapSegment[], line: string): SourceMapSegment[] {
  let at = 0;
  let wide = 0;
  return segments.map((segment) => {
    for (; at < segment[0]; at++) if (line.charCodeAt(at) > 0x7f) wide++;
    const shifted: SourceMapSegment = [...segment];
    shifted[0] += wide * ('\\u0000'.length - 1);
    return shifted;
  });
}

export function editable<T>(magicString: T | undefined): T {
  if (magicString === undefined)
    throw new Error('rolldown has no magicString; set experimental.nativeMagicString');
  return magicString;
}
