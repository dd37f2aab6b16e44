import { type LearnedRule, learnedRuleText, type WhoReacted } from '../../../src/item/learned.ts';
import { language } from '../words/words.ts';
import { Foreign } from './text.tsx';

/** "+8: you starred 5 about Rust", each rule that moved an article. */
export function LearnedRules(props: { readonly rules: readonly LearnedRule[]; readonly who: WhoReacted }) {
  if (props.rules.length === 0) return null;
  return (
    <ul class="learned-rules quiet">
      {props.rules.map((rule) => (
        <li key={`${rule.feature} ${rule.label}`}>
          <Foreign text={learnedRuleText(rule, language.value, props.who)} most={200} />
        </li>
      ))}
    </ul>
  );
}
