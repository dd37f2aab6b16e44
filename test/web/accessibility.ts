import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The packed file is half as long: it is parsed for every page that is loaded. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type ColorScheme = 'light' | 'dark';

export interface AccessibilityOptions {
  /** Checks the page in each of these; by default as it is. */
  readonly schemes?: readonly ColorScheme[];
  /** Checks also that what is tapped is large enough. */
  readonly targetSize?: boolean;
  /** Selector of the only part that is checked. */
  readonly within?: string;
}

/**
 * What axe finds in the page as it is shown, and by how many pixels it is too wide. A color scheme is switched in the loaded page:
 * loading it and axe for each one costs more than the checks.
 */
export async function accessibilityViolations(
  page: Page,
  { schemes, targetSize = false, within }: AccessibilityOptions = {},
): Promise<string[]> {
  const found: string[] = [];
  const colors = new Set<string>();
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const context = within === undefined ? 'document' : JSON.stringify(within);
  const options = JSON.stringify({
    resultTypes: ['violations'],
    ...(targetSize && { rules: { 'target-size': { enabled: true } } }),
  });
  for (const scheme of schemes ?? [undefined]) {
    if (scheme !== undefined) await page.emulateMedia({ colorScheme: scheme });
    const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${context}, ${options})`);
    const name = scheme === undefined ? '' : ` (${scheme})`;
    for (const { id, nodes } of violations)
      found.push(`${id}${name}: ${nodes.map((node) => node.html.slice(0, 200)).join(' | ')}`);
    const { wider, color } = await page.evaluate<{ wider: number; color: string }>(`({
      wider: document.documentElement.scrollWidth - innerWidth,
      color: getComputedStyle(document.body).color,
    })`);
    if (wider > 0) found.push(`${wider} pixels wider than the screen${name}`);
    colors.add(color);
  }
  if (schemes !== undefined && colors.size !== schemes.length)
    found.push(`The text is ${[...colors].join(', ')} in ${schemes.join(', ')}.`);
  return found;
}
