import { signal } from '@preact/signals';
import { keep, kept } from '../local-storage.ts';
import type { Overview, OverviewSource } from '../reader/api.ts';
import { folderPath } from '../reader/overview.ts';
import { readerHref } from '../reader/scope.ts';
import { words } from '../words/words.ts';
import { Icon } from './icon.tsx';
import { Count, isShown } from './nav-link.tsx';
import { SourceIcon } from './source-icon.tsx';
import { Foreign } from './text.tsx';

interface FolderNode {
  readonly name: string;
  readonly path: string;
  readonly unread: number;
  readonly folders: FolderNode[];
  readonly sources: OverviewSource[];
}

/** With more sources than this, folders are closed until they are opened. */
const MAX_OPEN_SOURCES = 40;

/** Folders that were opened or closed by hand on this device. */
const toggled = signal<Readonly<Record<string, boolean>>>(stored());

export function SourceTree({ overview }: { readonly overview: Overview }) {
  const root = treeOf(overview);
  return <Branch node={root} openByDefault={overview.sources.length <= MAX_OPEN_SOURCES} />;
}

function Branch({ node, openByDefault }: { readonly node: FolderNode; readonly openByDefault: boolean }) {
  return (
    <ul>
      {node.folders.map((folder) => (
        <Folder key={folder.path} node={folder} openByDefault={openByDefault} />
      ))}
      {node.sources.map((source) => (
        <SourceLink key={source.id} source={source} />
      ))}
    </ul>
  );
}

function Folder({ node, openByDefault }: { readonly node: FolderNode; readonly openByDefault: boolean }) {
  const w = words.value.reader;
  const open = toggled.value[node.path] ?? openByDefault;
  const href = readerHref({ folder: node.path });
  return (
    <li>
      <div class="nav-folder">
        <button
          type="button"
          class="nav-toggle"
          aria-expanded={open}
          aria-label={w.nav.expand(node.name)}
          onClick={() => {
            toggled.value = { ...toggled.value, [node.path]: !open };
            keep('folders', JSON.stringify(toggled.value));
          }}
        >
          <Icon name="chevron" />
        </button>
        <a class="nav-link" href={href} aria-current={isShown(href) ? 'page' : undefined}>
          <span class="nav-text">
            <Foreign text={node.name} most={60} />
          </span>
          <Count n={node.unread} />
        </a>
      </div>
      {open && <Branch node={node} openByDefault={openByDefault} />}
    </li>
  );
}

function SourceLink({ source }: { readonly source: OverviewSource }) {
  const href = readerHref({ source: source.id });
  const bad = source.health === 'failing';
  const quiet = source.health === 'paused' || source.unread === 0;
  return (
    <li class="nav-source">
      <a
        class={quiet ? 'nav-link nav-quiet' : 'nav-link'}
        href={href}
        aria-current={isShown(href) ? 'page' : undefined}
      >
        <SourceIcon id={source.id} name={source.name} />
        <span class="nav-text">
          <Foreign text={source.name} most={60} />
        </span>
        {bad && (
          <span class="nav-bad" title={words.value.reader.health.failing}>
            <span aria-hidden="true">!</span>
            <span class="visually-hidden">({words.value.reader.health.failing})</span>
          </span>
        )}
        <Count n={source.unread} />
      </a>
    </li>
  );
}

function treeOf(overview: Overview): FolderNode {
  const unread = new Map(overview.folders.map((folder) => [folderPath(folder.path), folder.unread]));
  const root: FolderNode = { name: '', path: '', unread: 0, folders: [], sources: [] };
  const nodes = new Map<string, FolderNode>([['', root]]);
  const nodeFor = (path: readonly string[]): FolderNode => {
    const joined = folderPath(path);
    const known = nodes.get(joined);
    if (known) return known;
    const node: FolderNode = {
      name: path.at(-1) ?? '',
      path: joined,
      unread: unread.get(joined) ?? 0,
      folders: [],
      sources: [],
    };
    nodes.set(joined, node);
    nodeFor(path.slice(0, -1)).folders.push(node);
    return node;
  };
  for (const source of overview.sources) nodeFor(source.folders).sources.push(source);
  for (const node of nodes.values()) {
    node.folders.sort((a, b) => a.name.localeCompare(b.name));
    node.sources.sort((a, b) => a.name.localeCompare(b.name));
  }
  return root;
}

function stored(): Readonly<Record<string, boolean>> {
  try {
    const read: unknown = JSON.parse(kept('folders') ?? '{}');
    if (typeof read !== 'object' || read === null) return {};
    return Object.fromEntries(Object.entries(read).filter(([, open]) => typeof open === 'boolean'));
  } catch {
    return {};
  }
}
