import { describe, expect, it } from 'vitest';
import { fillTemplate, parseTemplate, TEMPLATE_NAMES, type Template, type TemplateName } from './template.ts';

const values = Object.fromEntries(Object.keys(TEMPLATE_NAMES).map((n) => [n, `<${n}>`])) as Record<
  TemplateName,
  string
>;

function parsed(source: string): Template {
  const result = parseTemplate(source);
  if (!result.ok) throw new Error(result.problem);
  return result.template;
}

describe('templates', () => {
  it('B18 title, summary and URL stand where the template puts them', () => {
    expect(fillTemplate(parsed('{title}\n\n{ summary }\n{url} {{ok}}'), values)).toBe(
      '<title>\n\n<summary>\n<url> {ok}',
    );
  });

  it('collapses empty lines', () => {
    expect(fillTemplate(parsed('{title}\n\n{summary}\n\n{url}'), { ...values, summary: '' })).toBe(
      '<title>\n\n<url>',
    );
  });

  it.each([
    ['{titel}', /\{titel\} is not known; a template can use title, summary/],
    ['{title', /a lone "\{"; write "\{\{"/],
    ['title}', /a lone "\}"/],
    ['hello', /uses no placeholder of the item/],
    ['', /uses no placeholder of the item/],
  ])('refuses %j with words that help', (source, words) => {
    const result = parseTemplate(source);
    expect(result.ok ? '' : result.problem).toMatch(words);
  });

  it('another wording is another version', () => {
    expect(parsed('{title}').version).not.toBe(parsed('{title} ').version);
  });

  it('a value with braces is not read as a template again', () => {
    expect(fillTemplate(parsed('{title}'), { ...values, title: '{url}' })).toBe('{url}');
  });
});
