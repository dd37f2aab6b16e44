import { useState } from 'preact/hooks';
import { api, type ShownToken } from '../api.ts';
import { useRead } from '../hooks.ts';
import { me } from '../session.ts';
import { now } from '../time.ts';
import { words } from '../words/words.ts';
import { ActionProblem, useAction } from './action.tsx';
import { CopyText } from './copy-text.tsx';
import { Field, Form } from './form.tsx';
import { FailureNotice } from './notice.tsx';
import { When } from './relative-time.tsx';
import { Foreign } from './text.tsx';

type Scope = 'read' | 'write' | 'control';

/** Own access tokens for programs: create one, see them, revoke one. */
export function AccessTokens() {
  const w = words.value.manage.account;
  const { value, failure, again } = useRead('tokens', (signal) => api.tokens.all(signal));
  const active = value?.tokens.filter(({ revokedAt }) => revokedAt === null) ?? [];
  return (
    <section class="setting-group" aria-labelledby="tokens-title">
      <h3 id="tokens-title">{w.tokens}</h3>
      <p class="quiet">{w.tokensMore}</p>
      {failure && <FailureNotice failure={failure} again={again} />}
      {value !== null && active.length === 0 && <p class="quiet">{w.noTokens}</p>}
      <ul class="rows">
        {active.map((token) => (
          <TokenRow key={token.id} token={token} changed={again} />
        ))}
      </ul>
      <CreateToken created={again} />
    </section>
  );
}

function TokenRow({ token, changed }: { readonly token: ShownToken; readonly changed: () => void }) {
  const w = words.value.manage.account;
  const action = useAction(changed);
  const isExpired = token.expiresAt <= now.value;
  return (
    <li class="line">
      <div class="line-body">
        <p>
          <Foreign text={token.label} most={100} />
        </p>
        <p class="quiet">
          {token.scopes.map((scope) => w.scopeNames[scope] ?? scope).join(', ')} ·{' '}
          {isExpired ? w.expired : w.expires} <When at={token.expiresAt} />
        </p>
        <ActionProblem action={action} />
      </div>
      <button
        type="button"
        class="button button-small"
        disabled={action.busy}
        onClick={() => action.run(() => api.tokens.revoke(token.id))}
      >
        {w.revoke}
        <span class="visually-hidden">: {token.label}</span>
      </button>
    </li>
  );
}

function CreateToken({ created }: { readonly created: () => void }) {
  const w = words.value.manage.account;
  const [label, setLabel] = useState('');
  const [days, setDays] = useState('90');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read']);
  const [secret, setSecret] = useState<string | null>(null);
  const offered: readonly Scope[] =
    me.value?.role === 'owner' ? ['read', 'write', 'control'] : ['read', 'write'];
  return (
    <>
      <div role="status">
        {secret !== null && (
          <div class="one-time">
            <p>{w.tokenOnce}</p>
            <CopyText text={secret} />
          </div>
        )}
      </div>
      <details class="setting-more">
        <summary>{w.createToken}</summary>
        <Form
          button={w.createToken}
          send={async () => {
            setSecret(null);
            const { token } = await api.tokens.create({ label, scopes, days: Number(days) });
            setSecret(token);
            setLabel('');
            created();
          }}
        >
          {(problem) => (
            <>
              <Field
                label={w.tokenLabel}
                name="label"
                value={label}
                onInput={setLabel}
                problem={problem('label')}
              />
              <fieldset class="choices">
                <legend>{w.scopes}</legend>
                {offered.map((scope) => (
                  <label key={scope}>
                    <input
                      type="checkbox"
                      checked={scopes.includes(scope)}
                      onChange={(event) =>
                        setScopes(
                          event.currentTarget.checked
                            ? [...scopes, scope]
                            : scopes.filter((other) => other !== scope),
                        )
                      }
                    />{' '}
                    {w.scopeNames[scope]}
                  </label>
                ))}
                {problem('scopes') !== null && <p class="form-problem">{problem('scopes')}</p>}
              </fieldset>
              <Field
                label={w.tokenDays}
                name="days"
                type="number"
                min={1}
                max={366}
                value={days}
                onInput={setDays}
                problem={problem('days')}
              />
            </>
          )}
        </Form>
      </details>
    </>
  );
}
