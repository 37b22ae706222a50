/** What a venue's frame says of BTC/USDT. `atMs` is the venue's time; `order` rises by one with each frame. */
export interface FrameOf {
  /** The frame of a market at these prices; venues of trades say the bid. */
  price(said: { bid: string; ask: string; atMs: number; order: number }): string;
  /** A proof that the price still holds; null where the venue's own pong is one. */
  alive(said: { atMs: number; order: number }): string | null;
  /** The market as this venue names it. */
  readonly market: string;
}

const iso = (ms: number, micros = 0) =>
  `${new Date(ms).toISOString().slice(0, -1)}${String(micros % 1_000).padStart(3, '0')}Z`;

/** Frames in the shapes that the venues document, by source. */
export const FRAMES: Readonly<Record<string, FrameOf>> = {
  binance: {
    market: 'BTCUSDT',
    price: ({ bid, ask, order }) =>
      `{"u":${order},"s":"BTCUSDT","b":"${bid}","B":"31.21","a":"${ask}","A":"40.66"}`,
    alive: ({ atMs }) =>
      `{"e":"avgPrice","E":${atMs},"s":"BTCUSDT","i":"5m","w":"25776.86000000","T":${atMs}}`,
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
      `{"type":"ticker","sequence":${order * 7},"product_id":"BTC-USDT","price":"${bid}","best_bid":"${bid}","best_ask":"${bid}","side":"sell","time":"${iso(atMs, order)}","trade_id":${order},"last_size":"0.05"}`,
    alive: ({ atMs, order }) =>
      `{"type":"heartbeat","sequence":90,"last_trade_id":${order},"product_id":"BTC-USDT","time":"${iso(atMs)}"}`,
  },
  kraken: {
    market: 'BTC/USDT',
    price: ({ bid, ask, atMs, order }) =>
      `{"channel":"ticker","type":"update","data":[{"symbol":"BTC/USDT","bid":${bid},"bid_qty":1.2,"ask":${ask},"ask_qty":2.3,"timestamp":"${iso(atMs, order)}"}]}`,
    alive: () => '{"channel":"heartbeat"}',
  },
  okx: {
    market: 'BTC-USDT',
    price: ({ bid, ask, atMs, order }) =>
      `{"arg":{"channel":"bbo-tbt","instId":"BTC-USDT"},"data":[{"asks":[["${ask}","415","0","13"]],"bids":[["${bid}","256","0","12"]],"ts":"${atMs}","seqId":${order}}]}`,
    alive: () => 'pong',
  },
};
