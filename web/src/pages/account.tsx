import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { People } from '../parts/account-list.tsx';
import { Field, Form } from '../parts/form.tsx';
import { Loading, Notice, Trouble } from '../parts/notice.tsx';
import { When } from '../parts/relative-time.tsx';
import { Foreign } from '../parts/text.tsx';
import { go } from '../router.ts';
import { me, openSession, signOut } from '../session.ts';
import { useRead } from '../use-read.ts';
import { words } from '../words/words.ts';

/** What is one's own: where one is signed in, the password, and for the owner who else may come in. */
export function MePage() {
  const w = words.value;
  const person = me.value;
  if (person === null)
    return (
      <Notice title={w.notSignedIn}>
        <a class="button" href="/sign-in?then=/me">
          {w.signIn}
        </a>
      </Notice>
    );
  return (
    <section aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        <Foreign text={person.name} />
      </h2>
      <p class="quiet">{w.roles[person.role]}</p>
      <p class="me-out">
        <button
          type="button"
          class="button"
          onClick={() => {
            void signOut().then(() => go('/'));
          }}
        >
          {w.signOut}
        </button>
      </p>
      <div class="me-columns">
        <Sessions />
        <Password />
      </div>
      {person.role === 'owner' && <People />}
    </section>
  );
}

function Sessions() {
  const w = words.value;
  const { value, trouble, again } = useRead('sessions', (signal) => api.session.all(signal));
  const then = (done: Promise<unknown>): void => void done.then(again, again);
  return (
    <section class="item-section" aria-labelledby="sessions-title">
      <h3 id="sessions-title">{w.sessionsTitle}</h3>
      {trouble && <Trouble trouble={trouble} again={again} />}
      {!value && !trouble && <Loading />}
      <ul class="rows">
        {value?.sessions.map((session) => (
          <li key={session.id} class="line">
            <div>
              <p>
                <Foreign text={deviceName(session.device) || w.unknownDevice} />
                {session.here && <b> · {w.thisDevice}</b>}
              </p>
              <p class="quiet">
                {w.lastSeen} <When at={session.seenAt} />
              </p>
            </div>
            {!session.here && (
              <button type="button" class="button" onClick={() => then(api.session.endOne(session.id))}>
                {w.signOut}
                <span class="visually-hidden">: {deviceName(session.device)}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {(value?.sessions.length ?? 0) > 1 && (
        <p>
          <button type="button" class="link" onClick={() => then(api.session.endOthers())}>
            {w.signOutOthers}
          </button>
        </p>
      )}
      <p>
        <button
          type="button"
          class="link"
          onClick={() =>
            void api.session
              .endAll()
              .then(openSession)
              .then(() => go('/'))
          }
        >
          {w.signOutEverywhere}
        </button>
      </p>
    </section>
  );
}

function Password() {
  const w = words.value;
  const [now, setNow] = useState('');
  const [next, setNext] = useState('');
  const [done, setDone] = useState(false);
  return (
    <section class="item-section" aria-labelledby="password-title">
      <h3 id="password-title">{w.passwordTitle}</h3>
      {done && <p role="status">{w.passwordChanged}</p>}
      <Form
        button={w.setPassword}
        send={async () => {
          await api.session.setPassword(now, next);
          setDone(true);
          setNow('');
          setNext('');
        }}
      >
        {(problem) => (
          <>
            <Field
              label={w.passwordNow}
              name="current"
              type="password"
              value={now}
              onInput={setNow}
              autocomplete="current-password"
              problem={problem('current')}
            />
            <Field
              label={w.passwordNext}
              name="next"
              type="password"
              value={next}
              onInput={setNext}
              autocomplete="new-password"
              hint={w.passwordHint}
              problem={problem('next')}
            />
          </>
        )}
      </Form>
    </section>
  );
}

/** As much of a browser's long name as people know it by. */
function deviceName(device: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\/\d+/.exec(device)?.[0].replace('Edg', 'Edge') ?? '';
  const system = /\((?:X11; )?([^;)]+)/.exec(device)?.[1] ?? '';
  return browser === '' ? device.slice(0, 60) : `${browser.replace('/', ' ')}, ${system}`;
}
