import { createElement, Fragment, type ReactNode, useMemo } from 'react';
import css from './article.module.css';

/** What an article consists of. Whatever else a text brings is shown as its words, or not at all. */
const TAGS = new Set([
  ...['p', 'h2', 'h3', 'h4', 'br', 'hr', 'blockquote', 'pre', 'code', 'ul', 'ol', 'li'],
  ...['strong', 'em', 's', 'sub', 'sup', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
]);
const VOID = new Set(['br', 'hr']);
/** Not even their words. */
const SILENT = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'object', 'svg', 'math']);

/**
 * An article's text. The server has sanitised it; here it is drawn element by element from a list, and its markup never
 * becomes the page's. A document made by a parser runs nothing and loads nothing.
 */
export function ArticleText({ html }: { html: string }) {
  const content = useMemo(() => {
    const { body } = new DOMParser().parseFromString(html, 'text/html');
    return drawAll(body);
  }, [html]);
  return <div className={css.article}>{content}</div>;
}

const drawAll = (parent: Node): ReactNode[] =>
  [...parent.childNodes].map((node, place) => <Fragment key={String(place)}>{draw(node)}</Fragment>);

function draw(node: Node): ReactNode {
  if (node instanceof Text) return node.data;
  if (!(node instanceof Element)) return null;
  const tag = node.localName;
  if (SILENT.has(tag)) return null;
  if (tag === 'a') return drawLink(node);
  if (tag === 'table') {
    // A wide table scrolls by itself, and the page does not.
    return (
      <section className={css.wide} tabIndex={0} aria-label={node.querySelector('th')?.textContent ?? ''}>
        <table>{drawAll(node)}</table>
      </section>
    );
  }
  if (!TAGS.has(tag)) return drawAll(node);
  return VOID.has(tag) ? createElement(tag) : createElement(tag, null, ...drawAll(node));
}

function drawLink(element: Element): ReactNode {
  const url = URL.parse(element.getAttribute('href') ?? '', location.origin);
  if (!url || !/^(https?|mailto):$/.test(url.protocol)) return drawAll(element);
  return url.origin === location.origin ? (
    <a href={url.href}>{drawAll(element)}</a>
  ) : (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {drawAll(element)}
    </a>
  );
}
