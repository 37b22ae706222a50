import { serveWork } from '../platform/threads/serve-work.ts';
import { articleHtml, articleNodes, beginning, plainText } from './article-html.ts';
import { fetchText } from './imports/fetch-text.ts';
import { readNewsFeed } from './imports/read-news-feed.ts';

/** Reads articles and feeds in a thread: their text comes from others, and a parser may be slow on purpose-made text. */
const work = {
  html: articleHtml,
  nodes: (markdown: string) => articleNodes(articleHtml('markdown', markdown)),
  summary: (markdown: string, max: number) => beginning(plainText(articleHtml('markdown', markdown)), max),
  feed: async (address: string, zone: string, bounds: { timeMs: number; maxBytes: number }) => {
    const url = new URL(address);
    return readNewsFeed(await fetchText(url, bounds), url, zone);
  },
};

export type NewsWork = typeof work;
serveWork(work);
