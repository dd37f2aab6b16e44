import { useEffect, useRef } from 'preact/hooks';
import { KEY_BINDINGS, keysOpen } from '../keyboard.ts';
import { words } from '../words/words.ts';

const GROUPS = ['move', 'entry', 'list', 'go', 'other'] as const;

export function KeysDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = keysOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  const w = words.value;
  return (
    <dialog
      ref={dialog}
      class="keys"
      aria-labelledby="keys-title"
      onClose={() => {
        keysOpen.value = false;
      }}
    >
      <h2 id="keys-title">{w.reader.keysTitle}</h2>
      <div class="keys-groups">
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{w.reader.keyGroups[group]}</h3>
            <dl>
              {KEY_BINDINGS.filter((binding) => binding.group === group).map((binding) => (
                <div key={binding.keys.join(' ')}>
                  <dt>
                    {binding.keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{binding.words(w)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <form method="dialog">
        <button type="submit" class="button">
          {w.reader.nav.close} <kbd>Esc</kbd>
        </button>
      </form>
    </dialog>
  );
}
