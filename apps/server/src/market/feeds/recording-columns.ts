import {
  type DayOrder,
  isZone,
  type Moment,
  readEpoch,
  readMoment,
  readZone,
  unixMs,
  unixMsIn,
  ZONE_LETTERS,
} from '../../platform/imports/moments.ts';
import { plainNumber } from '../../platform/imports/numbers.ts';
import { columnName } from '../../platform/imports/tables.ts';

export type Price = 'open' | 'high' | 'low' | 'close' | 'bid' | 'ask' | 'price';

/** Places of the cells that a recording's rows are read from. */
export interface Columns {
  /** The time, or a day and the time of day beside it. */
  readonly time: readonly [number] | readonly [number, number];
  /** The zone that the time's heading names. */
  readonly zone: HeadingZone | null;
  /** Null: the header names none, so that the values decide. */
  readonly prices: ReadonlyMap<Price, number> | null;
  readonly volumes: readonly number[];
  /** Columns that tell markets, or recordings of one market, apart. */
  readonly markets: readonly number[];
}

/** An offset from UTC in minutes, or a name in the time zone database; and how its heading writes it. */
interface HeadingZone {
  readonly zone: number | string;
  readonly written: string;
}

const NAMES: Readonly<Record<Price, RegExp>> = {
  open: /^((bid)?open(price|bid)?|o|开盘价?|開盤價?)$/,
  high: /^((bid)?high(price|bid)?|h|最高价?|最高價)$/,
  low: /^((bid)?low(price|bid)?|l|最低价?|最低價)$/,
  close: /^((bid)?close(price|bid)?|c|收盘价?|收盤價?)$/,
  bid: /^(best)?bid(price)?$|^(买价|买入价|買價|買入價)$/,
  ask: /^(best)?(ask|offer)(price)?$|^(卖价|卖出价|賣價|賣出價)$/,
  price: /^(price|last|lastprice|value|价格|價格|最新价|最新價)$/,
};
const VOLUME = /^((tick)?vol(ume)?.*|basevolume|qty|quantity|成交量)$/;
const TIME = /time|date|unix|日期|时间|時間/;
const MARKET =
  /^(symbol|ticker|(currency|ccy|trading)?pair|instrument(name|id)?|market|product(id)?|exchange|venue|per|period|interval|timeframe|代码|代碼|品种|品種|合约|合約)$/;
/** Without a header the time is among the first columns. */
const SYMBOL_AND_TIME = 4;

export const letters = (name: string): string => name.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');

/** `OANDA:EUR_USD` and `eurusd.pro` are EUR/USD; BTCUSD is not BTC/USDT. */
export const isNamed = (name: string, symbol: string | null): boolean =>
  symbol !== null && [name, ...name.split(/[:.=]/)].some((part) => letters(part) === letters(symbol));

/** @param header the cells of the line before the first row; null for none */
export function columnsOf(
  row: readonly string[],
  header: readonly string[] | null,
  symbol: string | null,
): Columns | null {
  const names = header?.map(columnName) ?? [];
  const trades = header === null ? tradesOf(row) : null;
  const time = trades?.time ?? timePlaces(row, names);
  if (time === null) return null;
  const prices = new Map<Price, number>(trades?.prices);
  for (const [price, pattern] of Object.entries(NAMES)) {
    const place = names.findIndex((name, at) => pattern.test(name) && !time.includes(at as never));
    if (place >= 0) prices.set(price as Price, place);
  }
  // A table with a column for each market.
  const own = header?.findIndex((cell) => isNamed(cell, symbol)) ?? -1;
  if (own >= 0) prices.set('price', own);
  // Some sites call the close the price.
  if (prices.has('open') && !prices.has('close') && prices.has('price'))
    prices.set('close', prices.get('price') as number);
  const isKnown = ['close', 'bid', 'price'].some((price) => prices.has(price as Price));
  const volumes = placesOf(names, (name) => VOLUME.test(name));
  const markets = header
    ? placesOf(names, (name) => MARKET.test(name))
    : placesOf(row.slice(0, Math.min(...time)), (cell) => /\p{L}/u.test(cell));
  const zone = time.map((place) => zoneOfHeading(header?.[place] ?? '')).find((found) => found !== null);
  return { time, zone: zone ?? null, prices: isKnown ? prices : null, volumes, markets };
}

const placesOf = (cells: readonly string[], is: (cell: string) => boolean): number[] =>
  cells.flatMap((cell, place) => (is(cell) ? [place] : []));

/** Binance's trades have no header: an id, price, quantity, further ids, the time, and flags at the end. */
function tradesOf(row: readonly string[]): Pick<Columns, 'time' | 'prices'> | null {
  const isTrade = /^\d+$/.test(row[0] ?? '') && /^(true|false)$/i.test(row.at(-1) ?? '');
  const place = row.findLastIndex((cell) => /^\d{13}(\d{3})?$/.test(cell));
  return isTrade && place > 2 ? { time: [place], prices: new Map([['price', 1]]) } : null;
}

function timePlaces(row: readonly string[], names: readonly string[]): Columns['time'] | null {
  const places = [...placesOf(names, (name) => TIME.test(name)), ...row.slice(0, SYMBOL_AND_TIME).keys()];
  const place = places.find((each) => isTime(row[each] ?? ''));
  if (place === undefined) return null;
  const isDayAlone = /^\d{8}$|^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$/.test(row[place] ?? '');
  const beside = isDayAlone ? [place + 1, place - 1, ...places] : [];
  const clock = beside.find((each) => CLOCK.test(row[each] ?? ''));
  return clock === undefined ? [place] : [place, clock];
}

/** With colons, or four, six or nine digits. */
const CLOCK = /^\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?$|^([01]\d|2[0-3])[0-5]\d([0-5]\d(\d{3})?)?$/;

const isTime = (text: string): boolean =>
  readTime(text, { zone: null, order: 'dayFirst', isOneCell: true }) !== null;

/** Zones whose letters in a heading mean the summer's time, too: the whole column is in them. */
const WITH_SUMMER: Readonly<Record<string, string>> = {
  ...{ WET: 'WET', CET: 'CET', MET: 'MET', EET: 'EET' },
  ...{ ET: 'America/New_York', CT: 'America/Chicago', MT: 'America/Denver', PT: 'America/Los_Angeles' },
};

/**
 * `Time (EET)`, `Gmt time`, `time_utc`, `Date (UTC+8)`, `New York (America/New_York)`; null for a heading without a zone.
 * @throws Error for letters that several zones share
 */
function zoneOfHeading(heading: string): HeadingZone | null {
  const [, named] = /([A-Z][A-Za-z]{1,30}\/[A-Za-z_/]{1,50})/.exec(heading) ?? [];
  if (named && isZone(named)) return { zone: named, written: named };
  const [, inner, plain = ''] = /[([]([^()[\]]*)[)\]]|(?:^|[\s_])(utc|gmt)(?:[\s_]|$)/i.exec(heading) ?? [];
  const written = (inner ?? plain.toUpperCase()).trim();
  const zone = readZone(written);
  if (zone === null || zone === undefined) return null;
  if (typeof zone === 'number') return { zone, written };
  const meant = WITH_SUMMER[zone] ?? ZONE_LETTERS[zone];
  if (meant !== undefined) return { zone: meant, written };
  if (/^[A-Z]{2,3}T$/.test(written)) throw new Error(`its header names a zone that is not one: ${written}`);
  return null;
}

/** HistData writes `YYYYMMDD HHMMSS[mmm]` in one cell, in Eastern standard time, the whole year. */
const HISTDATA = /^\d{8} \d{6}(\d{3})?$/;
const EST_MINUTES = -300;
const [EARLIEST_MS, LATEST_MS] = [0, Date.UTC(2100, 0)];

export interface TimeForm {
  readonly zone: HeadingZone | null;
  readonly order: DayOrder | null;
  readonly isOneCell: boolean;
}

export interface ReadTime {
  readonly timeMs: number;
  /** What says in which zone the time is, to be told to the operator. */
  readonly zone: string;
}

export const NO_ZONE = 'UTC (no zone is named)';

/** Null for what is no time. Times without a zone are in that of their heading, else UTC. */
export function readTime(text: string, form: TimeForm): ReadTime | null {
  const epochMs = readEpoch(/e/i.test(text) ? (plainNumber(text, '.') ?? text) : text);
  const read = epochMs === null ? ofMoment(text, form) : { timeMs: epochMs, zone: 'Unix time' };
  return read && read.timeMs >= EARLIEST_MS && read.timeMs < LATEST_MS ? read : null;
}

function ofMoment(text: string, { zone: heading, order, isOneCell }: TimeForm): ReadTime | null {
  const moment = readMoment(text, order);
  if (moment === null || moment === 'ambiguous') return null;
  const own = typeof moment.zone === 'string' ? ZONE_LETTERS[moment.zone] : moment.zone;
  if (own === undefined) return null;
  if (own !== null) return { timeMs: unixMs(moment, own), zone: 'the zone of each row' };
  if (heading) return { timeMs: inZone(moment, heading.zone), zone: heading.written };
  if (isOneCell && HISTDATA.test(text))
    return { timeMs: unixMs(moment, EST_MINUTES), zone: 'Eastern standard time, as HistData writes them' };
  return { timeMs: unixMs(moment, 0), zone: NO_ZONE };
}

/** Rows of one hour share their distance from UTC: to look it up for each row would take minutes. */
const lastHour = { key: '', fromUtcMs: 0 };

function inZone(moment: Moment, zone: number | string): number {
  if (typeof zone === 'number') return unixMs(moment, zone);
  const ofDayMs = Math.floor(moment.ofDayMs / 3_600_000) * 3_600_000;
  const key = `${zone} ${moment.day} ${ofDayMs}`;
  if (lastHour.key !== key) {
    const hour = { ...moment, ofDayMs };
    Object.assign(lastHour, { key, fromUtcMs: unixMs(hour, 0) - unixMsIn(hour, zone) });
  }
  return unixMs(moment, 0) - lastHour.fromUtcMs;
}
