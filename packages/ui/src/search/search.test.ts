import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../../apps/server/src/market/catalogue/catalogue.ts';
import { searchProducts } from './find-products.ts';
import { searchIn } from './search.ts';

/** What people type, and the product that they mean: the first one that is found. */
const WORDS = [
  // A reader of Simplified Chinese.
  ['纳指', 'NAS100'],
  ['纳斯达克指数', 'NAS100'],
  ['道琼斯', 'US30'],
  ['标普500', 'SPX500'],
  ['恒指', 'HK50'],
  ['日经指数', 'JPN225'],
  ['黄金', 'XAU/USD'],
  ['现货白银', 'XAG/USD'],
  ['美油', 'USOIL'],
  ['比特币', 'BTC/USDT'],
  ['大饼', 'BTC/USDT'],
  ['以太坊', 'ETH/USDT'],
  ['英伟达', 'NVDA'],
  ['苹果股票', 'AAPL'],
  ['脸书', 'META'],
  ['腾讯', '0700HK'],
  ['00700', '0700HK'],
  ['欧元美元', 'EUR/USD'],
  ['人民币', 'USD/CNH'],
  // By pinyin and initials.
  ['huangjin', 'XAU/USD'],
  ['hj', 'XAU/USD'],
  ['bi te bi', 'BTC/USDT'],
  ['btb', 'BTC/USDT'],
  ['pingguo', 'AAPL'],
  ['tsl', 'TSLA'],
  ['nasidake', 'NAS100'],
  // A reader of Traditional Chinese.
  ['輝達', 'NVDA'],
  ['英偉達', 'NVDA'],
  ['蘋果', 'AAPL'],
  ['那斯達克', 'NAS100'],
  ['比特幣', 'BTC/USDT'],
  ['黃金', 'XAU/USD'],
  ['台積電', 'TSM'],
  ['臺積電', 'TSM'],
  ['歐元', 'EUR/USD'],
  ['日圓', 'USD/JPY'],
  ['網飛', 'NFLX'],
  // A reader of English.
  ['Bitcoin', 'BTC/USDT'],
  ['btc-usdt', 'BTC/USDT'],
  ['BTC USDT', 'BTC/USDT'],
  ['ＢＴＣ', 'BTC/USDT'],
  ['eurusd', 'EUR/USD'],
  ['EUR_USD', 'EUR/USD'],
  ['usd eur', 'EUR/USD'],
  ['gold', 'XAU/USD'],
  ['crude oil', 'USOIL'],
  ['brent', 'UKOIL'],
  ['nasdaq', 'NAS100'],
  ['s&p 500', 'SPX500'],
  ['dow', 'US30'],
  ['DAX', 'GER40'],
  ['facebook', 'META'],
  ['mcdonalds', 'MCD'],
  ["McDonald's", 'MCD'],
  ['coca cola', 'KO'],
  ['sterling', 'GBP/USD'],
  // Readers of other languages.
  ['ビットコイン', 'BTC/USDT'],
  ['ﾋﾞｯﾄｺｲﾝ', 'BTC/USDT'],
  ['日経平均', 'JPN225'],
  ['トヨタ', '7203JP'],
  ['비트코인', 'BTC/USDT'],
  ['oro', 'XAU/USD'],
  ['petróleo', 'USOIL'],
  ['petroleo', 'USOIL'],
  ['vàng', 'XAU/USD'],
] as const;

/** A name in the reader's language only, as the list of products has it. */
const products = CATALOGUE.map(({ symbol, names }) => ({ symbol, name: names.en }));
const find = searchProducts(products);
const found = (query: string) => find(query).map(({ symbol }) => symbol);

describe('a product is found', () => {
  test.each(WORDS)('by %s: %s', (typed, symbol) => {
    expect(found(typed)[0]).toBe(symbol);
    expect(found(` ${typed.toUpperCase()} `)[0]).toBe(symbol);
  });

  test('with its class, in any order, and by each product of a class', () => {
    expect(found('指数').length).toBe(CATALOGUE.filter(({ assetClass }) => assetClass === 'index').length);
    expect(found('港股 小米')).toEqual(['1810HK']);
    expect(found('美股 苹果')).toEqual(['AAPL']);
    expect(found('stock apple')).toEqual(['AAPL']);
  });

  test('by a whole word where a separator ends it', () => {
    const pairs = CATALOGUE.flatMap(({ symbol }) => (symbol.startsWith('EUR/') ? [symbol] : []));
    expect(found('eur/')).toEqual(pairs);
    expect(found('eur').length).toBeGreaterThan(pairs.length);
    expect(found('eurusd')).toEqual(['EUR/USD']);
  });

  test('not by the middle of a word, nor by signs; while nothing is typed, all are there', () => {
    expect(found('oin')).toEqual([]);
    expect(found('/')).toEqual([]);
    expect(found('没有这个')).toEqual([]);
    expect(found('  ')).toHaveLength(CATALOGUE.length);
  });
});

test('a product that was added at run time is found by its names, what people call it, and initials', () => {
  const added = {
    symbol: 'LINK/USDT',
    name: 'Chain Link',
    words: ['链环', '鏈環', 'Chain Link', 'lian huan'],
  };
  const findAdded = searchProducts([...products, added]);
  for (const typed of ['link', '链环', '鏈環', 'chainlink', 'lianhuan', 'lh'])
    expect(findAdded(typed).map(({ symbol }) => symbol)).toContain('LINK/USDT');
  expect(findAdded('bitcoin')[0]?.symbol).toBe('BTC/USDT');
});

test('a whole name comes before one that begins so, and that before a word in one', () => {
  const names = ['New Delhi', 'Delhi Cantonment', 'Delhi', 'Lusaka'];
  expect(searchIn(names, (name) => [[name]])('delhi')).toEqual(['Delhi', 'Delhi Cantonment', 'New Delhi']);
  expect(searchIn(names, (name) => [[name]])('usa')).toEqual([]);
});
