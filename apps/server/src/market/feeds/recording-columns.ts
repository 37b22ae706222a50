import {
  type DayOrder,
  readEpoch,
  readMoment,
  unixMs,
  ZONE_LETTERS,
} from '../../platform/imports/moments.ts';
import { plainNumber } from '../../platform/imports/numbers.ts';
import { columnName } from '../../platform/imports/tables.ts';

export type Price = 'open' | 'high' | 'low' | 'close' | 'bid' | 'ask' | 'price';

/** Places of the cells that a recording's rows are read from. */
export interface Columns {
  /** The time, or a day and the time of day beside it. */
  readonly time: readonly [number] | readonly [number, number];
  /** Null: the header names none, so that the values decide. */
  readonly prices: ReadonlyMap<Price, number> | null;
  readonly volumes: readonly number[];
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
const SYMBOL_AND_TIME = 4;

/** @param header the cells of the line before the first row; null for none */
export function columnsOf(row: readonly string[], header: readonly string[] | null): Columns | null {
  const time = timePlaces(row);
  if (time === null) return null;
  const names = header?.map(columnName) ?? [];
  const prices = new Map<Price, number>();
  for (const [price, pattern] of Object.entries(NAMES)) {
    const place = names.findIndex((name, at) => pattern.test(name) && !time.includes(at as never));
    if (place >= 0) prices.set(price as Price, place);
  }
  // Some sites call the close the price.
  if (prices.has('open') && !prices.has('close') && prices.has('price'))
    prices.set('close', prices.get('price') as number);
  const isKnown = ['close', 'bid', 'price'].some((price) => prices.has(price as Price));
  const volumes = names.flatMap((name, place) => (VOLUME.test(name) ? [place] : []));
  return { time, prices: isKnown ? prices : null, volumes };
}

function timePlaces(row: readonly string[]): Columns['time'] | null {
  for (let place = 0; place < Math.min(row.length, SYMBOL_AND_TIME); place += 1) {
    const [day = '', clock = ''] = row.slice(place);
    if (!isTime(day)) continue;
    const isDayAlone = /^\d{8}$|^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$/.test(day);
    const isClock = /^\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?$|^([01]\d|2[0-3])[0-5]\d([0-5]\d(\d{3})?)?$/.test(
      clock,
    );
    return isDayAlone && isClock ? [place, place + 1] : [place];
  }
  return null;
}

const isTime = (text: string): boolean =>
  parseTime(text, null) !== null || readMoment(text, 'dayFirst') !== null;

/** HistData writes `YYYYMMDD HHMMSS[mmm]` in Eastern standard time, the whole year. */
const HISTDATA = /^\d{8} \d{6}(\d{3})?$/;
const EST_MINUTES = -300;
const [EARLIEST_MS, LATEST_MS] = [0, Date.UTC(2100, 0)];

/** Unix ms, or null for what is no time. Times without a zone are UTC. */
export function parseTime(text: string, order: DayOrder | null): number | null {
  const timeMs =
    readEpoch(/e/i.test(text) ? (plainNumber(text, '.') ?? text) : text) ?? ofMoment(text, order);
  return timeMs !== null && timeMs >= EARLIEST_MS && timeMs < LATEST_MS ? timeMs : null;
}

function ofMoment(text: string, order: DayOrder | null): number | null {
  const moment = readMoment(text, order);
  if (moment === null || moment === 'ambiguous') return null;
  if (HISTDATA.test(text)) return unixMs(moment, EST_MINUTES);
  const offset = typeof moment.zone === 'string' ? ZONE_LETTERS[moment.zone] : (moment.zone ?? 0);
  return offset === undefined ? null : unixMs(moment, offset);
}
