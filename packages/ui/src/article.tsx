import type { ArticleNode } from '@fairtick/protocol';
import { createElement, Fragment, type ReactNode } from 'react';
import css from './article.module.css';

/** The allowed elements of an article. Any other element is replaced by its text. */
const TAGS = new Set([
  ...['p', 'h2', 'h3', 'h4', 'br', 'hr', 'blockquote', 'pre', 'code', 'ul', 'ol', 'li'],
  ...['strong', 'em', 's', 'sub', 'sup', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
]);
const VOID = new Set(['br', 'hr']);

/** An article's text. The server sanitises it; this component draws it element by element and never as raw HTML. */
export function ArticleText({ nodes }: { nodes: readonly ArticleNode[] }) {
  return <div className={`ink breaks ${css.article}`}>{drawAll(nodes)}</div>;
}

const drawAll = (nodes: readonly ArticleNode[]): ReactNode[] =>
  nodes.map((node, place) => <Fragment key={String(place)}>{draw(node)}</Fragment>);

function draw(node: ArticleNode): ReactNode {
  if (typeof node === 'string') return node;
  const { tag, nodes } = node;
  if (tag === 'a') return drawLink(node.href, nodes);
  if (!TAGS.has(tag)) return drawAll(nodes);
  if (VOID.has(tag)) return createElement(tag);
  // Text between the parts of a table is dropped.
  const inside = /^(table|thead|tbody|tr)$/.test(tag)
    ? nodes.filter((one) => typeof one !== 'string')
    : nodes;
  const element = createElement(tag, null, ...drawAll(inside));
  // A wide table scrolls by itself, not the page.
  return tag === 'table' ? <div className={`card ${css.wide}`}>{element}</div> : element;
}

function urlOf(href: string | undefined): URL | null {
  try {
    return href ? new URL(href, location.origin) : null;
  } catch {
    return null;
  }
}

function drawLink(href: string | undefined, nodes: readonly ArticleNode[]): ReactNode {
  // A link without an allowed address is drawn as plain text; it must not lead to our own start page.
  const url = urlOf(href);
  if (!url || !/^(https?|mailto):$/.test(url.protocol)) return drawAll(nodes);
  return url.origin === location.origin ? (
    <a href={url.href}>{drawAll(nodes)}</a>
  ) : (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {drawAll(nodes)}
    </a>
  );
}
