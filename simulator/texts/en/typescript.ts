import type { TopicTexts } from '../topic.ts';

export const typescript: TopicTexts = {
  name: 'TypeScript',
  stories: [
    {
      title: 'TypeScript without a build step: {company} runs its servers straight from source',
      lead: [
        '{company} has removed the compiler from its start-up: Node strips the types and runs the TypeScript files as they are.',
        'The type checker still runs in the editor and before every merge, on {n:200-900} thousand lines.',
        'Enums and namespaces had to go, because only erasable syntax can be stripped.',
      ],
    },
    {
      title: 'How {name} made the TypeScript compiler check {n:3-9} times faster in one monorepo',
      lead: [
        'Project references, fewer barrel files and explicit return types cut the type checker from minutes to seconds.',
        'The largest win was unexpected: one union of {n:400-900} string literals was compared with itself in every module.',
        '{name} found it with the compiler\u2019s own trace and replaced it with a branded string.',
      ],
    },
    {
      title: 'Discriminated unions instead of exceptions: a year of TypeScript at {company}',
      lead: [
        'A year ago {company} stopped throwing errors for things that are expected to happen.',
        'Functions return discriminated unions instead, and the compiler refuses a switch that forgets a case.',
        'Incidents caused by an unhandled rejection fell from {n:9-30} a quarter to two.',
      ],
    },
    {
      title: 'Strict null checks in an old JavaScript code base, file by file',
      lead: [
        'Turning on strict checks for {n:100-800} old JavaScript files at once was never going to work.',
        'The team at {company} wrote a list of files that pass, let it only grow, and finished in {month}.',
        'Half of the compiler errors were real bugs that nobody had reported.',
      ],
    },
    {
      title: 'A type-level parser in TypeScript, and why {name} deleted it',
      lead: [
        'Template literal types can parse a route pattern and give each parameter its type.',
        'The types were correct, the editor took {n:4-11} seconds for every completion, and new colleagues could not change them.',
        '{name} replaced {n:300-700} lines of types with a generator script and a page of plain interfaces.',
      ],
    },
  ],
  background: [
    'TypeScript adds types to JavaScript and checks them before the program runs.',
    'Generics are worth their price when two callers need them, and not before.',
    'Type checking in the editor matters more than in the pipeline, because that is where people wait.',
    'A linter rule against floating promises finds more bugs than most type tricks.',
    'The compiler cannot know what comes over the network, so data from outside still has to be validated.',
    'JavaScript engines never see the types: they are gone before the first line runs.',
  ],
};
