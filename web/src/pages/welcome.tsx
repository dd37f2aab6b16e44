import { useEffect, useState } from 'preact/hooks';
import { ApiError, api, type WelcomeLink } from '../api.ts';
import { Field, Form } from '../parts/form.tsx';
import { Loading, Notice } from '../parts/notice.tsx';
import { go } from '../router.ts';
import { take } from '../session.ts';
import { words } from '../words/words.ts';

/** Where a one-time link leads: the owner's first visit, an invitation, or a new password. */
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
  useEffect(() => {
    api.welcome.look(link).then(setFound, (error: unknown) => {
      setProblem(error instanceof ApiError && !error.offline ? error.message : w.offlineTitle);
    });
  }, [link]);
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
      <Form
        button={isNew ? w.begin : w.setPassword}
        send={async () => {
          take(await api.welcome.use({ link, password, ...(isNew ? { name } : {}) }));
          go(found.role === 'owner' ? '/pipelines' : '/home');
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
