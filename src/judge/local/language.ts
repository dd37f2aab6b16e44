import { isHiragana, isKatakana, isWordUnit } from './folded-text.ts';

export type Language = 'ja' | 'en';

/** How much of a text is looked at: its beginning tells as much as all of it. */
const SAMPLE = 2000;

/**
 * The language a text is written in, as far as the local judge tells them apart. Kana decide: Japanese prose never
 * goes without them, and a few Latin names in it change nothing.
 */
export function languageOf(text: string, declared?: string): Language {
  let kana = 0;
  let letters = 0;
  for (let i = 0; i < Math.min(text.length, SAMPLE); i++) {
    const unit = text.charCodeAt(i);
    if (isHiragana(unit) || isKatakana(unit)) kana++;
    else if (isWordUnit(unit)) letters++;
  }
  if (kana === 0 && letters === 0) return declared?.toLowerCase().startsWith('ja') ? 'ja' : 'en';
  return kana * 5 >= letters ? 'ja' : 'en';
}
