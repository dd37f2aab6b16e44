import { useEffect, useRef, useState } from 'preact/hooks';
import { words } from '../words/words.ts';

/** Loads on shortly before the reader gets there; by hand where that cannot be seen. */
export function More(props: {
  readonly load: () => Promise<void>;
  readonly words: string;
  /** Another one for every page, so that the end of the list is looked for again. */
  readonly turn: string;
}) {
  const mark = useRef<HTMLDivElement>(null);
  const [loading, setLoading] = useState(false);
  const load = async (): Promise<void> => {
    setLoading(true);
    try {
      await props.load();
    } finally {
      setLoading(false);
    }
  };
  useEffect(() => {
    if (!mark.current) return;
    const seen = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void load();
      },
      { rootMargin: '1500px' },
    );
    seen.observe(mark.current);
    return () => seen.disconnect();
  }, [props.turn]);
  return (
    <div ref={mark} class="more">
      <button type="button" class="button" disabled={loading} onClick={() => void load()}>
        {loading ? words.value.loading : props.words}
      </button>
    </div>
  );
}
