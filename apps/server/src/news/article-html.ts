import { type ArticleNode, type Language, READING_SPEED } from '@fairtick/protocol';
import { withoutHidden } from '@fairtick/protocol/plain-text';
import { parseDocument } from 'htmlparser2';
import { marked } from 'marked';
import sanitizeHtml from 'sanitize-html';

/** Text, its structure, and links; no content that runs, loads, submits or styles (`packages/ui/src/article.tsx`). */
const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['p', 'h2', 'h3', 'h4', 'br', 'hr', 'blockquote', 'pre', 'code', 'ul', 'ol', 'li'],
    ...['strong', 'em', 's', 'sub', 'sup', 'a', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  allowedAttributes: { a: ['href'] },
  allowedSchemes: ['https', 'http', 'mailto'],
  allowProtocolRelative: false,
  transformTags: { h1: 'h2', h5: 'h4', h6: 'h4', b: 'strong', i: 'em', del: 's', strike: 's' },
  // Deeper than any real article; a feed may send deeper nesting.
  nestingLimit: 24,
};
const TEXT_ALONE: sanitizeHtml.IOptions = { allowedTags: [], allowedAttributes: {} };

export type BodyForm = 'markdown' | 'html';

/** Stored text is untrusted, so it is sanitised on every read. @param base of relative links; absent when there are none */
export function articleHtml(form: BodyForm, body: string, base?: URL): string {
  const html = form === 'markdown' ? marked.parse(body, { async: false, gfm: true, breaks: false }) : body;
  const rules = base
    ? { ...ALLOWED, transformTags: { ...ALLOWED.transformTags, a: linksFrom(base) } }
    : ALLOWED;
  return withoutHidden(sanitizeHtml(html, rules)).trim();
}

const linksFrom =
  (base: URL): sanitizeHtml.Transformer =>
  (tagName, { href, ...attribs }) => {
    const absolute = href === undefined ? undefined : URL.parse(href, base)?.href;
    return { tagName, attribs: absolute === undefined ? attribs : { ...attribs, href: absolute } };
  };

export const articleNodes = (html: string): ArticleNode[] => parseDocument(html).children.flatMap(nodesOf);

function nodesOf(node: ReturnType<typeof parseDocument>['children'][number]): ArticleNode[] {
  if ('data' in node) return node.type === 'text' ? [node.data] : [];
  if (!('name' in node)) return [];
  const { href } = node.attribs;
  return [{ tag: node.name, ...(href === undefined ? {} : { href }), nodes: node.children.flatMap(nodesOf) }];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
};

export function plainText(html: string): string {
  // A space where a block ends keeps two paragraphs apart.
  const text = sanitizeHtml(html.replace(/<(\/(p|h\d|li|td|th|div)|br)\b/gi, ' <$1'), TEXT_ALONE);
  return withoutHidden(text)
    .replace(/&(amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/gu, ' ')
    .trim();
}

/** At most `max` characters, cut at the end of a word where possible. */
export function beginning(text: string, max: number): string {
  // A letter has at most two units.
  const letters = Array.from(text.slice(0, 2 * max + 2));
  if (letters.length <= max) return text;
  const cut = letters.slice(0, max - 1).join('');
  return `${cut.replace(/\s\S{0,30}$/u, '').trimEnd()}…`;
}

export function readingMinutes(language: Language, characters: number): number {
  return Math.max(1, Math.round(characters / READING_SPEED[language]));
}
