import { type Schedule, tradingPeriodAt } from '@fairtick/trading';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { CATALOGUE } from './catalogue.ts';
import { CURRENCIES } from './currencies.ts';
import { DRIVERS } from './listing.ts';
import { HOURS, TABLES_END } from './schedules.ts';

const bySymbol = new Map(CATALOGUE.map((product) => [product.symbol, product]));
const usdOf = (code: string) => CURRENCIES.get(code)!.usd;
const scheduleOf = (symbol: string): Schedule => HOURS[bySymbol.get(symbol)!.hours];
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

  it('follows drivers that exist', () => {
    for (const { follows } of DRIVERS.values())
      for (const { id } of follows) expect(DRIVERS.has(id), id).toBe(true);
    for (const { model } of CATALOGUE)
      if (model.kind === 'listed') expect(DRIVERS.has(model.market), model.market).toBe(true);
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
      const { symbol, decimals, quietMs, outlierBps, model } = product;
      expect(Number.isInteger(decimals) && decimals >= 0 && decimals <= 8, symbol).toBe(true);
      expect(quietMs).toBe(product.assetClass === 'crypto' ? 2000 : 5000);
      expect(outlierBps).toBeGreaterThanOrEqual(25);
      expect(outlierBps).toBeLessThanOrEqual(100);
      const reference = model.kind === 'pair' ? usdOf(model.base) / usdOf(model.quote) : model.reference;
      // One point is at most 1/2500 of the price, so a quiet minute still moves it.
      expect(reference * 10 ** decimals, symbol).toBeGreaterThan(2500);
      const roundTheClock = ['forex', 'metal', 'crypto'].includes(product.assetClass);
      expect(product.hours === 'round-the-clock', symbol).toBe(roundTheClock);
    }
  });

  it('names holidays and short days of three years, each on a date on which the product would trade', () => {
    const { holidays, shortDays = [], zone } = scheduleOf('AAPL');
    expect(zone).toBe('America/New_York');
    expect(holidays).toHaveLength(29);
    expect(shortDays.map(({ date }) => date)).toEqual([
      ...['2026-11-27', '2026-12-24', '2027-11-26', '2028-07-03', '2028-11-24'],
    ]);
    for (const { symbol } of CATALOGUE) {
      const schedule = scheduleOf(symbol);
      const short = (schedule.shortDays ?? []).map(({ date }) => date);
      for (const date of [...schedule.holidays, ...short]) {
        const { dayOfWeek } = Temporal.PlainDate.from(date);
        const startsThen = schedule.windows.some((window) => window.days.includes(dayOfWeek));
        expect(startsThen, `${symbol} ${date}`).toBe(true);
      }
      expect(new Set([...schedule.holidays, ...short]).size, symbol).toBe(
        schedule.holidays.length + short.length,
      );
    }
  });

  it.each([
    ['AAPL', '2026-11-27T18:00:00Z'],
    ['AAPL', '2026-12-24T18:00:00Z'],
    ['SPX500', '2026-11-26T18:00:00Z'],
    ['USOIL', '2026-11-27T18:00:00Z'],
    ['0700HK', '2026-02-16T04:00:00Z'],
    ['HK50', '2026-12-31T04:30:00Z'],
    ['UK100', '2026-12-24T12:50:00Z'],
    ['AIR', '2026-12-31T13:05:00Z'],
  ])('closes %s early at %s', (symbol, iso) => {
    const schedule = scheduleOf(symbol);
    const endMs = Date.parse(iso);
    expect(tradingPeriodAt(schedule, endMs - 1)?.endMs).toBe(endMs);
    expect(tradingPeriodAt(schedule, endMs)).toBeNull();
  });

  it('has tables that reach 90 days ahead of now, and that name holidays of their last year', () => {
    expect(Date.parse(TABLES_END) - Date.now()).toBeGreaterThan(90 * 86_400_000);
    for (const { symbol } of CATALOGUE) {
      const schedule = scheduleOf(symbol);
      if (schedule.holidays.length === 0) continue;
      const last = schedule.holidays.toSorted().at(-1);
      expect(last?.slice(0, 4), symbol).toBe(TABLES_END.slice(0, 4));
    }
  });
});
