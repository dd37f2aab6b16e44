import { useState } from 'preact/hooks';
import { words } from '../words/words.ts';

/** A text to be taken elsewhere, with a button that copies it. */
export function CopyText({ text }: { readonly text: string }) {
  const w = words.value.manage.account;
  const [copied, setCopied] = useState(false);
  return (
    <p class="copy-text">
      <code>{text}</code>{' '}
      <button
        type="button"
        class="button button-small"
        // Without permission the text can still be selected.
        onClick={() => {
          navigator.clipboard?.writeText(text).then(
            () => setCopied(true),
            () => {},
          );
        }}
      >
        {w.copy}
      </button>{' '}
      <span role="status">{copied && w.copied}</span>
    </p>
  );
}
