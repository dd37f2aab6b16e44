import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../checks.ts';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly for?: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string };
    }[];
  }[];
}

/** The reference of the alerts, from the rules that ship. */
export function alertsReference(): string {
  const folder = join(ROOT, 'deploy', 'alerts');
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml') && !name.endsWith('.tests.yaml'));
  const parts = files.toSorted().map((name) => {
    const { groups } = parse(readFileSync(join(folder, name), 'utf8')) as Rules;
    const rows = groups.flatMap(({ rules }) =>
      rules.map(
        ({ alert, expr, labels, annotations, for: lasting }) =>
          `| [${alert}](../guides/operating.md#${alert.toLowerCase()}) | ${labels.severity} | ${annotations.summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, '*$1*')} | \`${expr.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')}\`${lasting === undefined ? '' : ` for ${lasting}`} |`,
      ),
    );
    return `## ${name}\n\n| alert | severity | summary | fires when |\n|---|---|---|---|\n${rows.join('\n')}`;
  });
  return `# Reference: alerts

The rules in [deploy/alerts](../../deploy/alerts), for Prometheus. Each is tested by \`promtool test rules\`; its name links to
what to do about it.

${parts.join('\n\n')}
`;
}
