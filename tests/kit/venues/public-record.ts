import type { HistoryAnswer } from './history-server.ts';

/** A trade that a venue has on record. */
export interface Trade {
  readonly number: bigint;
  readonly timeMs: number;
  /** As written. */
  readonly price: string;
}

const MOST = { binance: 1_000, coinbase: 1_000, kraken: 1_000, okx: 100 } as const;
export type Exchange = keyof typeof MOST;
export const EXCHANGES = Object.keys(MOST) as Exchange[];

const MOST_KEPT = 100_000;
const NANOS_A_MS = 1_000_000n;

/** The trades of an exchange, by the base of each market against USDT, and its history of them as it documents it. */
export class PublicRecord {
  readonly source: Exchange;
  /** Addresses that were asked for, oldest first. */
  readonly asked: URL[] = [];
  /** The exchange's own clock. Trades from after it are not on record yet. */
  nowMs: () => number = Date.now;
  /** Changes an honest answer: the trades, ascending, or the body. */
  change: (trades: readonly Trade[], url: URL) => readonly Trade[] | HistoryAnswer = (trades) => trades;
  readonly #trades = new Map<string, Trade[]>();

  constructor(source: Exchange) {
    this.source = source;
  }

  trades(base = 'BTC'): readonly Trade[] {
    return this.#trades.get(base) ?? [];
  }

  /** The last trade at a time, and the one after it. */
  at(timeMs: number, base = 'BTC'): readonly (Trade | undefined)[] {
    const trades = this.trades(base);
    const place = trades.findLastIndex((trade) => trade.timeMs <= timeMs);
    return [trades[place], trades[place + 1]];
  }

  add(trade: Trade, base = 'BTC'): void {
    const trades = this.#trades.get(base) ?? [];
    trades.push(trade);
    if (trades.length > MOST_KEPT) trades.shift();
    this.#trades.set(base, trades);
  }

  /** What the address answers; null for one that is not the history's. */
  answer(url: URL): { status: number; headers: Record<string, string>; body: string } | null {
    const base = baseOf(this.source, url);
    if (base === null) return null;
    this.asked.push(url);
    const nowMs = this.nowMs();
    const known = this.trades(base).filter(({ timeMs }) => timeMs <= nowMs);
    const answer = this.change(ASK[this.source](known, url.searchParams), url);
    const isBody = !Array.isArray(answer) && 'body' in answer;
    const {
      body,
      status = 200,
      headers = {},
    } = isBody
      ? (answer as Extract<HistoryAnswer, { body: string }>)
      : { body: WRITE[this.source](answer as Trade[]) };
    return { status, body, headers: { date: new Date(nowMs).toUTCString(), ...headers } };
  }
}

const PATHS: Readonly<Record<Exchange, RegExp>> = {
  binance: /^\/api\/v3\/aggTrades\?.*symbol=([A-Z]+)USDT\b/,
  coinbase: /^\/products\/([A-Z]+)-USDT\/trades\b/,
  kraken: /^\/0\/public\/Trades\?.*pair=([A-Z]+)USDT\b/,
  okx: /^\/api\/v5\/market\/history-trades\?.*instId=([A-Z]+)-USDT\b/,
};
const KRAKEN_BASES: Readonly<Record<string, string>> = { XBT: 'BTC', XDG: 'DOGE' };

function baseOf(source: Exchange, { pathname, search }: URL): string | null {
  const [, base] = PATHS[source].exec(pathname + search) ?? [];
  return base === undefined ? null : source === 'kraken' ? (KRAKEN_BASES[base] ?? base) : base;
}

type Ask = (trades: readonly Trade[], query: URLSearchParams) => Trade[];

/** The trades of an answer, ascending. */
const ASK: Readonly<Record<Exchange, Ask>> = {
  binance(trades, query) {
    const [from, start] = [query.get('fromId'), query.get('startTime')];
    if (from !== null) return trades.filter(({ number }) => number >= BigInt(from)).slice(0, MOST.binance);
    if (start !== null) return trades.filter(({ timeMs }) => timeMs >= Number(start)).slice(0, MOST.binance);
    return trades.slice(-MOST.binance);
  },
  coinbase(trades, query) {
    const after = query.get('after');
    return trades.filter(({ number }) => after === null || number < BigInt(after)).slice(-MOST.coinbase);
  },
  kraken(trades, query) {
    const since = query.get('since');
    if (since === null) return trades.slice(-MOST.kraken);
    return trades.filter(({ timeMs }) => BigInt(timeMs) * NANOS_A_MS > BigInt(since)).slice(0, MOST.kraken);
  },
  okx(trades, query) {
    const [type, after] = [query.get('type'), query.get('after')];
    const isBefore = ({ number, timeMs }: Trade) =>
      after === null || (type === '2' ? timeMs < Number(after) : number < BigInt(after));
    return trades.filter(isBefore).slice(-MOST.okx);
  },
};

const WRITE: Readonly<Record<Exchange, (trades: readonly Trade[]) => string>> = {
  binance: (trades) =>
    `[${trades.map(({ number, timeMs, price }) => `{"a":${number},"p":"${price}","q":"1.00","f":1,"l":1,"T":${timeMs},"m":true,"M":true}`).join()}]`,
  coinbase: (trades) =>
    `[${trades
      .toReversed()
      .map(
        ({ number, timeMs, price }) =>
          `{"time":"${new Date(timeMs).toISOString()}","trade_id":${number},"price":"${price}","size":"0.01","side":"buy"}`,
      )
      .join()}]`,
  kraken: (trades) =>
    `{"error":[],"result":{"XBTUSDT":[${trades.map(({ number, timeMs, price }) => `["${price}","0.34",${timeMs / 1_000},"b","m","",${number}]`).join()}],"last":"${(trades.at(-1)?.timeMs ?? 0) * 1_000_000}"}}`,
  okx: (trades) =>
    `{"code":"0","msg":"","data":[${trades
      .toReversed()
      .map(
        ({ number, timeMs, price }) =>
          `{"instId":"BTC-USDT","side":"sell","sz":"0.00001","px":"${price}","tradeId":"${number}","ts":"${timeMs}"}`,
      )
      .join()}]}`,
};
