import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A button with a panel below it. It closes on Escape, on a click elsewhere and after a choice. */
export function Menu(props: {
  readonly label: ComponentChildren;
  readonly name: string;
  readonly class?: string;
  /** Choices inside leave it open. */
  readonly stays?: boolean;
  readonly onOpen?: () => void;
  readonly children: ComponentChildren;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  const { stays = false } = props;
  useEffect(() => {
    const close = (event: Event): void => {
      const menu = details.current;
      if (!menu?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        menu.open = false;
        menu.querySelector('summary')?.focus();
        return;
      }
      const target = event.target instanceof Element && menu.contains(event.target) ? event.target : null;
      const chosen = target?.closest('.menu-panel :is(button, a)') != null;
      if (target === null || (chosen && !stays)) menu.open = false;
    };
    document.addEventListener('click', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('click', close);
      document.removeEventListener('keydown', close);
    };
  }, []);
  return (
    <details
      ref={details}
      class={props.class === undefined ? 'menu' : `menu ${props.class}`}
      onToggle={(event) => {
        if (event.currentTarget.open) props.onOpen?.();
      }}
    >
      <summary class="tool" aria-label={props.name} title={props.name}>
        {props.label}
      </summary>
      <div class="menu-panel">{props.children}</div>
    </details>
  );
}
