import { createHash } from 'node:crypto';
import { isDay } from '@fairtick/protocol/day';
import { parseFeed } from 'feedsmith';
import { articleHtml, beginning, plainText } from '../article-html.ts';
import { FeedError } from './fetch-text.ts';

/** An entry of a feed, sanitised and bounded. */
export interface FeedEntry {
  /** By any of these it is known again. */
  readonly keys: readonly Buffer[];
  readonly title: string;
  readonly summary: string;
  /** HTML. */
  readonly body: string;
  readonly link: string | null;
  /** Null: it is not dated. */
  readonly timeMs: number | null;
}

export interface ReadFeed {
  /** Whose it is, in its own words. */
  readonly source: string;
  /** The oldest first. */
  readonly entries: readonly FeedEntry[];
}

/** The newest of a feed: who offers more than this has them elsewhere. */
const MAX_ENTRIES = 50;
const MAX = { source: 120, title: 200, summary: 160, body: 60_000, raw: 200_000 } as const;

interface RawEntry {
  readonly id: string | undefined;
  readonly link: string | undefined;
  readonly title: string | undefined;
  readonly content: string | undefined;
  readonly date: string | undefined;
}

/** @throws FeedError for what is no RSS, RDF or Atom feed */
export function readFeed(text: string, address: URL): ReadFeed {
  // Feeds need no declarations, and those are where a parser can be made to expand or to fetch.
  if (/<!(doctype|entity)/i.test(text)) throw new FeedError('declares a document type');
  const { title, entries } = rawFeed(text);
  const source = beginning(plainText(title ?? ''), MAX.source) || address.hostname;
  const read = entries.slice(0, MAX_ENTRIES).flatMap((entry) => readEntry(entry, address) ?? []);
  // What is not dated stays where the feed has it.
  return { source, entries: read.reverse().sort((a, b) => (a.timeMs ?? 0) - (b.timeMs ?? 0)) };
}

function rawFeed(text: string): { title: string | undefined; entries: RawEntry[] } {
  const read = parsed(text);
  if (read.format === 'atom') {
    return {
      title: read.feed.title?.value,
      entries: (read.feed.entries ?? []).map((entry) => ({
        id: entry.id,
        link: (entry.links?.find(({ rel }) => rel === undefined || rel === 'alternate') ?? entry.links?.[0])
          ?.href,
        title: entry.title?.value,
        content: entry.content?.value ?? entry.summary?.value,
        date: entry.published ?? entry.updated,
      })),
    };
  }
  if (read.format === 'rss') {
    return {
      title: read.feed.title,
      entries: (read.feed.items ?? []).map((item) => ({
        id: item.guid?.value,
        link: item.link,
        title: item.title,
        content: item.content?.encoded ?? item.description,
        date: item.pubDate ?? item.dc?.dates?.[0],
      })),
    };
  }
  if (read.format === 'rdf') {
    return {
      title: read.feed.title,
      entries: (read.feed.items ?? []).map((item) => ({
        id: undefined,
        link: item.link,
        title: item.title,
        content: item.content?.encoded ?? item.description,
        date: item.dc?.dates?.[0],
      })),
    };
  }
  throw new FeedError('is no RSS or Atom feed');
}

function parsed(text: string) {
  try {
    return parseFeed(text);
  } catch (error) {
    throw new FeedError(`can not be read: ${(error as Error).message.slice(0, 200)}`);
  }
}

/** Null: there is nothing to show in it. */
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
    // Too long to be shown whole, it is shown as what it says, without its form.
    body: html.length <= MAX.body ? html || heading : beginning(text, MAX.body / 2).replaceAll('<', '&lt;'),
    link,
    timeMs: readTime(raw.date ?? ''),
  };
}

/** RFC 822 (`31 Jan 2026 …`) or ISO. Null for what is no time, and for a day that its month does not have. */
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

/** Its id counts within its feed, its link wherever it stands; what has neither is known by what it says. */
function keysOf(raw: RawEntry, link: string | null, address: URL, heading: string): Buffer[] {
  const hash = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest();
  const keys = [
    ...(raw.id ? [hash('id', address.href, raw.id)] : []),
    ...(link === null ? [] : [hash('link', link)]),
  ];
  return keys.length > 0 ? keys : [hash('words', address.href, heading, raw.date ?? '')];
}
