/** Radicals that have no compatibility mapping, and what is written instead; those of Japanese and common Chinese texts. */
const RADICALS: Readonly<Record<string, string>> = {
  '⺠': '民',
  '⺟': '母',
  '⻁': '虎',
  '⻄': '西',
  '⻑': '長',
  '⻒': '長',
  '⻓': '长',
  '⻘': '青',
  '⻝': '食',
  '⻢': '马',
  '⻣': '骨',
  '⻤': '鬼',
  '⻥': '鱼',
  '⻦': '鸟',
  '⻨': '麦',
  '⻩': '黄',
  '⻫': '斉',
  '⻭': '歯',
  '⻯': '竜',
  '⻲': '亀',
  '⻳': '龟',
};

/** Units with an exponent, which stays one. */
const UNITS: Readonly<Record<string, string>> = {
  '㎟': 'mm²',
  '㎠': 'cm²',
  '㎡': 'm²',
  '㎢': 'km²',
  '㎣': 'mm³',
  '㎤': 'cm³',
  '㎥': 'm³',
  '㎦': 'km³',
};

/**
 * Forms of a font or of a layout: Kangxi radicals, words and units in one square, half-width katakana, full-width letters and
 * digits, ligatures, presentation forms of Arabic and Hebrew, vertical punctuation, letters of formulas.
 *
 * Not here, because they mean more than the plain character: superscripts and subscripts (x² is not x2), fractions, circled
 * numbers, Roman numerals, ℃, ™, full-width punctuation.
 */
const FORMS =
  /[\u2e80-\u2fdf\u32ff\u3300-\u339e\u33a7-\u33ff\uf900-\ufaff\ufb00-\ufdff\ufe10-\ufe19\ufe30-\ufe4f\ufe70-\ufefc\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff61-\uff9f\u{1d400}-\u{1d7ff}\u{2f800}-\u{2fa1f}]+/gu;

/** Folds the forms in which PDFs store characters to the characters that people write and search for. */
export function foldText(text: string): string {
  return (
    text
      .normalize('NFC')
      // As one run: half-width katakana have their marks as characters of their own.
      .replace(FORMS, (forms) => forms.normalize('NFKC'))
      .replace(TABLED, (form) => RADICALS[form] ?? UNITS[form] ?? form)
  );
}

const TABLED = new RegExp(`[${Object.keys({ ...RADICALS, ...UNITS }).join('')}]`, 'g');
