import { OVERRIDES } from '../../src/config/overrides.ts';
import { configJsonSchema } from '../../src/config/schema/document.ts';

/** The part of JSON Schema that the configuration's schema uses. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Line {
  readonly key: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** The reference of `kawaraban.yaml`, from the schema that checks it. */
export function configurationReference(): string {
  const { properties = {} } = configJsonSchema() as Schema;
  const sections = Object.entries(properties).map(
    ([name, schema]) => `## \`${name}\`\n\n${schema.description ?? ''}\n\n${sectionOf(name, schema)}`,
  );
  return `# Reference: configuration

Everything that \`kawaraban.yaml\` may contain. \`kawaraban config check\` lists every problem in yours at once, with its position and what to
write instead; editors complete it with [kawaraban.schema.json](../kawaraban.schema.json). Times are written as \`90s\`, \`15m\`, \`2h\` or
\`30d\`, sizes as \`512KB\` or \`2MB\`. A secret is never in the file: \`{ env: NAME }\` takes it from the environment (or from the file that
\`NAME_FILE\` names), \`{ file: path }\` from a file.

${sections.join('\n\n')}

## Environment

These override the file; containers use them. Those of the distributed engine's services have no effect on the embedded one.

| variable | setting | |
|---|---|---|
${OVERRIDES.map(({ name, path, words }) => `| \`${name}\` | \`${path.join('.')}\` | ${words} |`).join('\n')}
`;
}

function sectionOf(name: string, schema: Schema): string {
  const forms = formsOf(schema);
  if (schema.properties === undefined && forms.length === 0)
    return table([{ key: name, schema, required: false }]);
  if (forms.length === 0) return table(linesOf(schema));
  return forms
    .map((form) => `### ${titleOf(name, form)}\n\n${aboutOf(form)}${table(linesOf(form))}`)
    .join('\n\n');
}

/** The variants of a setting that has several, or of each entry in a map of them. */
function formsOf(schema: Schema): readonly Schema[] {
  const of = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : schema;
  return (of.anyOf ?? (of === schema ? [] : [of])).filter((form) => form.properties !== undefined);
}

function titleOf(name: string, form: Schema): string {
  const { kind } = form.properties ?? {};
  if (kind?.const !== undefined) return `\`${name}\` of kind \`${String(kind.const)}\``;
  if (kind !== undefined) return `\`${name}\` of a plugin`;
  return `\`${name}\` with \`${form.required?.[0] ?? Object.keys(form.properties ?? {})[0] ?? ''}\``;
}

function aboutOf(form: Schema): string {
  const about = form.properties?.kind?.description;
  return about === undefined ? '' : `${about}\n\n`;
}

function linesOf(schema: Schema, prefix = ''): readonly Line[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, below]) => {
    const path = `${prefix}${key}`;
    const own: Line = { key: path, schema: below, required: schema.required?.includes(key) ?? false };
    if (isSecret(below) || key === 'kind') return [own];
    if (below.properties !== undefined) return [own, ...linesOf(below, `${path}.`)];
    if (below.items?.properties !== undefined) return [own, ...linesOf(below.items, `${path}[].`)];
    const forms = (below.anyOf ?? []).filter((form) => form.properties !== undefined);
    return [own, ...forms.flatMap((form) => linesOf(form, `${path}.`))];
  });
}

function table(lines: readonly Line[]): string {
  const seen = new Set<string>();
  const rows = lines
    .filter(({ key }) => !seen.has(key) && seen.add(key))
    .map(
      ({ key, schema, required }) =>
        `| \`${key}\` | ${typeOf(schema)} | ${required ? '**required**' : defaultOf(schema)} | ${cell(schema.description ?? '')} |`,
    );
  return ['| key | value | default | |', '|---|---|---|---|', ...rows].join('\n');
}

function typeOf(schema: Schema): string {
  if (isSecret(schema)) return 'secret';
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.type === 'integer' && schema.minimum !== undefined && schema.maximum !== undefined)
    return `${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'array')
    return `list of ${schema.items === undefined ? 'values' : typeOf(schema.items)}`;
  if (schema.type === 'object') return 'group';
  if (schema.type === 'boolean') return '`true`, `false`';
  return schema.type === 'string' || schema.type === undefined ? 'text' : schema.type;
}

function defaultOf({ default: value }: Schema): string {
  if (value === undefined || value === '') return '';
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return '';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function isSecret({ anyOf }: Schema): boolean {
  const keys = anyOf?.map((form) => Object.keys(form.properties ?? {}).join()) ?? [];
  return keys.includes('env') && keys.includes('file');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
}
