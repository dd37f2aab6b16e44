import { useEffect, useRef } from 'preact/hooks';
import { keysOpen } from '../keyboard.ts';
import { words } from '../words/words.ts';

export function KeysDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = keysOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  const w = words.value;
  const rows: readonly (readonly [readonly string[], string])[] = [
    [['j'], w.keys.next],
    [['k'], w.keys.previous],
    [['o'], w.keys.open],
    [['w'], w.keys.why],
    [['h'], w.keys.hide],
    [['u'], w.keys.undo],
    [['.'], w.keys.show],
    [['/'], w.keys.search],
    [['g', 'n h w t p i s'], w.keys.go],
    [['?'], w.keys.help],
    [['Esc'], w.keys.close],
  ];
  return (
    <dialog
      ref={dialog}
      class="keys"
      aria-labelledby="keys-title"
      onClose={() => {
        keysOpen.value = false;
      }}
    >
      <h2 id="keys-title">{w.keysTitle}</h2>
      <dl>
        {rows.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="button">
          {w.close}
        </button>
      </form>
    </dialog>
  );
}
