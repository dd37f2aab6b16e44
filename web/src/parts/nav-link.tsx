import { place } from '../router.ts';
import { language, words } from '../words/words.ts';
import { Icon, type IconName } from './icon.tsx';
import { Foreign } from './text.tsx';

/** Pages that stand under the name of another one. */
const SHOWN_AS: Readonly<Record<string, string>> = { '/item': '/items' };

/** The page, or the list, that is shown now. */
export function isShown(href: string): boolean {
  const { path, query } = place.value;
  const url = new URL(href, location.origin);
  if ((SHOWN_AS[path] ?? path) !== url.pathname) return false;
  if (url.search === '') return path !== '/search' || !query.has('q');
  const wanted = [...url.searchParams];
  return wanted.length === query.size && wanted.every(([name, value]) => query.get(name) === value);
}

interface NavLinkProps {
  readonly href: string;
  readonly icon: IconName;
  readonly text: string;
  readonly count?: number | undefined;
  /** The count is no work to be done. */
  readonly quiet?: boolean;
  /** The text comes from outside. */
  readonly foreign?: boolean;
}

export function NavLink({ href, icon, text, count = 0, quiet = false, foreign = false }: NavLinkProps) {
  return (
    <li>
      <a class="nav-link" href={href} aria-current={isShown(href) ? 'page' : undefined}>
        <Icon name={icon} />
        <span class="nav-text">{foreign ? <Foreign text={text} most={60} /> : text}</span>
        <Count n={count} quiet={quiet} />
      </a>
    </li>
  );
}

export function Count({ n, quiet = false }: { readonly n: number; readonly quiet?: boolean }) {
  if (n === 0) return null;
  return (
    <span class={quiet ? 'count count-quiet' : 'count'}>
      <span aria-hidden="true">{n > 9999 ? '9999+' : n.toLocaleString(language.value)}</span>
      {!quiet && <span class="visually-hidden">({words.value.reader.unreadCount(n)})</span>}
      {quiet && <span class="visually-hidden">({n})</span>}
    </span>
  );
}
