import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../catalogue/catalogue.ts';
import { faultTexts } from './fault-texts.ts';
import { GUARD_SOURCES, guardsOf, LIVE_SOURCES, quorumOf, usableSources } from './live-products.ts';
import { openLines } from './open-lines.ts';
import { programListing } from './program-listing.ts';
import { accessOf, readSourcesFile, type SourcesFile } from './sources-file.ts';
import { VENUES } from './venues.ts';

const KEY = 'k3y.of-the_OPERATOR~0123456789abcdef';
const RIGHTS = { mayPublish: true, maySettle: true };
const folder = mkdtempSync(join(tmpdir(), 'fairtick-sources-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(content: object | string, mode = 0o600): string {
  const path = join(folder, 'sources.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(path, mode);
  return path;
}

describe('the file of sources', () => {
  test('gives a keyed source what it needs, and none where a part is missing', () => {
    const file = readSourcesFile(fileOf({ oanda: { key: KEY, account: '101-1' }, pyth: { account: '1' } }));
    const access = Object.fromEntries(VENUES.map((venue) => [venue.source, accessOf(venue, file)]));
    expect(access.oanda).toEqual({ url: 'https://stream-fxtrade.oanda.com', key: KEY, account: '101-1' });
    expect(access.kraken).toEqual({ url: 'wss://ws.kraken.com/v2', key: '', account: '' });
    expect([access.pyth, access.tiingo]).toEqual([null, null]);
    expect(
      accessOf(VENUES.find(({ source }) => source === 'oanda')!, { oanda: { key: KEY, ...RIGHTS } }),
    ).toBeNull();
  });

  test('with a key is refused when all users may read it, and its group may', () => {
    const content = { tiingo: { key: KEY } };
    expect(() => readSourcesFile(fileOf(content, 0o644))).toThrow(
      /open to all users \(mode 644\): chmod 640 it$/,
    );
    expect(readSourcesFile(fileOf(content, 0o640))).toHaveProperty('tiingo.key', KEY);
    expect(readSourcesFile(fileOf({ kraken: {} }, 0o644))).toHaveProperty('kraken');
  });

  test.each([
    ['a key in the clear', { oanda: { key: KEY, url: 'http://example.com' } }, 'must begin with https://'],
    ['a key in the clear', { tiingo: { key: KEY, url: 'ws://example.com' } }, 'must begin with wss://'],
    ['another protocol', { kraken: { url: 'https://example.com' } }, 'must begin with wss:// or ws://'],
    ['a key in the address', { kraken: { url: `wss://example.com/?token=${KEY}` } }, 'query'],
    ['a key as a user', { kraken: { url: `wss://${KEY}@example.com/` } }, 'user'],
    ['a short key', { pyth: { key: 'k3y.of-' } }, 'must be 8 to 256'],
    ['a key with a line', { pyth: { key: `${KEY}\r\nx: 1` } }, 'must be 8 to 256'],
    ['a long key', { pyth: { key: KEY.repeat(20) } }, 'must be 8 to 256'],
    ['a number for a key', { pyth: { key: 7 } }, 'string'],
    ['a path for an account', { oanda: { key: KEY, account: `../${KEY}` } }, 'must be 1 to 40'],
    ['a word it does not know', { oanda: { token: KEY } }, 'oanda'],
    ['what is no JSON', `{"oanda":{"key":"${KEY}"`, 'is no JSON'],
  ])('refuses %s in one line without the key', (_case, content, why) => {
    let message = '';
    try {
      readSourcesFile(fileOf(content));
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(/^SOURCES_FILE: [^\n]*$/);
    expect(message).toContain(why);
    expect(message).not.toMatch(/k3y\.of/);
  });

  test('takes an address on this machine without encryption', () => {
    const file = readSourcesFile(fileOf({ oanda: { key: KEY, url: 'http://127.0.0.1:8080/' } }));
    expect(file.oanda?.url).toBe('http://127.0.0.1:8080');
  });
});

/** Eight signs of the key in Base64, as they stand after `Bearer ` and two more signs. */
const BASE64 = Buffer.from(KEY.slice(2)).toString('base64').slice(4, 12);

describe('texts of faults', () => {
  const text = faultTexts([KEY, '101-4']);

  test.each([
    [`wss://x/?token=${KEY}&a=1`, 'wss://x/?token=***&a=1'],
    [`Bearer ${KEY.toUpperCase()}.`, 'Bearer ***.'],
    [`${encodeURIComponent(KEY)} ${KEY}${KEY}`, '*** ***'],
    [`cut ${KEY.slice(0, 8)} and ${KEY.slice(-9)}`, 'cut *** and ***'],
    [`in base64 ${Buffer.from(`Bearer ${KEY}`).toString('base64')}`, expect.not.stringContaining(BASE64)],
    [`in hex ${Buffer.from(KEY).toString('hex')}`, 'in hex ***'],
    [`in JSON ${[...KEY].map((sign) => `\\u00${sign.charCodeAt(0).toString(16)}`).join('')}`, 'in JSON ***'],
    ['account 101-4 is closed', 'account *** is closed'],
    ['two\nlines\u001b[31m\u202ered', 'two lines [31m red'],
  ])('%j is %j', (said, shown) => {
    expect(text(said)).toEqual(shown);
  });

  test('hide Base64 that is there', () => {
    expect(Buffer.from(`Bearer ${KEY}`).toString('base64')).toContain(BASE64);
  });

  test('are a line of 200 characters, and nothing is hidden without a secret', () => {
    expect(text('x'.repeat(1 << 20))).toHaveLength(200);
    expect(faultTexts(['', ''])('answers 401')).toBe('answers 401');
  });
});

describe('the sources of a product', () => {
  const key = { key: KEY, account: '1', mayPublish: false, maySettle: false };
  const product = (symbol: string) => {
    const found = CATALOGUE.find((one) => one.symbol === symbol);
    if (!found) throw new Error(`no ${symbol}`);
    return { symbol, listing: programListing(found) };
  };
  const demo = (symbol: string, file: SourcesFile) => usableSources(product(symbol), file, 'demo');
  const live = (symbol: string, file: SourcesFile) => usableSources(product(symbol), file, 'live');

  test('are products of the catalogue, and more than half of them are a quorum', () => {
    const symbols = new Set(CATALOGUE.map(({ symbol }) => symbol));
    const known = new Set(VENUES.map(({ source }) => source));
    for (const [symbol, sources] of Object.entries(LIVE_SOURCES)) {
      expect(symbols.has(symbol), symbol).toBe(true);
      for (const source of sources) expect(known.has(source)).toBe(true);
      // Prices in dollars and in USDT are not mixed.
      expect(sources.includes('pyth')).toBe(!symbol.endsWith('/USDT'));
      expect(
        sources.some((source) => GUARD_SOURCES[symbol]?.includes(source)),
        symbol,
      ).toBe(false);
    }
    for (const [symbol, sources] of Object.entries(GUARD_SOURCES))
      expect(symbols.has(symbol) && sources.every((source) => known.has(source)), symbol).toBe(true);
    expect([1, 2, 3].map((count) => quorumOf(Array(count).fill('')))).toEqual([1, 2, 2]);
  });

  test('are those that settle, and that the operator has a key for', () => {
    expect(demo('EUR/USD', {})).toEqual([]);
    expect(demo('EUR/USD', { oanda: key, tiingo: key })).toEqual([]);
    expect(demo('EUR/USD', { oanda: key, pyth: key, tiingo: key })).toEqual(['pyth']);
    expect(demo('EUR/PLN', { oanda: key, pyth: key, tiingo: key })).toEqual([]);
    expect(demo('XPT/USD', { pyth: { ...key, without: ['XPT/USD'] } })).toEqual([]);
    expect(demo('AAPL', { pyth: key })).toEqual(['pyth']);
    expect(demo('BTC/USDT', {})).toEqual(['binance', 'coinbase', 'kraken', 'okx']);
    expect(demo('SPX500', { pyth: key })).toEqual([]);
    expect(guardsOf(product('EUR/USD'), { tiingo: key })).toEqual(['tiingo']);
    const guards = guardsOf(product('BTC/USDT'), { bybit: { ...key, without: ['BTC/USDT'] } });
    expect([guards.includes('bitstamp'), guards.includes('bybit')]).toEqual([true, false]);
  });

  test('in live mode may settle; two of them or more do, or the only one and a guard', () => {
    const may = { ...key, ...RIGHTS };
    expect(live('EUR/USD', { pyth: may })).toEqual([]);
    expect(live('EUR/USD', { pyth: may, tiingo: key })).toEqual(['pyth']);
    expect(live('EUR/USD', { pyth: key, tiingo: may })).toEqual([]);
    expect(live('AAPL', { pyth: may, tiingo: may })).toEqual([]);
    expect(live('BTC/USDT', {})).toEqual([]);
    expect(live('BTC/USDT', { kraken: RIGHTS })).toEqual([]);
    expect(live('BTC/USDT', { kraken: RIGHTS, okx: RIGHTS })).toEqual(['kraken', 'okx']);
    expect(live('BNB/USDT', { kraken: RIGHTS, okx: RIGHTS })).toEqual([]);
    expect(live('BTC/USDT', { binance: RIGHTS, kraken: RIGHTS, okx: RIGHTS })).toEqual([
      'binance',
      'kraken',
      'okx',
    ]);
  });

  test('that the operator may not use close all products, and the operator is told', () => {
    expect(openLines({}, 'live')).toEqual([
      'open with live prices: 0 products',
      expect.stringMatching(
        /^closed: \d+ products that have sources \(each needs two sources with mayPublish and maySettle/,
      ),
    ]);
    const two = openLines({ kraken: RIGHTS, okx: RIGHTS }, 'live');
    expect(two[0]).toMatch(/^open with live prices: 8 products \(BTC\/USDT, /);
  });
});
