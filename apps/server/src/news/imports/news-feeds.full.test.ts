import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { get } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readNewsFeedSettings } from '../../config/news-feeds.ts';
import { fetchText } from './fetch-text.ts';
import { NewsImporter } from './news-importer.ts';
import { readNewsFeed } from './read-news-feed.ts';

let server: Server;
let port: number;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
/** News from feeds, served by the test at the configured address. */
const db = ownDatabase();
const api = ownApi(db);
beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => server.closeAllConnections());
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const sends = (text: string) => (_request: IncomingMessage, response: ServerResponse) => {
  response.setHeader('content-type', 'application/xml');
  response.end(text);
};
const BEGAN_MS = Math.floor(Date.now() / 1_000) * 1_000;
const item = (n: number, more = '') =>
  `<item><guid isPermaLink="false">g${n}</guid><title>Entry ${n}</title><link>https://paper.example/${n}</link>
   <pubDate>${new Date(BEGAN_MS - n * 60_000).toUTCString()}</pubDate><description>&lt;p&gt;Text ${n}&lt;/p&gt;${more}</description></item>`;
const rss = (...items: string[]) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>The Paper</title><link>https://paper.example</link>${items.join('')}</channel></rss>`;
const feedsAt = (path = '/feed') => readNewsFeedSettings(`en:market=http://127.0.0.1:${port}${path}`);
const importer = (path?: string) =>
  new NewsImporter({ address: db.serverAddress, feeds: feedsAt(path), log: pino({ level: 'silent' }) });
const bounds = { timeMs: 60_000, maxBytes: 10_000 };
const titles = async () =>
  (await get(api.origin, 'news/list', { category: 'market', limit: '100' })).body.data.items
    .filter(({ source }: { source: string }) => source === `The Paper · 127.0.0.1:${port}`)
    .map(({ title }: { title: string }) => title);

describe('an import', () => {
  test('stores each entry once, sanitised, sourced and dated, however often it runs', async () => {
    const hidden = '&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;';
    answer = sends(rss(item(1, hidden), item(2)));
    expect(await importer().run()).toBe(2);
    expect(await importer().run()).toBe(0);
    answer = sends(rss(item(3), item(1), item(2)));
    expect(await importer().run()).toBe(1);
    expect(await titles()).toEqual(['Entry 1', 'Entry 2', 'Entry 3']);
    const [first] = (await get(api.origin, 'news/list', { category: 'market' })).body.data.items;
    const { data } = (await get(api.origin, 'news/detail', { id: first.id })).body;
    expect(data).toMatchObject({
      html: '<p>Text 1</p>',
      source: `The Paper · 127.0.0.1:${port}`,
      sourceUrl: 'https://paper.example/1',
      language: 'en',
    });
    expect((await get(api.origin, 'news/detail', { id: first.id, lang: 'zh' })).body.data.isFallback).toBe(
      true,
    );
    expect(data.publishedAt).toBe(BEGAN_MS - 60_000);
  });

  test('recognises an entry of another feed by its link, too', async () => {
    answer = sends(
      rss('<item><guid>other</guid><title>The same</title><link>https://paper.example/1#top</link></item>'),
    );
    expect(await importer('/other').run()).toBe(0);
  });

  test('continues after an interruption, and loses or repeats no entry', async () => {
    answer = sends(rss(item(11), item(12), item(13), item(14)));
    const before = (await titles()).length;
    // The connection breaks after the second entry, as when the process ends.
    await db.owner.query(`create function test_end() returns trigger language plpgsql as $$ begin
      if (select count(*) from news_items where news_feed is not null) = ${before + 3} then perform pg_terminate_backend(pg_backend_pid()); end if;
      return null; end $$`);
    await db.owner.query(
      'create trigger test_end after insert on news_feed_keys execute function test_end()',
    );
    await expect(importer().run()).rejects.toThrow();
    await db.owner.query('drop trigger test_end on news_feed_keys');
    expect((await titles()).length).toBe(before + 2);
    expect(await importer().run()).toBe(2);
    expect((await titles()).filter((title: string) => /Entry 1[1-4]/.test(title)).sort()).toEqual([
      'Entry 11',
      'Entry 12',
      'Entry 13',
      'Entry 14',
    ]);
  });

  test('stores each entry once when several processes import at once', async () => {
    answer = sends(rss(item(21), item(22), item(23)));
    const counts = await Promise.all([importer().run(), importer().run(), importer().run()]);
    expect(counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(3);
    expect((await titles()).filter((title: string) => /Entry 2[1-3]/.test(title)).length).toBe(3);
  });

  test('continues with the other feeds when one is unreachable or broken', async () => {
    answer = (request, response) =>
      request.url === '/broken' ? response.writeHead(500).end() : sends(rss(item(31)))(request, response);
    const feeds = [...feedsAt('/broken'), ...feedsAt('/well')];
    const run = new NewsImporter({ address: db.serverAddress, feeds, log: pino({ level: 'silent' }) });
    expect(await run.run()).toBe(1);
  });
});

test('an import speaks for no house: it is of the market or a guide, and names the host of its feed', async () => {
  const put = (feed: string, category: string, source: string) =>
    db.server.query<{ id: string }>(
      `select news_import($1, array[sha256(convert_to($2 || $3, 'UTF8'))], jsonb_build_object('category', $2::text, 'source', $3::text),
         '{"language":"en","title":"t","summary":"s","body":"b"}', null) as id`,
      [feed, category, source],
    );
  for (const category of ['notice', 'rules', 'other'])
    await expect(put('https://a.example/x', category, 'F')).rejects.toMatchObject({
      constraint: 'NEWS_MOVED',
    });
  await expect(put('The house', 'market', 'F')).rejects.toMatchObject({ constraint: 'NEWS_MOVED' });
  for (const [name, shown] of [
    ['The house', 'The house · a.example'],
    ['', 'a.example'],
    ['x'.repeat(300), `${'x'.repeat(108)} · a.example`],
  ] as const) {
    const { rows } = await put('https://a.example/x', 'market', name);
    const { data } = (await get(api.origin, 'news/detail', { id: rows[0]?.id as string })).body;
    expect(data.source).toBe(shown);
  }
});

describe('a fetched document', () => {
  const at = (path: string) => new URL(`http://127.0.0.1:${port}${path}`);

  test('is bounded in size, also without a declared size', async () => {
    answer = sends('x'.repeat(20_000));
    await expect(fetchText(at('/'), bounds)).rejects.toThrow(/larger than/);
    answer = (_request, response) => {
      const more = () => response.write('x'.repeat(5_000), () => !response.destroyed && setImmediate(more));
      more();
    };
    await expect(fetchText(at('/'), bounds)).rejects.toThrow(/larger than/);
  });

  test('is bounded in time, also when it arrives slowly', async () => {
    answer = (_request, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    };
    await expect(fetchText(at('/'), { ...bounds, timeMs: 150 })).rejects.toThrow(/abort|timeout/i);
  });

  test('may be packed, also without saying so, and is bounded in its size unpacked', async () => {
    const sendsPacked = (bytes: Buffer, encoding?: string) => {
      answer = (_request, response) => {
        if (encoding) response.setHeader('content-encoding', encoding);
        response.end(bytes);
      };
      return fetchText(at('/'), bounds);
    };
    expect(await sendsPacked(gzipSync('text'), 'gzip')).toBe('text');
    expect(await sendsPacked(gzipSync('text'))).toBe('text');
    expect(await sendsPacked(brotliCompressSync('text'), 'br')).toBe('text');
    await expect(sendsPacked(gzipSync('x'.repeat(10_001)), 'gzip')).rejects.toThrow(/larger than/);
    await expect(sendsPacked(brotliCompressSync('x'.repeat(9_000_000)), 'br')).rejects.toThrow(/larger than/);
    await expect(sendsPacked(gzipSync('text').subarray(0, 12), 'gzip')).rejects.toThrow(/packed wrongly/);
  });

  test('is not read from a private address, unless the setting is that address', async () => {
    answer = sends('inside');
    expect(await fetchText(at('/'), bounds)).toBe('inside');
    // A host name that resolves to a private address is not the address itself.
    await expect(fetchText(new URL(`http://localhost:${port}/`), bounds)).rejects.toThrow(/private/);
    const leadsTo = (location: string) => {
      answer = (request, response) =>
        request.url === '/' ? response.writeHead(302, { location }).end() : response.end('inside');
      return fetchText(at('/'), bounds);
    };
    expect(await leadsTo('/further')).toBe('inside');
    const inside = [
      `http://127.0.0.2:${port}/x`,
      `http://127.0.0.1:${port + 1}/x`,
      `http://[::1]:${port}/x`,
      `http://[::ffff:127.0.0.1]:${port}/x`,
      'http://10.1.2.3/x',
      'http://169.254.169.254/latest/meta-data',
      'http://192.168.0.1/x',
      'http://100.64.0.1/x',
      'http://0.0.0.0/x',
      'http://2130706433/x',
      'http://[fd00::1]/x',
    ];
    for (const location of inside) {
      await expect(leadsTo(location), location).rejects.toThrow(/private/);
    }
    await expect(leadsTo('file:///etc/passwd')).rejects.toThrow(/leads to file/);
    await expect(leadsTo('/')).rejects.toThrow(/redirects too often/);
  });

  test.each([
    ['gb2312', 'd0c2cec5', ''],
    ['gb2312', 'd0c2cec5', 'charset=utf-8'],
    ['', 'd0c2cec5', 'charset=iso-8859-1'],
    ['', 'd0c2cec5', ''],
    ['utf-8', 'd0c2cec5', ''],
    ['', 'b773bb44', 'charset=gb2312'],
    ['big5', 'b773bb44', 'charset=utf-8'],
    ['gbk', 'e696b0e997bb', 'charset=gbk'],
  ])('is read by its content when it declares %j, sends %s and is labelled %j', async (prolog, hex, type) => {
    answer = (_request, response) => {
      response.setHeader('content-type', `text/xml; ${type}`);
      const start = Buffer.from(`<?xml version="1.0"${prolog && ` encoding="${prolog}"`}?><title>`);
      response.end(Buffer.concat([start, Buffer.from(hex, 'hex')]));
    };
    const text = await fetchText(at('/'), bounds);
    expect(text.split('>').at(-1)).toBe(hex.startsWith('b7') ? '新聞' : '新闻');
  });

  test('may be UTF-16, and is refused when it is no text', async () => {
    answer = (_request, response) => response.end(Buffer.from('<rss>新</rss>', 'utf16le'));
    expect(await fetchText(at('/'), bounds)).toBe('<rss>新</rss>');
    answer = (_request, response) => response.end(Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0, 0x80]));
    await expect(fetchText(at('/'), bounds)).rejects.toThrow(/not text/);
  });
});

describe('a feed', () => {
  const address = new URL('https://paper.example/feed');
  const read = (text: string, zone = 'UTC') => readNewsFeed(text, address, zone);

  test('may be Atom', () => {
    const text = `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><id>u</id><updated>2026-11-21T10:00:00Z</updated>
      <entry><id>tag:1</id><title type="html">x &amp;lt;b&amp;gt;</title><updated>2026-11-21T10:00:00Z</updated>
      <link rel="alternate" href="/z"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>hello</p></div></content></entry></feed>`;
    const { source, entries } = read(text);
    expect(source).toBe('A');
    expect(entries[0]).toMatchObject({
      title: 'x <b>',
      body: '<p>hello</p>',
      link: 'https://paper.example/z',
      timeMs: 1_795_255_200_000,
    });
  });

  test('may give its elements any prefix, and those of other languages theirs', () => {
    const atom = `<a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns:h="http://www.w3.org/1999/xhtml" xmlns:media="http://search.yahoo.com/mrss/">
      <a:title>A</a:title><a:entry><a:id>1</a:id><media:title>not this</media:title><a:title>one</a:title><a:link href="/z"/>
      <a:updated>2026-11-21T10:00:00Z</a:updated><a:content type="xhtml"><h:div><h:p>hello <h:b>you</h:b></h:p></h:div></a:content></a:entry></a:feed>`;
    expect(read(atom)).toMatchObject({
      source: 'A',
      entries: [
        {
          title: 'one',
          body: expect.stringMatching(/^<p>hello <(b|strong)>you/),
          link: 'https://paper.example/z',
          timeMs: 1_795_255_200_000,
        },
      ],
    });
    const rdf = `<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://purl.org/rss/1.0/" xmlns:d="http://purl.org/dc/elements/1.1/">
      <s:channel><s:title>R</s:title></s:channel><s:item><s:title>one</s:title><s:link>https://paper.example/one</s:link>
      <d:date>2026-11-21T10:00:00Z</d:date><c:encoded xmlns:c="http://purl.org/rss/1.0/modules/content/">whole</c:encoded></s:item></r:RDF>`;
    const expected = {
      title: 'one',
      link: 'https://paper.example/one',
      body: 'whole',
      timeMs: 1_795_255_200_000,
    };
    expect(read(rdf)).toMatchObject({ source: 'R', entries: [expected] });
    // Atom's own link in a feed of another kind is no link of the item, whatever its prefix.
    const linked =
      '<item><title>t</title><x:link href="https://else.example/"/><link>https://paper.example/t</link></item>';
    const mixed = rss(linked).replace('<rss', '<rss xmlns:x="http://www.w3.org/2005/Atom"');
    expect(read(mixed).entries).toMatchObject([{ link: 'https://paper.example/t' }]);
  });

  test('may be RDF with its items outside the channel', () => {
    const text = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>R</title></channel>
      <item><title>one</title><link>https://paper.example/one</link><dc:date>2026-11-21T10:00:00Z</dc:date>
      <content:encoded><![CDATA[<p>whole <b>text</b></p>]]></content:encoded><description>short</description></item></rdf:RDF>`;
    const { source, entries } = read(text);
    expect(source).toBe('R');
    expect(entries[0]).toMatchObject({
      title: 'one',
      link: 'https://paper.example/one',
      timeMs: 1_795_255_200_000,
    });
    expect(entries[0]?.body).toContain('whole');
    expect(entries[0]?.body).not.toContain('short');
  });

  test.each([
    ['Sat, 28 Feb 2026 10:00:00 GMT', Date.UTC(2026, 1, 28, 10)],
    ['Tue, 31 Feb 2026 10:00:00 GMT', null],
    ['2026-02-28T10:00:00Z', Date.UTC(2026, 1, 28, 10)],
    ['2026-02-31T10:00:00Z', null],
    ['soon', null],
  ])('has an entry dated %s on that day, or without a date if the date is invalid', (date, timeMs) => {
    const { entries } = read(rss(`<item><title>t</title><pubDate>${date}</pubDate></item>`));
    expect(entries[0]?.timeMs).toBe(timeMs);
  });

  test.each([
    ['Thu, 26 Nov 2026 10:00:00 CST', 'Asia/Shanghai', '02:00'],
    ['Thu, 26 Nov 2026 10:00:00 CST', 'UTC', '16:00'],
    ['Thu Nov 26 10:00:00 CST 2026', 'Asia/Taipei', '02:00'],
    ['Thu, 26 Nov 2026 10:00:00 HKT', 'UTC', '02:00'],
    ['Thu, 26 Nov 2026 10:00:00 JST', 'Asia/Shanghai', '01:00'],
    ['26 Nov 26 10:00 EST', 'Asia/Shanghai', '15:00'],
    ['2026-11-26 10:00:00', 'Asia/Shanghai', '02:00'],
    ['2026-11-26 10:00:00', 'America/New_York', '15:00'],
    ['2026-11-26T10:00:00', 'UTC', '10:00'],
    ['2026年11月26日 10:00', 'Asia/Hong_Kong', '02:00'],
    ['2026/11/26 10:00 +0300', 'Asia/Shanghai', '07:00'],
    ['1795687200', 'Asia/Shanghai', '10:00'],
  ])('has an entry dated %s in %s at %s UTC', (date, zone, time) => {
    const { entries } = read(rss(`<item><title>t</title><pubDate>${date}</pubDate></item>`), zone);
    expect(new Date(entries[0]?.timeMs ?? 0).toISOString().slice(0, 16)).toBe(`2026-11-26T${time}`);
  });

  test('may name a document type, or mention one, and is refused when it declares entities', () => {
    const item =
      '<item><title>t</title><description><![CDATA[<p>a</p> <!DOCTYPE html>]]></description></item>';
    const named = `<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://example.com/rss-0.91.dtd">${rss(item)}`;
    expect(read(named.replace('2.0', '0.91')).entries).toMatchObject([{ title: 't', summary: 'a' }]);
    const bomb =
      '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel><title>&b;</title></channel></rss>';
    expect(() => read(bomb)).toThrow(/declares entities/);
    const file = `<!DOCTYPE rss [ <!ENTITY f SYSTEM "file:///etc/passwd"> ]>${rss('<item><title>&f;</title></item>')}`;
    expect(() => read(file)).toThrow(/declares entities/);
    expect(() => read(`<!ENTITY a "b">${rss(item)}`)).toThrow(/declares entities/);
  });

  test('is refused when it is neither RSS nor Atom', () => {
    expect(() => read('<html></html>')).toThrow(/no RSS or Atom feed/);
    expect(() => read('not a feed')).toThrow(/no RSS or Atom feed/);
  });

  test('has links relative to what it names', () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://other.example/blog/"><title>A</title>
      <entry xml:base="2026/"><title>t</title><link rel="enclosure" href="a.mp3"/><link href="one"/>
      <content type="html" xml:base="/pages/">&lt;a href="two"&gt;x&lt;/a&gt;</content></entry></feed>`;
    expect(read(atom).entries).toMatchObject([
      {
        link: 'https://other.example/blog/2026/one',
        body: '<a href="https://other.example/pages/two">x</a>',
      },
    ]);
    const items = `<item><title>a</title><link>/1.html</link><description>&lt;a href="2.html"&gt;x&lt;/a&gt;</description></item>
      <item><title>b</title><guid>https://third.example/3</guid></item>
      <item><title>c</title><guid isPermaLink="false">https://third.example/4</guid></item>`;
    const site = rss(items).replace('<link>https://paper.example<', '<link>https://site.example/news/<');
    expect(
      read(site)
        .entries.map(({ link, body }) => [link, body])
        .reverse(),
    ).toEqual([
      ['https://site.example/1.html', '<a href="https://site.example/news/2.html">x</a>'],
      ['https://third.example/3', 'b'],
      [null, 'c'],
    ]);
  });

  test('may have entities of HTML, and markup that is escaped twice', () => {
    const entry = `<item><title>AT&amp;amp;T &#8212; 5 &lt; 6 &amp;nbsp;&hellip;</title>
      <description>&amp;lt;p&amp;gt;one &amp;amp;amp; two&amp;lt;/p&amp;gt;</description></item>`;
    expect(read(rss(entry)).entries).toMatchObject([
      { title: 'AT&T — 5 < 6 …', body: '<p>one &amp; two</p>' },
    ]);
    const about = '<item><title>t</title><description>Use &amp;lt;p&amp;gt; often</description></item>';
    expect(read(rss(about)).entries).toMatchObject([{ summary: 'Use <p> often' }]);
  });

  test('keeps only http and https links', () => {
    const { entries } = read(rss('<item><title>t</title><link>javascript:alert(1)</link></item>'));
    expect(entries[0]?.link).toBeNull();
  });

  test('needs a setting with language, category and address', () => {
    expect(readNewsFeedSettings('')).toEqual([]);
    expect(readNewsFeedSettings('en:market=https://a.example/x zh:guide=http://b.example/')).toMatchObject([
      { language: 'en', category: 'market', zone: 'UTC' },
      { language: 'zh', category: 'guide', zone: 'Asia/Shanghai' },
    ]);
    expect(readNewsFeedSettings('en:market@Asia/Hong_Kong=https://a.example/x?y=z')).toMatchObject([
      { zone: 'Asia/Hong_Kong', url: new URL('https://a.example/x?y=z') },
    ]);
    for (const wrong of [
      'https://a.example',
      'fr:market=https://a.example',
      'en:sport=https://a.example',
      'en:market@Mars/Base=https://a.example',
      'en:market=ftp://a.example',
      'en:market=https://u:p@a.example',
    ])
      expect(() => readNewsFeedSettings(wrong)).toThrow(/not "/);
  });
});
