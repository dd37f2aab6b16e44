import type { ComponentChildren } from 'preact';
import { api } from '../api.ts';
import { useRead } from '../hooks.ts';
import { JudgeSpends } from '../parts/judge-spend.tsx';
import { LearningSettings } from '../parts/learning-settings.tsx';
import { FailureNotice, Notice } from '../parts/notice.tsx';
import { NotificationSettings } from '../parts/notification-settings.tsx';
import { PipelineSettings } from '../parts/pipeline-settings.tsx';
import { RetentionSettings } from '../parts/retention-settings.tsx';
import { Select, Toggle } from '../parts/setting.tsx';
import { Foreign } from '../parts/text.tsx';
import { DENSITIES, density, pictures } from '../reader/preferences.ts';
import { scheduleText } from '../server-text.ts';
import { me } from '../session.ts';
import { setTheme, THEMES, theme } from '../theme.ts';
import { durationText } from '../time.ts';
import { LANGUAGES, language, setLanguage, words } from '../words/words.ts';

/** How the page looks here, and for the owner what can be changed about the newsroom. */
export function SettingsPage() {
  const w = words.value.manage.settings;
  return (
    <section class="settings" aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        {w.title}
      </h2>
      <Appearance />
      {me.value !== null && <NotificationSettings />}
      {me.value !== null && <LearningSettings />}
      {me.value !== null && <Links />}
      {me.value?.role === 'owner' && (
        <>
          <Pipelines />
          <OwnerDetails />
        </>
      )}
      {me.value === null && (
        <Notice title={words.value.notSignedIn}>
          <a class="button" href="/sign-in?then=/settings">
            {words.value.signIn}
          </a>
        </Notice>
      )}
    </section>
  );
}

function Appearance() {
  const w = words.value.manage.settings;
  const { densities } = words.value.reader.view;
  return (
    <section class="setting-group" aria-labelledby="appearance-title">
      <h3 id="appearance-title">{w.appearance}</h3>
      <p class="quiet">{w.onThisDevice}</p>
      <Select
        id="language"
        label={w.language}
        value={language.value}
        options={LANGUAGES.map(({ tag, name }) => [tag, name])}
        choose={(next) => void setLanguage(next)}
      />
      <Select
        id="theme"
        label={w.theme}
        value={theme.value}
        options={THEMES.map((one) => [one, w.themes[one]])}
        choose={setTheme}
      />
      <Select
        id="density"
        label={w.density}
        value={density.value}
        options={DENSITIES.map((one) => [one, densities[one]])}
        choose={(chosen) => {
          density.value = chosen;
        }}
      />
      <Toggle
        label={w.pictures}
        on={pictures.value === 'on'}
        set={(on) => {
          pictures.value = on ? 'on' : 'off';
        }}
      />
    </section>
  );
}

function Links() {
  const w = words.value.manage.settings;
  return (
    <section class="setting-group" aria-labelledby="account-title">
      <h3 id="account-title">{w.account}</h3>
      <ul class="setting-links">
        <li>
          <a href="/me">{w.account}</a> <span class="quiet">{w.accountMore}</span>
        </li>
        {me.value?.role === 'owner' && (
          <li>
            <a href="/people">{w.members}</a> <span class="quiet">{w.membersMore}</span>
          </li>
        )}
      </ul>
    </section>
  );
}

function Pipelines() {
  const w = words.value.manage.settings;
  const { value, failure, again } = useRead('pipelines', (signal) => api.pipelines(signal));
  return (
    <section class="setting-group" aria-labelledby="pipelines-title">
      <h3 id="pipelines-title">{w.pipelines}</h3>
      <p class="quiet">{value?.pipelines.length === 0 ? words.value.noPipelinesMore : w.pipelinesMore}</p>
      {failure && <FailureNotice failure={failure} again={again} />}
      {value?.pipelines.map((pipeline) => (
        <details key={pipeline.id} class="setting-more">
          <summary>
            <b>
              <Foreign text={pipeline.name} most={80} />
            </b>{' '}
            <span class="quiet">
              <Foreign text={scheduleText(pipeline)} />
              {pipeline.minScore !== null &&
                ` · ${words.value.manage.pipeline.minScore} ${pipeline.minScore}`}
            </span>
          </summary>
          <PipelineSettings pipeline={pipeline.id} changed={again} />
        </details>
      ))}
    </section>
  );
}

interface ConfiguredRetention {
  readonly enabled?: boolean;
}

function OwnerDetails() {
  const w = words.value.manage.settings;
  const { value, failure, again } = useRead('configuration', (signal) => api.configuration(signal));
  return (
    <>
      {failure && <FailureNotice failure={failure} again={again} />}
      {value !== null && (
        <Retention settings={(value.settings as { retention?: ConfiguredRetention }).retention ?? {}} />
      )}
      <Usage />
      <JudgeSpends />
      <section class="setting-group" aria-labelledby="configuration-title">
        <h3 id="configuration-title">{w.configuration}</h3>
        {value !== null && (
          <details class="setting-more">
            <summary>{w.showConfiguration}</summary>
            <p class="quiet">{w.configurationMore(value.file)}</p>
            <div class="tree">
              <Branch value={value.settings} />
            </div>
          </details>
        )}
        <p>
          <a href="/api" target="_blank" rel="noopener">
            {w.api}
            <span class="visually-hidden"> {words.value.opensElsewhere}</span>
          </a>
        </p>
      </section>
    </>
  );
}

function Retention({ settings }: { readonly settings: ConfiguredRetention }) {
  const w = words.value.manage.settings;
  const times = Object.entries<unknown>({ ...settings }).filter(
    (entry): entry is [string, string] =>
      Object.hasOwn(w.retentionTimes, entry[0]) && typeof entry[1] === 'string',
  );
  return (
    <section class="setting-group" aria-labelledby="retention-title">
      <h3 id="retention-title">{w.retention}</h3>
      <p class="quiet">{settings.enabled === false ? w.retentionOff : w.retentionMore}</p>
      <RetentionSettings />
      <p class="quiet">{w.retentionInFile}</p>
      <dl class="facts">
        {times.map(([name, time]) => (
          <div key={name}>
            <dt>{w.retentionTimes[name]}</dt>
            <dd>{time === 'keep' ? w.keepForever : daysText(time)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Retention times are usually written in days. */
function daysText(time: string): string {
  const days = /^(\d+)d$/.exec(time.trim())?.[1];
  return days === undefined ? time : durationText(Number(days) * 24 * 60 * 60_000);
}

function Usage() {
  const w = words.value.manage.settings;
  const { value } = useRead('usage', (signal) => api.usage(signal), 15_000);
  const store = value?.store ?? null;
  if (store === null) return null;
  const number = new Intl.NumberFormat(language.value);
  return (
    <section class="setting-group" aria-labelledby="usage-title">
      <h3 id="usage-title">{w.usage}</h3>
      <dl class="facts">
        {(['reads', 'writes', 'deletes'] as const).map((kind) => (
          <div key={kind}>
            <dt>{w.storeUsage[kind]}</dt>
            <dd>
              {number.format(store.used[kind])} / {number.format(store.free[kind])}
              <meter
                min={0}
                max={store.free[kind]}
                value={store.used[kind]}
                aria-label={w.storeUsage[kind]}
              />
            </dd>
          </div>
        ))}
      </dl>
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
