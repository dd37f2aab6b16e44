import { switchTheme, theme } from '../theme.ts';
import { language, switchLanguage, words } from '../words/words.ts';

/** Language and colours. */
export function LookTools() {
  const w = words.value;
  return (
    <>
      <button
        type="button"
        class="tool"
        lang={language.value === 'ja' ? 'en' : 'ja'}
        onClick={() => void switchLanguage()}
      >
        {w.switchLanguage}
      </button>
      <button
        type="button"
        class="tool"
        aria-label={w.theme[theme.value]}
        title={w.theme[theme.value]}
        onClick={switchTheme}
      >
        <ThemeMark />
      </button>
    </>
  );
}

function ThemeMark() {
  return (
    <svg class="theme-mark" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <circle cx="10" cy="10" r="7.2" fill="none" stroke="currentColor" stroke-width="1.6" />
      {theme.value !== 'light' && <path d="M10 2.8a7.2 7.2 0 0 1 0 14.4z" fill="currentColor" />}
      {theme.value === 'dark' && <path d="M10 2.8a7.2 7.2 0 0 0 0 14.4z" fill="currentColor" />}
    </svg>
  );
}
