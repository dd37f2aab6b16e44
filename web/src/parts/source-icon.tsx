import { useState } from 'preact/hooks';
import { sourceOf } from '../reader/overview.ts';

const SHADES = 6;

/** The icon of a source, or its first letter. */
export function SourceIcon({ id, name }: { readonly id: string; readonly name: string }) {
  const [failed, setFailed] = useState(false);
  const icon = sourceOf(id)?.icon ?? null;
  if (icon !== null && !failed)
    return (
      <img
        class="source-icon"
        src={icon}
        alt=""
        width={18}
        height={18}
        loading="lazy"
        onError={() => setFailed(true)}
      />
    );
  const [letter = '?'] = name.trim();
  return (
    <span class={`source-icon source-letter shade-${shadeOf(id)}`} aria-hidden="true">
      {letter.toUpperCase()}
    </span>
  );
}

/** The same shade for a source everywhere. */
function shadeOf(id: string): number {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return sum % SHADES;
}
