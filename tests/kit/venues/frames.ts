import type { PythKeys, PythPrice } from '../../../packages/proof/src/index.ts';
import { signPythUpdate, TEST_PYTH_KEYS } from '../../../packages/proof/test/pyth/pyth-signing.ts';

/** What a venue's frame says of its market. `atMs` is the venue's time; `order` rises by one with each frame. */
export interface FrameOf {
  /** The frame of a market at these prices; venues of trades say the bid. */
  price(said: { bid: string; ask: string; atMs: number; order: number }): string;
  /** A frame that shows that the connection lives; null where it is one with a price. */
  alive(said: { atMs: number; order: number }): string | null;
  /** The market as this venue names it. */
  readonly market: string;
}

const EUR_USD_FEED = 'a995d00bb36a63cef7fd2c287dc105fc8f3d93779f062f09551b0af3e81ec30b';
const MOST_DIGITS = 18;

/** The keys under which the frames of Pyth hold. */
export const FRAME_KEYS: readonly PythKeys[] = [TEST_PYTH_KEYS];

const iso = (ms: number, micros = 0) =>
  `${new Date(ms).toISOString().slice(0, -1)}${String(micros % 1_000).padStart(3, '0')}Z`;

const nanos = (ms: number, micros: number) => iso(ms, micros).replace('Z', '000Z');

/** Frames of the exchanges for BTC/USDT, in the shapes that they document, by source. */
export const FRAMES: Readonly<Record<string, FrameOf>> = {
  binance: {
    market: 'BTCUSDT',
    price: ({ bid, atMs, order }) =>
      `{"e":"aggTrade","E":${atMs + 1},"s":"BTCUSDT","a":${order},"p":"${bid}","q":"100","f":100,"l":105,"T":${atMs},"m":true,"M":true}`,
    alive: () => '{"result":["btcusdt@aggTrade"],"id":0}',
  },
  bitstamp: {
    market: 'btcusdt',
    price: ({ bid, ask, atMs, order }) =>
      `{"data":{"timestamp":"1","microtimestamp":"${atMs * 1_000 + (order % 1_000)}","bids":[["${bid}","1"]],"asks":[["${ask}","2"]]},"channel":"order_book_btcusdt","event":"data"}`,
    alive: () => '{"event":"bts:heartbeat","channel":"","data":{"status":"success"}}',
  },
  bybit: {
    market: 'BTCUSDT',
    price: ({ bid, ask, atMs, order }) =>
      `{"topic":"orderbook.1.BTCUSDT","ts":${atMs + 2},"type":"snapshot","data":{"s":"BTCUSDT","b":[["${bid}","0.17"]],"a":[["${ask}","0.99"]],"u":${order + 1},"seq":${order}},"cts":${atMs}}`,
    alive: () => null,
  },
  coinbase: {
    market: 'BTC-USDT',
    price: ({ bid, atMs, order }) =>
      `{"type":"match","trade_id":${order},"maker_order_id":"4c2aa376","taker_order_id":"247a6eb2","side":"buy","size":"0.97","price":"${bid}","product_id":"BTC-USDT","sequence":${order * 7},"time":"${iso(atMs, order)}"}`,
    alive: ({ atMs, order }) =>
      `{"type":"heartbeat","sequence":90,"last_trade_id":${order},"product_id":"BTC-USDT","time":"${iso(atMs)}"}`,
  },
  kraken: {
    market: 'BTC/USDT',
    price: ({ bid, atMs, order }) =>
      `{"channel":"trade","type":"update","data":[{"symbol":"BTC/USDT","side":"buy","price":${bid},"qty":0.00027625,"ord_type":"limit","trade_id":${order},"timestamp":"${iso(atMs, order)}"}]}`,
    alive: () => '{"channel":"heartbeat"}',
  },
  okx: {
    market: 'BTC-USDT',
    price: ({ bid, atMs, order }) =>
      `{"arg":{"channel":"trades-all","instId":"BTC-USDT"},"data":[{"instId":"BTC-USDT","tradeId":"${order}","px":"${bid}","sz":"13.49","side":"buy","source":"0","ts":"${atMs}"}]}`,
    alive: () => 'pong',
  },
};

/** The same of the sources that ask for a key, for EUR/USD. Those of Pyth are signed with {@link FRAME_KEYS}. */
export const KEYED_FRAMES: Readonly<Record<string, FrameOf>> = {
  oanda: {
    market: 'EUR_USD',
    price: ({ bid, ask, atMs, order }) =>
      `{"type":"PRICE","time":"${nanos(atMs, order)}","bids":[{"price":"${bid}","liquidity":1000000}],"asks":[{"price":"${ask}","liquidity":1000000}],"closeoutBid":"${bid}","closeoutAsk":"${ask}","status":"tradeable","tradeable":true,"instrument":"EUR_USD"}`,
    alive: ({ atMs }) => `{"type":"HEARTBEAT","time":"${nanos(atMs, 0)}"}`,
  },
  pyth: {
    market: EUR_USD_FEED,
    price: ({ bid, atMs, order }) => pythFrame(bid, { atMs, slot: BigInt(order) }),
    alive: () => null,
  },
  tiingo: {
    market: 'eurusd',
    price: ({ bid, ask, atMs }) =>
      `{"messageType":"A","service":"fx","data":["Q","eurusd","${iso(atMs).replace('Z', '+00:00')}",5000000.0,${bid},null,5000000.0,${ask}]}`,
    alive: () => '{"messageType":"H","response":{"code":200,"message":"HeartBeat"}}',
  },
};

export const ALL_FRAMES: Readonly<Record<string, FrameOf>> = { ...FRAMES, ...KEYED_FRAMES };

/** An event of Hermes with one price. `update` changes the bytes after they are signed. */
export function pythFrame(
  price: string,
  { atMs, slot, conf = 0n, previous, update = (bytes: Uint8Array) => bytes }: PythSaid,
): string {
  const time = Math.floor(atMs / 1_000);
  const said: PythPrice = {
    ...writtenOf(price),
    feed: EUR_USD_FEED,
    conf,
    publishTime: time,
    previousPublishTime: previous ?? time - 1,
  };
  const bytes = update(signPythUpdate({ slot, time, prices: [said] }));
  return `{"binary":{"encoding":"hex","data":["${Buffer.from(bytes).toString('hex')}"]},"parsed":null}`;
}

interface PythSaid {
  readonly atMs: number;
  readonly slot: bigint;
  readonly conf?: bigint;
  /** The second of the update before it; by default the one before. */
  readonly previous?: number;
  readonly update?: (bytes: Uint8Array) => Uint8Array;
}

/** A mantissa of at most 18 digits and its exponent: a feed has no more. */
function writtenOf(price: string): Pick<PythPrice, 'mantissa' | 'exponent'> {
  const [, sign = '', whole = '', decimals = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(\d+))?$/.exec(price) ?? [];
  const digits = whole + decimals;
  const dropped = Math.max(0, digits.length - MOST_DIGITS);
  return {
    mantissa: BigInt(`${sign}${digits.slice(0, MOST_DIGITS)}`),
    exponent: Number(power) - decimals.length + dropped,
  };
}
