import { useEffect, useState } from 'preact/hooks';
import { api, type WelcomeLink } from '../api.ts';
import { Field, Form } from '../parts/form.tsx';
import { Loading, Notice } from '../parts/notice.tsx';
import { go } from '../router.ts';
import { problemText } from '../server-text.ts';
import { me, meKnown, take } from '../session.ts';
import { words } from '../words/words.ts';

/** The page of a one-time link: the owner's account, an invitation, or a password reset. */
export function WelcomePage() {
  const w = words.value;
  // The secret leaves the address at once, so that neither the history nor a shared screen keeps it.
  const [link] = useState(() => {
    const secret = location.hash.slice(1);
    history.replaceState(history.state, '', '/welcome');
    return secret;
  });
  const [found, setFound] = useState<WelcomeLink | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  // A signed-in browser sends its cookie, so the request needs the token of that session.
  const ready = meKnown.value;
  useEffect(() => {
    if (!ready) return;
    api.welcome.look(link).then(setFound, (error: unknown) => setProblem(problemText(error)));
  }, [link, ready]);
  if (problem !== null)
    return (
      <Notice title={w.linkTitle} alert>
        <p>{problem}</p>
        <a class="button" href="/sign-in">
          {w.signIn}
        </a>
      </Notice>
    );
  if (found === null) return <Loading />;
  return <Welcome link={link} found={found} />;
}

function Welcome({ link, found }: { readonly link: string; readonly found: WelcomeLink }) {
  const w = words.value;
  const isNew = found.purpose !== 'reset';
  const [name, setName] = useState(found.name ?? '');
  const [password, setPassword] = useState('');
  return (
    <section class="narrow" aria-labelledby="page-title">
      <h2 id="page-title" class="section-title">
        {w.welcome[found.purpose]}
      </h2>
      <p>{w.welcomeMore[found.purpose]}</p>
      {me.value !== null && <p class="quiet">{w.welcomeSignedIn(me.value.name)}</p>}
      <Form
        button={isNew ? w.createAccount : w.setPassword}
        send={async () => {
          take(await api.welcome.use({ link, password, ...(isNew ? { name } : {}) }));
          go('/home');
        }}
      >
        {(problem) => (
          <>
            {isNew && (
              <Field
                label={w.name}
                name="name"
                value={name}
                onInput={setName}
                autocomplete="username"
                hint={w.nameHint}
                problem={problem('name')}
              />
            )}
            <Field
              label={w.password}
              name="password"
              type="password"
              value={password}
              onInput={setPassword}
              autocomplete="new-password"
              hint={w.passwordHint}
              problem={problem('password')}
            />
          </>
        )}
      </Form>
    </section>
  );
}
