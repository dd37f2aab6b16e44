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
  useEffect(() => {
    const close = (event: Event): void => {
      const menu = details.current;
      if (!menu?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        menu.open = false;
        menu.querySelector('summary')?.focus();
      } else if (!(event.target instanceof Node && menu.contains(event.target))) menu.open = false;
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
      <div
        class="menu-panel"
        onClick={(event) => {
          const chosen = event.target instanceof Element && event.target.closest('button, a') !== null;
          if (chosen && !props.stays && details.current) details.current.open = false;
        }}
      >
        {props.children}
      </div>
    </details>
  );
}
