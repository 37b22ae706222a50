import { describe, expect, it } from 'vitest';
import { CATALOGUE } from './catalogue.ts';

const bySymbol = new Map(CATALOGUE.map((product) => [product.symbol, product]));
const count = (assetClass: string) => CATALOGUE.filter((each) => each.assetClass === assetClass).length;

describe('catalogue', () => {
  it('has the promised number of products of each class', () => {
    expect(count('forex')).toBeGreaterThanOrEqual(43);
    expect(count('energy')).toBe(3);
    expect(count('metal')).toBe(4);
    expect(count('index')).toBeGreaterThanOrEqual(14);
    expect(count('stock')).toBeGreaterThanOrEqual(72);
    expect(count('crypto')).toBeGreaterThanOrEqual(10);
    expect(count('crypto')).toBeLessThanOrEqual(12);
  });

  it('names every product once, in the grammar of symbols', () => {
    expect(bySymbol.size).toBe(CATALOGUE.length);
    for (const { symbol } of CATALOGUE) expect(symbol).toMatch(/^[A-Z0-9]+(\/[A-Z0-9]+)?$/);
    const names = (key: 'zh' | 'tw' | 'en') => new Set(CATALOGUE.map((each) => each.names[key])).size;
    expect([names('zh'), names('tw'), names('en')]).toEqual(Array(3).fill(CATALOGUE.length));
  });

  it('has the products that other modules refer to', () => {
    const named = 'EUR/USD GBP/USD USD/JPY EUR/JPY XAU/USD USOIL UKOIL NGAS NAS100 BTC/USDT ETH/USDT';
    for (const symbol of named.split(' ')) expect(bySymbol.has(symbol), symbol).toBe(true);
    for (const [symbol, { assetClass }] of bySymbol) {
      expect(symbol.endsWith('/USDT')).toBe(assetClass === 'crypto');
    }
  });

  it('has names short enough for a list row', () => {
    for (const { symbol, names } of CATALOGUE) {
      expect([...names.zh].length, `${symbol} zh`).toBeLessThanOrEqual(8);
      expect([...names.tw].length, `${symbol} tw`).toBeLessThanOrEqual(8);
      expect(names.en.length, `${symbol} en`).toBeLessThanOrEqual(22);
      expect(names.zh.trim() && names.tw.trim() && names.en.trim(), symbol).not.toBe('');
    }
  });

  it('has Traditional Chinese names where they differ from Simplified ones', () => {
    const differing =
      'EUR/USD GBP/USD EUR/JPY USD/JPY XAU/USD XAG/USD XPD/USD UKOIL NGAS SPX500 NAS100 GER40 HK50 ' +
      'BTC/USDT ETH/USDT DOGE/USDT AAPL MSFT NVDA AMZN NFLX TSM BAC JNJ MCD NKE 7203JP 0700HK AIR';
    for (const symbol of differing.split(' ')) {
      const names = bySymbol.get(symbol)?.names;
      expect(names?.zh, symbol).toBeDefined();
      expect(names?.zh, symbol).not.toBe(names?.tw);
    }
    // Characters that only one of the two scripts uses.
    const onlySimplified = /[欧镑币钯黄银苹软马网辉罗标纳宝强伟达汇团国车电们]/u;
    const onlyTraditional = /[歐鎊幣鈀黃銀蘋軟馬網輝羅標納寶強偉達匯團國車電們]/u;
    for (const { symbol, names } of CATALOGUE) {
      expect(onlyTraditional.test(names.zh), `${symbol} ${names.zh}`).toBe(false);
      expect(onlySimplified.test(names.tw), `${symbol} ${names.tw}`).toBe(false);
    }
  });

  it('keeps the settings of each product within bounds', () => {
    for (const product of CATALOGUE) {
      const { symbol, decimals, delayMs, staleMs, outlierBps, model } = product;
      expect(Number.isInteger(decimals) && decimals >= 0 && decimals <= 8, symbol).toBe(true);
      expect([1000, 2000]).toContain(delayMs);
      expect(staleMs).toBe(product.assetClass === 'crypto' ? 2000 : 5000);
      expect(outlierBps).toBeGreaterThanOrEqual(25);
      expect(outlierBps).toBeLessThanOrEqual(100);
      const reference = model.kind === 'pair' ? model.base.usd / model.quote.usd : model.reference;
      // One point is at most 1/2500 of the price, so a quiet minute still moves it.
      expect(reference * 10 ** decimals, symbol).toBeGreaterThan(2500);
      const roundTheClock = ['forex', 'metal', 'crypto'].includes(product.assetClass);
      expect(product.schedule.windows.length === 0, symbol).toBe(roundTheClock);
    }
  });

  it('keeps the New York holidays of two years', () => {
    const { holidays, zone } = bySymbol.get('AAPL')!.schedule;
    expect(zone).toBe('America/New_York');
    expect(holidays).toHaveLength(20);
    for (const product of CATALOGUE) {
      for (const holiday of product.schedule.holidays) {
        const { dayOfWeek } = Temporal.PlainDate.from(holiday);
        const startsThen = product.schedule.windows.some((window) => window.days.includes(dayOfWeek));
        expect(startsThen, `${product.symbol} ${holiday}`).toBe(true);
      }
    }
  });
});
