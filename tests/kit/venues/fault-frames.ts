/** Frames of BTC/USDT in which a venue says something else than a price, as it documents them. */
export interface FaultFrames {
  /** The refusal of a request, and the words of it that are told. */
  refusal(market: string): string;
  readonly why: string;
  /** What a request that names a market without quotes comes to: all of it is refused, that market alone, or nothing is said. */
  readonly refuses: 'request' | 'market' | 'nothing';
  /** A notice that the connection ends; null where the venue gives none. */
  readonly farewell: string | null;
  /** A frame of the market that has no price. */
  empty(order: number): string;
  /** A frame that shows that earlier ones were lost or that the price no longer holds; null where the venue has none. */
  lost(order: number): string | null;
}

const iso = () => new Date().toISOString();

/** By source. */
export const FAULTS: Readonly<Record<string, FaultFrames>> = {
  binance: {
    refusal: () => '{"code":2,"msg":"Invalid request: unknown property"}',
    why: 'Invalid request',
    refuses: 'nothing',
    farewell: '{"e":"serverShutdown","E":1770123456789}',
    empty: (order) => `{"e":"aggTrade","s":"BTCUSDT","a":${order},"p":null,"T":${Date.now()}}`,
    lost: () => null,
  },
  bitstamp: {
    refusal: () => '{"event":"bts:error","channel":"","data":{"code":4009,"message":"Invalid channel"}}',
    why: 'Invalid channel',
    refuses: 'market',
    farewell: '{"event":"bts:request_reconnect","channel":"","data":""}',
    empty: (order) =>
      `{"data":{"microtimestamp":"${Date.now() * 1_000 + order}","bids":[[null,"1"]],"asks":[["100.00","2"]]},"channel":"order_book_btcusdt","event":"data"}`,
    lost: (order) =>
      `{"data":{"microtimestamp":"${Date.now() * 1_000 + order}","bids":[],"asks":[]},"channel":"order_book_btcusdt","event":"data"}`,
  },
  bybit: {
    refusal: (market) =>
      `{"success":false,"ret_msg":"error:handler not found,topic:orderbook.1.${market}","conn_id":"2324d924","req_id":"","op":"subscribe"}`,
    why: 'handler not found',
    refuses: 'request',
    farewell: null,
    empty: (order) =>
      `{"topic":"orderbook.1.BTCUSDT","ts":${Date.now()},"type":"snapshot","data":{"s":"BTCUSDT","b":[[null,"1"]],"a":[["100.00","0"]],"u":${order},"seq":1},"cts":${Date.now()}}`,
    lost: () =>
      `{"topic":"orderbook.1.BTCUSDT","ts":${Date.now()},"type":"snapshot","data":{"s":"BTCUSDT","b":[],"a":[],"u":1,"seq":1},"cts":${Date.now()}}`,
  },
  coinbase: {
    refusal: (market) =>
      `{"type":"error","message":"Failed to subscribe","reason":"${market} is not a valid product"}`,
    why: 'not a valid product',
    refuses: 'request',
    farewell: null,
    empty: (order) =>
      `{"type":"match","product_id":"BTC-USDT","price":null,"time":"${iso()}","trade_id":${order}}`,
    lost: () => null,
  },
  kraken: {
    refusal: (market) =>
      `{"error":"Currency pair not supported ${market}","method":"subscribe","success":false,"symbol":"${market}"}`,
    why: 'Currency pair not supported',
    refuses: 'market',
    farewell: null,
    empty: () =>
      `{"channel":"trade","type":"update","data":[{"symbol":"BTC/USDT","price":null,"trade_id":1,"timestamp":"${iso()}"}]}`,
    lost: () => '{"channel":"status","type":"update","data":[{"system":"maintenance","api_version":"v2"}]}',
  },
  okx: {
    refusal: (market) =>
      `{"event":"error","code":"60018","msg":"channel:trades-all,instId:${market} doesn't exist"}`,
    why: "doesn't exist",
    refuses: 'request',
    farewell:
      '{"event":"notice","code":"64008","msg":"The connection will soon be closed for a service upgrade. Please reconnect.","connId":"a4d3ae55"}',
    empty: (order) =>
      `{"arg":{"channel":"trades-all","instId":"BTC-USDT"},"data":[{"px":null,"ts":"${Date.now()}","tradeId":"${order}"}]}`,
    lost: () => null,
  },
};
