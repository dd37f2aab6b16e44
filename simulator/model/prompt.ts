/** A parsed prompt: the text it is about, and everything else. */
export interface Reading {
  /** The material, without its fence. */
  readonly material: string;
  readonly title: string;
  /** The prompt around the material. */
  readonly instructions: string;
  readonly interests: readonly Interest[];
}

export interface Interest {
  readonly topic: string;
  readonly aliases: readonly string[];
}

/** Two lines with the same name, tags, marks, and code blocks. The material is the second group. */
const FENCES: readonly RegExp[] = [
  /<<<([^<>\n]+)>>>\n([\s\S]*?)\n?<<<END \1>>>/gi,
  /<((?:article|document|page|data|material|untrusted|content)[\w-]*)\b[^>]*>([\s\S]*?)<\/\1>/gi,
  /(<<<+|⟦|-----+ ?BEGIN[^\n]*)\n([\s\S]*?)(?:>>>+|⟧|-----+ ?END[^\n]*)/gi,
  /(```|~~~)[a-z]*\n([\s\S]*?)\1/gi,
];

/** Finds the fenced material in a prompt; a prompt without a fence is all material. */
export function readPrompt(prompt: string): Reading {
  const found: { readonly label: string; readonly text: string }[] = [];
  let instructions = prompt;
  for (const fence of FENCES) {
    instructions = instructions.replace(fence, (_, label: string, text: string) => {
      found.push({ label, text: text.trim() });
      return ' ';
    });
  }
  const interests = interestsIn(instructions);
  if (found.length === 0) return { material: prompt, title: titleOf(prompt), instructions, interests };
  const titled = found.find(({ label }) => /^title\b/i.test(label));
  const material = found
    .filter((part) => part !== titled)
    .map(({ text }) => text)
    .join('\n\n');
  return { material, title: titled?.text ?? titleOf(material), instructions, interests };
}

function titleOf(material: string): string {
  const named = /^\s*(?:title|headline|題名|タイトル|件名)\s*[:：]\s*(.+)$/im.exec(material)?.[1];
  const inJson = /"title"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(material)?.[1];
  return (named ?? inJson ?? material.split('\n').find((line) => line.trim() !== '') ?? '').trim();
}

/** Interests as prompts list them: JSON objects with a `topic`, or a list with one to a line. */
function interestsIn(instructions: string): Interest[] {
  const inJson = [...instructions.matchAll(/\{[^{}]*"topic"\s*:\s*"((?:[^"\\]|\\.)*)"[^{}]*\}/g)];
  if (inJson.length > 0) {
    return inJson.map(([object, topic = '']) => ({
      topic,
      aliases: strings(/"aliases"\s*:\s*\[([^\]]*)\]/.exec(object)?.[1]),
    }));
  }
  const lines = instructions.split('\n');
  const start = lines.findIndex((line) => /interest|topics?\b|関心|興味|トピック/i.test(line));
  if (start < 0) return [];
  const bullets = lines.slice(start).map((line) => /^\s*(?:[-*•・]|\d+[.)])\s*(.+)$/.exec(line)?.[1]);
  const first = bullets.findIndex((bullet) => bullet !== undefined);
  if (first < 0) return [];
  const block = bullets.slice(first);
  const end = block.indexOf(undefined);
  return block.slice(0, end < 0 ? undefined : end).map((bullet) => asInterest(bullet ?? ''));
}

function strings(list: string | undefined): string[] {
  return [...(list ?? '').matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? '');
}

function asInterest(bullet: string): Interest {
  const plain = bullet.replace(/["“”*`]/g, '').replace(/^topic\s*:\s*/i, '');
  const [topic = '', rest = ''] = splitOnce(plain, /\s*(?:[(（:：|;,]|\s[—–-]\s)\s*/);
  const listed = /(?:alias(?:es)?|also|別名)\s*[:：]?\s*([^;)）|]+)/i.exec(rest)?.[1] ?? '';
  return {
    topic: topic.trim(),
    aliases: listed
      .split(/[,、]/)
      .map((alias) => alias.trim())
      .filter(Boolean),
  };
}

function splitOnce(text: string, at: RegExp): [string, string] {
  const match = at.exec(text);
  return match ? [text.slice(0, match.index), text.slice(match.index + match[0].length)] : [text, ''];
}
