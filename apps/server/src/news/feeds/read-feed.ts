import { createHash } from 'node:crypto';
import { isDay } from '@fairtick/protocol/day';
import { type Element, isTag } from 'domhandler';
import { DomUtils, parseDocument } from 'htmlparser2';
import { articleHtml, beginning, plainText } from '../article-html.ts';
import { FeedError } from './fetch-text.ts';

/** An entry of a feed, sanitised and bounded. */
export interface FeedEntry {
  /** Any one of these identifies the entry. */
  readonly keys: readonly Buffer[];
  readonly title: string;
  readonly summary: string;
  /** HTML. */
  readonly body: string;
  readonly link: string | null;
  /** Null: the entry has no date. */
  readonly timeMs: number | null;
}

export interface ReadFeed {
  /** The feed's title, or its host name. */
  readonly source: string;
  /** Oldest first. */
  readonly entries: readonly FeedEntry[];
}

const { getInnerHTML, textContent } = DomUtils;

/** Only the newest entries of a feed are read. */
const MAX_ENTRIES = 50;
const MAX = { source: 120, title: 200, summary: 160, body: 60_000, raw: 200_000 } as const;

interface RawEntry {
  readonly id: string | undefined;
  readonly link: string | undefined;
  readonly title: string | undefined;
  readonly content: string | undefined;
  readonly date: string | undefined;
}

/** @throws FeedError when the text is no RSS, RDF or Atom feed */
export function readFeed(text: string, address: URL): ReadFeed {
  // Feeds need no declarations, through which an attacker can make a parser expand entities or fetch files.
  if (/<!(doctype|entity)/i.test(text)) throw new FeedError('declares a document type');
  const { title, entries } = rawFeed(text);
  const source = beginning(plainText(title ?? ''), MAX.source) || address.hostname;
  const read = entries.slice(0, MAX_ENTRIES).flatMap((entry) => readEntry(entry, address) ?? []);
  // Undated entries come first and keep their order.
  return { source, entries: read.reverse().sort((a, b) => (a.timeMs ?? 0) - (b.timeMs ?? 0)) };
}

function rawFeed(text: string): { title: string | undefined; entries: RawEntry[] } {
  const root = parseDocument(text, { xmlMode: true }).children.find(isTag);
  if (root?.name === 'feed') return rawAtom(root);
  const channel = root && child(root, 'channel');
  if (channel && root.name === 'rss') return rawRss(channel, channel);
  if (channel && root.name === 'rdf:RDF') return rawRss(channel, root);
  throw new FeedError('is no RSS or Atom feed');
}

function rawAtom(feed: Element): ReturnType<typeof rawFeed> {
  return {
    title: textOf(feed, 'title'),
    entries: children(feed, 'entry').map((entry) => {
      const links = children(entry, 'link');
      const link = links.find(({ attribs }) => (attribs.rel ?? 'alternate') === 'alternate') ?? links[0];
      return {
        id: textOf(entry, 'id'),
        link: link?.attribs.href,
        title: textOf(entry, 'title'),
        content: markupOf(entry, 'content') ?? markupOf(entry, 'summary'),
        date: textOf(entry, 'published') ?? textOf(entry, 'updated'),
      };
    }),
  };
}

/** @param parent the element that holds the items: in RSS the channel, in RDF the channel's parent */
function rawRss(channel: Element, parent: Element): ReturnType<typeof rawFeed> {
  return {
    title: textOf(channel, 'title'),
    entries: children(parent, 'item').map((item) => ({
      id: textOf(item, 'guid'),
      link: textOf(item, 'link'),
      title: textOf(item, 'title'),
      content: markupOf(item, 'content:encoded') ?? markupOf(item, 'description'),
      date: textOf(item, 'pubDate') ?? textOf(item, 'dc:date'),
    })),
  };
}

const children = (parent: Element, name: string): Element[] =>
  parent.children.filter((node): node is Element => isTag(node) && node.name === name);
const child = (parent: Element, name: string): Element | undefined => children(parent, name)[0];

function textOf(parent: Element, name: string): string | undefined {
  const found = child(parent, name);
  return found && (textContent(found).trim() || undefined);
}

/** HTML, whether the feed has it as escaped text or as elements. */
function markupOf(parent: Element, name: string): string | undefined {
  const found = child(parent, name);
  if (!found?.children.some(isTag)) return textOf(parent, name);
  return getInnerHTML(found);
}

/** Null: the entry has no content to show. */
function readEntry(raw: RawEntry, address: URL): FeedEntry | null {
  const title = beginning(plainText((raw.title ?? '').slice(0, MAX.raw)), MAX.title);
  const html = articleHtml('html', (raw.content ?? '').slice(0, MAX.raw));
  const text = plainText(html);
  if (title === '' && text === '') return null;
  const link = readLink(raw.link, address);
  const heading = title || beginning(text, MAX.title);
  return {
    keys: keysOf(raw, link, address, heading),
    title: heading,
    summary: beginning(text, MAX.summary) || heading,
    // A body that is too long is cut to plain text without markup.
    body: html.length <= MAX.body ? html || heading : beginning(text, MAX.body / 2).replaceAll('<', '&lt;'),
    link,
    timeMs: readTime(raw.date ?? ''),
  };
}

/** RFC 822 (`31 Jan 2026 …`) or ISO. Null for an invalid time, also for a day that its month does not have. */
function readTime(text: string): number | null {
  const timeMs = Date.parse(text);
  if (!Number.isFinite(timeMs)) return null;
  const [, iso] = /^\s*(\d{4}-\d\d-\d\d)/.exec(text) ?? [];
  const [, day, month, year] = /(\d{1,2}) ([A-Za-z]{3,9}) (\d{4})/.exec(text) ?? [];
  const isReal =
    iso !== undefined ? isDay(iso) : new Date(`${day} ${month} ${year} UTC`).getUTCDate() === Number(day);
  return isReal ? timeMs : null;
}

function readLink(text: string | undefined, address: URL): string | null {
  const url = text ? URL.parse(text, address) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > 2_000) return null;
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
