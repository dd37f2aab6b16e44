/** The part of a DOM that reading a page needs. What the parser returns has more, and none of it is used. */
export interface PageNode {
  readonly nodeType: number;
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
  readonly parentNode: PageNode | null;
  readonly textContent: string | null;
}

export interface PageElement extends PageNode {
  readonly localName: string;
  getAttribute(name: string): string | null;
}

export interface PageDocument extends PageNode {
  readonly documentElement: PageElement | null;
  readonly body: PageElement | null;
}

const ELEMENT = 1;
const TEXT = 3;

export function isElement(node: PageNode): node is PageElement {
  return node.nodeType === ELEMENT;
}

export function isText(node: PageNode): boolean {
  return node.nodeType === TEXT;
}

/** What a visitor says about an element: go into it, or pass by. */
export type Visit = 'inside' | 'past';

/**
 * Goes through a tree in the order of the page, without recursion: a page may be nested deeper than any stack.
 * Returns `false` when it was stopped by `most` elements.
 */
export function walk(
  root: PageNode,
  enter: (node: PageNode) => Visit,
  leave: (element: PageElement) => void = () => {},
  most = Number.POSITIVE_INFINITY,
): boolean {
  let seen = 0;
  let node: PageNode | null = root;
  while (node) {
    if (isElement(node) && ++seen > most) return false;
    const inside: PageNode | null = enter(node) === 'inside' ? node.firstChild : null;
    if (inside) {
      node = inside;
      continue;
    }
    let done: PageNode | null = node;
    node = null;
    while (done) {
      if (isElement(done)) leave(done);
      if (done === root) break;
      if (done.nextSibling) {
        node = done.nextSibling;
        break;
      }
      done = done.parentNode;
    }
  }
  return true;
}
