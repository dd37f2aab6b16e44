import { useState } from 'preact/hooks';
import type { Enclosure } from '../../../src/item/item.ts';
import { words } from '../words/words.ts';
import { hostOf, webAddress } from './text.tsx';

/** An audio or video attachment. Its server is contacted only after a click. */
export function EnclosurePlayer({
  enclosure,
  title,
}: {
  readonly enclosure: Enclosure;
  readonly title: string;
}) {
  const w = words.value.reader.article;
  const [playing, setPlaying] = useState(false);
  const url = webAddress(enclosure.url);
  if (url === null) return null;
  const kind = kindOf(enclosure.type);
  const about = [durationWords(enclosure.durationSeconds), sizeWords(enclosure.lengthBytes)].filter(Boolean);
  if (kind === 'other')
    return (
      <p class="enclosure">
        <a class="button" href={url} target="_blank" rel="noopener noreferrer">
          {w.play.other}
        </a>{' '}
        <span class="quiet">{[hostOf(url), ...about].join(' · ')}</span>
      </p>
    );
  if (playing)
    return kind === 'audio' ? (
      // biome-ignore lint/a11y/useMediaCaption: the feed names no captions.
      <audio class="enclosure" src={url} controls autoPlay aria-label={title} />
    ) : (
      // biome-ignore lint/a11y/useMediaCaption: the feed names no captions.
      <video class="enclosure" src={url} controls autoPlay playsInline aria-label={title} />
    );
  return (
    <p class="enclosure">
      <button type="button" class="button" onClick={() => setPlaying(true)}>
        {w.play[kind]}
      </button>{' '}
      <span class="quiet">{[w.playHint(hostOf(url) ?? ''), ...about].join(' · ')}</span>
    </p>
  );
}

function kindOf(type: string | null): 'audio' | 'video' | 'other' {
  if (type?.startsWith('audio/')) return 'audio';
  return type?.startsWith('video/') ? 'video' : 'other';
}

function durationWords(seconds: number | null): string {
  if (seconds === null || seconds <= 0) return '';
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, i) => (i === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

function sizeWords(bytes: number | null): string {
  return bytes === null || bytes <= 0 ? '' : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
