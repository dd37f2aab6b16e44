// The borders between the folders of src/, see CONTRIBUTING.md. `npm run check` reports what crosses them.

const PURE = '^src/(item|same-story|time)/';
const DOMAIN =
  '^src/(articles|assets|auth|config|feeds|fetch|item|judge|learning|ledger|outbox|pipelines|plugins|publishers|queue|reader|same-story|scheduler|social|sources|stories|telemetry|time|timelines|tls)/';
const WIRING = [
  'app',
  'build-judges',
  'build-pipeline',
  'build-publishers',
  'distributed',
  'embedded',
  'engine',
  'firestore',
  'infrastructure',
  'maintenance',
  'serve',
  'timelines',
];
/** Packages that talk to something outside; an adapter or the folder of that protocol imports them. */
const SDK =
  'node_modules/(@google-cloud/|google-auth-library/|@ai-sdk/|ai/|redis/|@redis/|undici/|@grpc/|nice-grpc|fastify/|@fastify/|pino/|pdfjs-dist/|linkedom/)';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Modules that load each other: move what both need into a third one.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'pure',
      comment: 'item, same-story and time import only each other, and read files that ship with the program.',
      severity: 'error',
      from: { path: PURE },
      to: { pathNot: [PURE, '^src/assets/'], dependencyTypesNot: ['core', 'type-only'] },
    },
    {
      name: 'domain-imports-no-adapter',
      comment: 'A subject knows ports. Adapters, servers and commands know the subject.',
      severity: 'error',
      from: { path: DOMAIN },
      to: { path: '^src/(storage|server|cli|app|serverless)/' },
    },
    {
      name: 'backends-apart',
      comment: 'An adapter of one backend imports none of another; what is kept in memory serves all.',
      severity: 'error',
      from: { path: '^src/storage/([^/]+)/' },
      to: { path: '^src/storage/', pathNot: '^src/storage/($1|memory)/' },
    },
    {
      name: 'storage-is-called',
      comment: 'Adapters implement ports; they call neither servers nor commands nor the wiring.',
      severity: 'error',
      from: { path: '^src/storage/' },
      to: { path: '^src/(server|cli|app|serverless)/' },
    },
    {
      name: 'server-through-ports',
      comment: 'The server gets running parts from the wiring.',
      severity: 'error',
      from: { path: '^src/server/' },
      to: { path: '^src/(storage|cli|app|serverless)/' },
    },
    {
      name: 'cli-through-app',
      comment:
        'Commands reach databases and servers through app/, except for maintenance of what is not opened.',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: {
        path: '^src/(storage|server)/',
        pathNot:
          '^src/(storage/sqlite/(backup|restore|upgrade-report)|storage/firestore/(data-format|index-definitions)|server/grpc/health-client)[.]ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'app-is-entered-by-commands',
      comment: 'Wiring runs at the start: only commands and serverless entries open it.',
      severity: 'error',
      from: { pathNot: '^src/(app|cli|serverless)/' },
      to: { path: '^src/app/' },
    },
    {
      name: 'app-wires-only',
      comment: 'Logic belongs to its subject. A new file in app/ needs a reason, and an entry in this list.',
      severity: 'error',
      from: { path: '^src/app/', pathNot: `^src/app/(${WIRING.join('|')})\\.ts$` },
      to: {},
    },
    {
      name: 'sdk-in-its-place',
      comment:
        'Packages that talk to the outside are for storage/, server/, fetch/, telemetry/, articles/ and the model clients.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/(storage|server|fetch|telemetry|articles|app|judge/(remote|gemini|openai)|serverless)/',
      },
      to: { path: SDK, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'simulator-is-for-the-sample',
      severity: 'error',
      from: { pathNot: '^src/(app|cli/sample|cli/commands/simulator)' },
      to: { path: '^simulator/' },
    },
    {
      name: 'names-say-something',
      comment: 'utils, helpers, common and manager name nothing.',
      severity: 'error',
      from: {},
      to: { path: '[/-](utils?|helpers?|common|managers?)([/-]|[.]ts$)', pathNot: 'node_modules' },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: ['node_modules', '^simulator', '^proto'] },
    // Tests and what is made for them put parts together as they like.
    exclude: { path: '\\.(test|fixture|testdata)\\.ts$|/(contract|testing|testdata|labelled|injection)/' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs', '.json'] },
  },
};
