import { Node, parseHTML } from 'linkedom';
import type { PageDocument } from './page-node.ts';

/** Stands where the parser's nodes have their event target. */
class Silent {}

// The parser gives every node a list of listeners in a weak map, which takes a third of the time of reading a page,
// most of it in the garbage collector. Nobody listens to a page that is taken apart, so its nodes get none: what
// `super()` calls is looked up when a node is made.
Object.setPrototypeOf(Node.prototype.constructor, Silent);

/** Parses a page. Its nodes take no listeners. */
export function parsePage(html: string): PageDocument {
  // Without a root of its own, the parser would take the first element for one.
  const whole = /<html[\s>]/i.test(html)
    ? html
    : `<!doctype html><html><head></head><body>${html}</body></html>`;
  return parseHTML(whole).document as unknown as PageDocument;
}
