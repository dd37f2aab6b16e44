import type { ComponentChildren } from 'preact';
import { api } from '../api.ts';
import { JudgeSpends } from '../parts/judge-spend.tsx';
import { Loading, Trouble } from '../parts/notice.tsx';
import { OwnersOnly } from '../parts/owners-only.tsx';
import { Foreign } from '../parts/text.tsx';
import { me } from '../session.ts';
import { useRead } from '../use-read.ts';
import { tongue, words } from '../words/words.ts';

/** The configuration as it is in force, what judges and the store have used, and who is listening. */
export function SettingsPage() {
  const w = words.value;
  if (me.value?.role !== 'owner') return <OwnersOnly />;
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        {w.nav.settings}
      </h2>
      <Usage />
      <JudgeSpends />
      <Configuration />
      <p>
        <a href="/api" target="_blank" rel="noopener">
          {w.apiPage}
        </a>
      </p>
    </section>
  );
}

function Usage() {
  const w = words.value;
  const { value } = useRead('usage', (signal) => api.usage(signal), 15_000);
  if (value === null) return null;
  const number = new Intl.NumberFormat(tongue.value);
  return (
    <dl class="facts">
      <div>
        <dt>{w.openStreams}</dt>
        <dd>{number.format(value.streams.open)}</dd>
      </div>
      {value.store !== null &&
        (['reads', 'writes', 'deletes'] as const).map((kind) => (
          <div key={kind}>
            <dt>{w.storeUsage[kind]}</dt>
            <dd>
              {number.format(value.store?.used[kind] ?? 0)} / {number.format(value.store?.free[kind] ?? 0)}
              <meter
                min={0}
                max={value.store?.free[kind] ?? 1}
                value={value.store?.used[kind] ?? 0}
                aria-label={w.storeUsage[kind]}
              />
            </dd>
          </div>
        ))}
    </dl>
  );
}

function Configuration() {
  const w = words.value;
  const { value, trouble, again } = useRead('configuration', (signal) => api.configuration(signal));
  return (
    <section class="item-section" aria-labelledby="configuration-title">
      <h3 id="configuration-title">{w.configurationTitle}</h3>
      {trouble && <Trouble trouble={trouble} again={again} />}
      {!value && !trouble && <Loading />}
      {value !== null && (
        <>
          <p class="quiet">
            <Foreign text={value.file} /> · {w.secretsMasked}
          </p>
          <div class="tree">
            <Branch value={value.settings} />
          </div>
        </>
      )}
    </section>
  );
}

function Branch({ value }: { readonly value: unknown }): ComponentChildren {
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="quiet">[]</span>;
    return (
      <ul>
        {value.map((one, index) => (
          // Lists of the configuration have an order and no names.
          <li key={index}>
            <Branch value={one} />
          </li>
        ))}
      </ul>
    );
  }
  if (typeof value === 'object' && value !== null)
    return (
      <dl>
        {Object.entries(value).map(([name, inner]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Branch value={inner} />
            </dd>
          </div>
        ))}
      </dl>
    );
  return <Foreign text={String(value)} most={400} />;
}
