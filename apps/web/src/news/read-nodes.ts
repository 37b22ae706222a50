import type { ArticleNode } from '@fairtick/protocol';

/** Not even their words are an article's. */
const SILENT = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'object', 'svg', 'math']);

/** An article's HTML as a tree. A document that a parser makes runs nothing and loads nothing. */
export function readNodes(html: string): ArticleNode[] {
  return childrenOf(new DOMParser().parseFromString(html, 'text/html').body);
}

const childrenOf = (parent: Node): ArticleNode[] => [...parent.childNodes].flatMap(readNode);

function readNode(node: Node): ArticleNode[] {
  if (node instanceof Text) return [node.data];
  if (!(node instanceof Element) || SILENT.has(node.localName)) return [];
  const href = node.localName === 'a' ? node.getAttribute('href') : null;
  return [{ tag: node.localName, ...(href === null ? {} : { href }), nodes: childrenOf(node) }];
}
