import { createHash } from 'node:crypto';
import { type Document, type Element, isDirective, isTag } from 'domhandler';
import { DomUtils, parseDocument } from 'htmlparser2';
import {
  type DayOrder,
  dayOrderOf,
  readEpoch,
  readMoment,
  unixMs,
  unixMsIn,
  ZONE_LETTERS,
} from '../../platform/imports/moments.ts';
import { articleHtml, beginning, plainText } from '../article-html.ts';
import { NewsFeedError } from './fetch-text.ts';

export interface NewsFeedEntry {
  /** Any one of these identifies the entry. */
  readonly keys: readonly Uint8Array[];
  readonly title: string;
  readonly summary: string;
  readonly body: string;
  readonly link: string | null;
  /** Null: the entry has no date. */
  readonly timeMs: number | null;
}

export interface ReadNewsFeed {
  readonly source: string;
  readonly entries: readonly NewsFeedEntry[];
}

const { getInnerHTML, textContent } = DomUtils;

const MAX_ENTRIES = 50;
const MAX = { source: 120, title: 200, summary: 160, body: 60_000, raw: 200_000 } as const;

interface RawEntry {
  readonly id: string | undefined;
  readonly link: string | undefined;
  /** The address to which links of the entry are relative. */
  readonly base: URL;
  readonly title: string | undefined;
  readonly content: string | undefined;
  readonly date: string | undefined;
}

/** @throws NewsFeedError when the text is no RSS, RDF or Atom feed */
export function readNewsFeed(text: string, address: URL, zone: string): ReadNewsFeed {
  const { title, entries } = rawFeed(text, address);
  const source = beginning(plainText(title ?? ''), MAX.source) || address.hostname;
  const newest = entries.slice(0, MAX_ENTRIES);
  const order = dayOrderOf(newest.map(({ date = '' }) => date));
  const read = newest.flatMap((entry) => readEntry(entry, address, { zone, order }) ?? []);
  // Undated entries come first and keep their order.
  return { source, entries: read.reverse().sort((a, b) => (a.timeMs ?? 0) - (b.timeMs ?? 0)) };
}

function rawFeed(text: string, address: URL): { title: string | undefined; entries: RawEntry[] } {
  const document = parseDocument(text, { xmlMode: true });
  demandNoDeclarations(document);
  const root = document.children.find(isTag);
  if (root) usualNames(root);
  if (root?.name === 'feed') return rawAtom(root, address);
  const channel = root && child(root, 'channel');
  if (channel && root.name === 'rss') return rawRss(channel, channel, address);
  if (channel && root.name === 'rdf:RDF') return rawRss(channel, root, address);
  throw new NewsFeedError('is no RSS or Atom feed');
}

/** The parser fetches nothing and knows no entities but those of XML. A feed that declares some of its own is an attack or can't be read. */
function demandNoDeclarations({ children: nodes }: Document): void {
  for (const node of nodes)
    if (isDirective(node) && node.name !== '?xml' && /\[|^!(entity|element|attlist)/i.test(node.data))
      throw new NewsFeedError('declares entities in its document type');
}

/** The prefixes by which elements are looked up here; those of a feed may be any. Atom's has one in feeds of another kind alone. */
const PREFIXES: Readonly<Record<string, string>> = {
  'http://www.w3.org/1999/xhtml': '',
  'http://purl.org/rss/1.0/': '',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#': 'rdf:',
  'http://purl.org/rss/1.0/modules/content/': 'content:',
  'http://purl.org/dc/elements/1.1/': 'dc:',
  'http://purl.org/dc/terms/': 'dcterms:',
};
const ATOM = /^http:\/\/(www\.w3\.org\/2005\/Atom|purl\.org\/atom\/ns#)$/;

function usualNames(root: Element): void {
  const isAtom = /^(\w+:)?feed$/.test(root.name);
  for (const element of DomUtils.filter(isTag, root) as Element[]) {
    const [prefix = '', name] = element.name.split(':');
    const space = name === undefined ? '' : spaceOf(element, `xmlns:${prefix}`);
    const usual = isAtom && ATOM.test(space) ? '' : PREFIXES[space];
    if (usual !== undefined) element.name = usual + name;
  }
}

function spaceOf(element: Element, declaration: string): string {
  let around: Element['parent'] = element;
  for (; around && isTag(around); around = around.parent)
    if (declaration in around.attribs) return around.attribs[declaration] as string;
  return '';
}

/** The address to which an element's links are relative: `xml:base` of the element and those around it. */
function baseOf(element: Element, address: URL): URL {
  const around = element.parent && isTag(element.parent) ? baseOf(element.parent, address) : address;
  return webUrl(element.attribs['xml:base'], around) ?? around;
}

const webUrl = (text: string | undefined, base?: URL): URL | null => {
  const url = text ? URL.parse(text, base) : null;
  return url && /^https?:$/.test(url.protocol) ? url : null;
};

function rawAtom(feed: Element, address: URL): ReturnType<typeof rawFeed> {
  return {
    title: textOf(feed, 'title'),
    entries: children(feed, 'entry').map((entry) => {
      const links = children(entry, 'link');
      const link = links.find(({ attribs }) => (attribs.rel ?? 'alternate') === 'alternate') ?? links[0];
      return {
        id: textOf(entry, 'id'),
        link: link && webUrl(link.attribs.href, baseOf(link, address))?.href,
        base: baseOf(child(entry, 'content') ?? entry, address),
        title: textOf(entry, 'title'),
        content: markupOf(entry, 'content') ?? markupOf(entry, 'summary'),
        date: firstOf(entry, ['published', 'updated', 'issued', 'modified']),
      };
    }),
  };
}

/** @param parent the element that holds the items: in RSS the channel, in RDF the channel's parent */
function rawRss(channel: Element, parent: Element, address: URL): ReturnType<typeof rawFeed> {
  // A feed may come from another host than the site that it describes, to which its links are relative.
  const site = webUrl(textOf(channel, 'link')) ?? address;
  return {
    title: textOf(channel, 'title'),
    entries: children(parent, 'item').map((item) => ({
      id: textOf(item, 'guid'),
      link: textOf(item, 'link') ?? permalink(item),
      base: baseOf(item, site),
      title: textOf(item, 'title'),
      content: markupOf(item, 'content:encoded') ?? markupOf(item, 'description'),
      date: firstOf(item, ['pubDate', 'dc:date', 'pubdate', 'date', 'dcterms:created']),
    })),
  };
}

const children = (parent: Element, name: string): Element[] =>
  parent.children.filter((node): node is Element => isTag(node) && node.name === name);
const child = (parent: Element, name: string): Element | undefined => children(parent, name)[0];

function permalink(item: Element): string | undefined {
  return child(item, 'guid')?.attribs.isPermaLink === 'false'
    ? undefined
    : webUrl(textOf(item, 'guid'))?.href;
}

const firstOf = (parent: Element, names: readonly string[]): string | undefined =>
  names.map((name) => textOf(parent, name)).find((text) => text !== undefined);

function textOf(parent: Element, name: string): string | undefined {
  const found = child(parent, name);
  return found && (textContent(found).trim() || undefined);
}

function markupOf(parent: Element, name: string): string | undefined {
  const found = child(parent, name);
  if (!found?.children.some(isTag)) return textOf(parent, name);
  return getInnerHTML(found);
}

function readEntry(raw: RawEntry, address: URL, dated: DateRules): NewsFeedEntry | null {
  const title = beginning(plainText((raw.title ?? '').slice(0, MAX.raw)), MAX.title);
  const html = articleHtml('html', unescapedTwice((raw.content ?? '').slice(0, MAX.raw)), raw.base);
  const text = plainText(html);
  if (title === '' && text === '') return null;
  const link = readLink(raw.link, raw.base);
  const heading = title || beginning(text, MAX.title);
  return {
    keys: keysOf(raw, link, address, heading),
    title: heading,
    summary: beginning(text, MAX.summary) || heading,
    // A body that is too long is cut to plain text without markup.
    body: html.length <= MAX.body ? html || heading : beginning(text, MAX.body / 2).replaceAll('<', '&lt;'),
    link,
    timeMs: readTime(raw.date ?? '', dated),
  };
}

/** Some publishers escape their markup twice: text without a tag that is one escaped element after another is meant as markup. */
function unescapedTwice(html: string): string {
  const isEscaped =
    !/<[a-z!/]/i.test(html) && /^\s*&lt;(p|div|ul|h\d|a|table)\b[\s\S]*&lt;\/\1&gt;\s*$/i.test(html);
  return isEscaped ? textContent(parseDocument(html)) : html;
}

interface DateRules {
  readonly zone: string;
  readonly order: DayOrder | null;
}

/** Letters that mean several zones, with their meaning outside Asia: CST is also China's time, IST also Israel's. */
const SHARED_LETTERS: Readonly<Record<string, number>> = { CST: -360, IST: 330, BST: 60 };

/** Null for no time, also for a day that its month does not have. Unknown letters of a zone are the feed's own. */
function readTime(text: string, { zone, order }: DateRules): number | null {
  const epochMs = readEpoch(text);
  const moment = epochMs === null ? readMoment(text, order) : null;
  if (moment === null || moment === 'ambiguous') return epochMs;
  const letters = typeof moment.zone === 'string' ? moment.zone : '';
  const shared = zone.startsWith('Asia/') ? undefined : SHARED_LETTERS[letters];
  const offset = typeof moment.zone === 'number' ? moment.zone : (ZONE_LETTERS[letters] ?? shared);
  return offset === undefined ? unixMsIn(moment, zone) : unixMs(moment, offset);
}

function readLink(text: string | undefined, base: URL): string | null {
  const url = webUrl(text, base);
  if (!url || url.href.length > 2_000) return null;
  url.hash = '';
  return url.href;
}

/** An entry's id identifies it within its feed, its link in all feeds; an entry without both is identified by title and date. */
function keysOf(raw: RawEntry, link: string | null, address: URL, heading: string): Buffer[] {
  const hash = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest();
  const keys = [
    ...(raw.id ? [hash('id', address.href, raw.id)] : []),
    ...(link === null ? [] : [hash('link', link)]),
  ];
  return keys.length > 0 ? keys : [hash('words', address.href, heading, raw.date ?? '')];
}
