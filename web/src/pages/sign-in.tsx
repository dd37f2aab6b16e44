import { useState } from 'preact/hooks';
import { Field, Form } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { go, place } from '../router.ts';
import { ended, me, signIn } from '../session.ts';
import { words } from '../words/words.ts';

export function SignInPage() {
  const w = words.value;
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  if (me.value !== null)
    return (
      <Notice title={w.signedInAs(me.value.name)}>
        <a class="button" href="/home">
          {w.reader.nav.home}
        </a>
      </Notice>
    );
  return (
    <section class="narrow" aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        {w.signIn}
      </h2>
      {ended.value !== null && <p class="quiet">{w.sessionEnded}</p>}
      <Form
        button={w.signIn}
        send={async () => {
          await signIn(name, password);
          go(afterwards(place.value.query.get('then')));
        }}
      >
        {(problem) => (
          <>
            <Field
              label={w.name}
              name="name"
              value={name}
              onInput={setName}
              autocomplete="username"
              problem={problem('name')}
            />
            <Field
              label={w.password}
              name="password"
              type="password"
              value={password}
              onInput={setPassword}
              autocomplete="current-password"
              problem={problem('password')}
            />
          </>
        )}
      </Form>
      <p class="quiet field-hint">{w.forgotPassword}</p>
    </section>
  );
}

/** Only a page of ours: an address from outside must not send people away after they signed in. */
function afterwards(then: string | null): string {
  return then !== null && /^\/(?![/\\])/.test(then) ? then : '/home';
}
