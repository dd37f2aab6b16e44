import { useState } from 'preact/hooks';
import type { Enclosure } from '../../../src/item/item.ts';
import { durationWords, sizeWords } from '../time.ts';
import { words } from '../words/words.ts';
import { hostOf, webAddress } from './text.tsx';

/** The files of an article: audio and video are played here, others are opened. A picture is shown as the article's own. */
export function Enclosures({
  enclosures,
  title,
}: {
  readonly enclosures: readonly Enclosure[];
  readonly title: string;
}) {
  const shown = enclosures.filter(({ url, type }) => webAddress(url) !== null && !type?.startsWith('image/'));
  if (shown.length === 0) return null;
  const w = words.value.reader.article;
  return (
    <section class="enclosures" aria-label={w.enclosures}>
      {shown.map((enclosure) => (
        <EnclosurePlayer
          key={enclosure.url}
          enclosure={enclosure}
          name={shown.length > 1 ? fileName(enclosure.url) : ''}
          title={title}
        />
      ))}
    </section>
  );
}

/** Its server is contacted only after a click. */
function EnclosurePlayer({
  enclosure: { url, type, durationSeconds, lengthBytes },
  name,
  title,
}: {
  readonly enclosure: Enclosure;
  /** Tells several files apart. */
  readonly name: string;
  readonly title: string;
}) {
  const w = words.value.reader.article;
  const [state, setState] = useState<'waiting' | 'playing' | 'failed'>('waiting');
  const kind = kindOf(type);
  const about = [name, durationWords(durationSeconds), sizeWords(lengthBytes)].filter((part) => part !== '');
  if (kind === 'other' || state === 'failed')
    return (
      <div class="enclosure">
        {state === 'failed' && (
          <p class="quiet" role="status">
            {w.playFailed}
          </p>
        )}
        <a class="button" href={url} target="_blank" rel="noopener noreferrer">
          {w.play.other}
        </a>
        <span class="quiet">{[hostOf(url), ...about].join(' · ')}</span>
      </div>
    );
  if (state === 'waiting')
    return (
      <div class="enclosure">
        <button
          type="button"
          class="button"
          aria-label={name === '' ? undefined : `${w.play[kind]}: ${name}`}
          onClick={() => setState('playing')}
        >
          {w.play[kind]}
        </button>
        <span class="quiet">{[...about, w.playHint(hostOf(url) ?? '')].join(' · ')}</span>
      </div>
    );
  const label = [title, ...about].join(' · ');
  return (
    <div class="enclosure">
      {kind === 'audio' ? (
        // biome-ignore lint/a11y/useMediaCaption: the feed names no captions.
        <audio
          src={url}
          controls
          autoPlay
          preload="none"
          aria-label={label}
          onError={() => setState('failed')}
        />
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: the feed names no captions.
        <video
          src={url}
          controls
          autoPlay
          playsInline
          preload="none"
          aria-label={label}
          onError={() => setState('failed')}
        />
      )}
      <span class="quiet">{about.join(' · ')}</span>
    </div>
  );
}

function kindOf(type: string | null): 'audio' | 'video' | 'other' {
  if (type?.startsWith('audio/')) return 'audio';
  return type?.startsWith('video/') ? 'video' : 'other';
}

function fileName(url: string): string {
  const name = URL.parse(url)?.pathname.split('/').pop() ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
