import type { JudgeSpend } from '../../../src/judge/judge.ts';
import { api } from '../api.ts';
import { useRead } from '../hooks.ts';
import { language, words } from '../words/words.ts';
import { Foreign } from './text.tsx';

/** What the remote judges have spent today, beside what they may (X9). Nothing where there is none. */
export function JudgeSpends() {
  const w = words.value;
  const { value } = useRead('judges', (signal) => api.judges(signal), 30_000);
  if (!value || value.judges.length === 0) return null;
  return (
    <section class="judges" aria-labelledby="judges-title">
      <h3 id="judges-title">{w.judges}</h3>
      {value.judges.map((judge) => (
        <dl key={judge.judge} class="facts">
          <div>
            <dt>
              <Foreign text={judge.judge} />
            </dt>
            <dd>{spendWords(judge)}</dd>
            {judge.trouble !== null && (
              <dd class="judge-error">
                {w.judgeError} <Foreign text={judge.trouble.detail} />
              </dd>
            )}
          </div>
        </dl>
      ))}
    </section>
  );
}

function spendWords({ today, limits }: JudgeSpend): string {
  const w = words.value;
  const number = new Intl.NumberFormat(language.value);
  const money = new Intl.NumberFormat(language.value, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: 4,
  });
  const beside = (spent: string, limit: string | null): string =>
    limit === null ? spent : `${spent} / ${limit}`;
  const amount = (spent: number, limit: number | undefined): string =>
    beside(number.format(spent), limit === undefined ? null : number.format(limit));
  const dollars = (micro: number): string => money.format(micro / 1e6);
  const { callsPerDay, tokensPerDay, microUsdPerDay } = limits;
  return [
    `${w.callsToday} ${amount(today.calls, callsPerDay)}`,
    `${w.tokensToday} ${amount(today.tokens, tokensPerDay)}`,
    `${w.spentToday} ${beside(dollars(today.microUsd), microUsdPerDay === undefined ? null : dollars(microUsdPerDay))}`,
  ].join(' · ');
}
