import type { ArticleNode } from '@fairtick/protocol';
import { parseInert } from '../shell/trusted-types.ts';

/** Elements whose text is dropped, too, because it is no part of an article. */
const SILENT = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'object', 'svg', 'math']);

export function readNodes(html: string): ArticleNode[] {
  return childrenOf(parseInert(html).body);
}

const childrenOf = (parent: Node): ArticleNode[] => [...parent.childNodes].flatMap(readNode);

function readNode(node: Node): ArticleNode[] {
  if (node instanceof Text) return [node.data];
  if (!(node instanceof Element) || SILENT.has(node.localName)) return [];
  const href = node.localName === 'a' ? node.getAttribute('href') : null;
  return [{ tag: node.localName, ...(href === null ? {} : { href }), nodes: childrenOf(node) }];
}
