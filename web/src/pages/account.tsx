import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { useRead } from '../hooks.ts';
import { AccessTokens } from '../parts/access-tokens.tsx';
import { ActionProblem, useAction } from '../parts/action.tsx';
import { Field, Form } from '../parts/form.tsx';
import { FailureNotice, Loading, Notice } from '../parts/notice.tsx';
import { When } from '../parts/relative-time.tsx';
import { Foreign } from '../parts/text.tsx';
import { go } from '../router.ts';
import { me, openSession, signOut } from '../session.ts';
import { words } from '../words/words.ts';

/** One's own account: password, signed-in devices and access tokens. */
export function AccountPage() {
  const w = words.value;
  const person = me.value;
  const action = useAction();
  if (person === null)
    return (
      <Notice title={w.notSignedIn}>
        <a class="button" href="/sign-in?then=/me">
          {w.signIn}
        </a>
      </Notice>
    );
  return (
    <section class="settings" aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        <Foreign text={person.name} />
      </h2>
      <p class="quiet">{w.manage.account.roles[person.role]}</p>
      <p class="me-out">
        <button
          type="button"
          class="button"
          disabled={action.busy}
          onClick={() => action.run(() => signOut().then(() => go('/')))}
        >
          {w.signOut}
        </button>
      </p>
      <ActionProblem action={action} />
      <Password />
      <Sessions />
      <AccessTokens />
    </section>
  );
}

function Password() {
  const w = words.value;
  const a = w.manage.account;
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [done, setDone] = useState(false);
  return (
    <section class="setting-group" aria-labelledby="password-title">
      <h3 id="password-title">{a.password}</h3>
      <Form
        button={w.setPassword}
        send={async () => {
          setDone(false);
          await api.session.setPassword(current, next);
          setDone(true);
          setCurrent('');
          setNext('');
        }}
      >
        {(problem) => (
          <>
            <Field
              label={a.currentPassword}
              name="current"
              type="password"
              value={current}
              onInput={setCurrent}
              autocomplete="current-password"
              problem={problem('current')}
            />
            <Field
              label={a.newPassword}
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
      <p class="done" role="status">
        {done && a.passwordChanged}
      </p>
    </section>
  );
}

function Sessions() {
  const w = words.value;
  const a = w.manage.account;
  const { value, failure, again } = useRead('sessions', (signal) => api.session.all(signal));
  const action = useAction(again);
  return (
    <section class="setting-group" aria-labelledby="sessions-title">
      <h3 id="sessions-title">{a.sessions}</h3>
      {failure && <FailureNotice failure={failure} again={again} />}
      {!value && !failure && <Loading />}
      <ul class="rows">
        {value?.sessions.map((session) => (
          <li key={session.id} class="line">
            <div>
              <p>
                <Foreign text={deviceName(session.device) || a.unknownDevice} />
                {session.here && <b> · {a.thisDevice}</b>}
              </p>
              <p class="quiet">
                {a.lastUsed} <When at={session.seenAt} />
              </p>
            </div>
            {!session.here && (
              <button
                type="button"
                class="button button-small"
                disabled={action.busy}
                onClick={() => action.run(() => api.session.endOne(session.id))}
              >
                {w.signOut}
                <span class="visually-hidden">: {deviceName(session.device)}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      <ActionProblem action={action} />
      <p class="line-tools">
        {(value?.sessions.length ?? 0) > 1 && (
          <button
            type="button"
            class="button button-small"
            disabled={action.busy}
            onClick={() => action.run(() => api.session.endOthers())}
          >
            {a.signOutOthers}
          </button>
        )}
        <button
          type="button"
          class="button button-small"
          disabled={action.busy}
          onClick={() =>
            action.run(async () => {
              await api.session.endAll();
              await openSession();
              go('/');
            })
          }
        >
          {a.signOutEverywhere}
        </button>
      </p>
    </section>
  );
}

/** The browser and the system in a user agent. */
function deviceName(device: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\/\d+/.exec(device)?.[0].replace('Edg', 'Edge') ?? '';
  const system = /\((?:X11; )?([^;)]+)/.exec(device)?.[1] ?? '';
  return browser === '' ? device.slice(0, 60) : `${browser.replace('/', ' ')}, ${system}`;
}
