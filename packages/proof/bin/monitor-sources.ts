/** Where `fairtick monitor --record` receives quotes from: lines of a file or of stdin, or a public WebSocket. */
import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { QuoteSource, RecordedQuote } from '../src/index.ts';
import { Trouble } from './arguments.ts';

type Take = (quote: RecordedQuote) => void;

const DECIMAL = /^\d{1,18}(\.\d{1,18})?$/;
const WHOLE = /^\d{1,20}$/;
const MAX_PAUSE_S = 32;

/**
 * @param text `-`, a file, or `NAME=wss://…`
 * @throws Trouble if it is none of these
 */
export function openQuoteSource(text: string, take: Take, tell: (text: string) => void): QuoteSource {
  const [, name, url] = /^([a-z0-9-]{1,32})=(wss?:\/\/.+)$/.exec(text) ?? [];
  if (name !== undefined && url !== undefined) return openSocket({ name, url }, take, tell);
  if (text === '-') return { ...readLines(process.stdin, take), ready: Promise.resolve() };
  try {
    const isWhole = statSync(text).isFile();
    const lines = readLines(createReadStream(text), take);
    return isWhole ? lines : { ...lines, ready: Promise.resolve() };
  } catch (error) {
    throw new Trouble(`--record: ${(error as Error).message}`);
  }
}

/** Lines `source,symbol,price,sourceMs,sourceSeq`, with the time of receipt as a sixth field where it was another than now. */
export function parseQuoteLine(line: string, nowMs: number): RecordedQuote | null {
  const [source = '', symbol = '', price = '', sourceMs = '', sourceSeq = '', receivedMs, ...more] =
    line.split(',');
  const isRight =
    source !== '' &&
    symbol !== '' &&
    DECIMAL.test(price) &&
    [sourceMs, sourceSeq, receivedMs ?? '0'].every((number) => WHOLE.test(number)) &&
    more.length === 0;
  if (!isRight) return null;
  return {
    source,
    symbol,
    price,
    sourceMs: Number(sourceMs),
    sourceSeq: BigInt(sourceSeq),
    receivedMs: receivedMs === undefined ? nowMs : Number(receivedMs),
  };
}

function readLines(stream: Readable, take: Take): QuoteSource {
  const lines = createInterface({ input: stream });
  lines.on('line', (line) => {
    const quote = parseQuoteLine(line, Date.now());
    if (quote) take(quote);
  });
  const ready = new Promise<void>((resolve, reject) => {
    lines.once('close', resolve);
    stream.once('error', (error) => reject(new Trouble(`--record: ${error.message}`)));
  });
  return { ready, close: () => lines.close() };
}

/**
 * Trades of a Binance stream, alone or combined: `{ e: "aggTrade" | "trade", s: "BTCUSDT", p: "0.001", T: ms, a or t: number }`, the
 * streams being named in the URL (`wss://data-stream.binance.vision/stream?streams=btcusdt@aggTrade`). Null for other frames.
 */
export function parseTradeFrame(source: string, text: string, nowMs: number): RecordedQuote | null {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof frame !== 'object' || frame === null) return null;
  const { data = frame } = frame as { data?: unknown };
  if (typeof data !== 'object' || data === null) return null;
  const { e, s, p, T, a, t } = data as { [name: string]: unknown };
  const number = e === 'aggTrade' ? a : e === 'trade' ? t : null;
  const isRight =
    typeof s === 'string' &&
    typeof p === 'string' &&
    DECIMAL.test(p) &&
    [T, number].every((each) => Number.isSafeInteger(each) && (each as number) >= 0);
  if (!isRight) return null;
  return {
    source,
    symbol: s,
    price: p,
    sourceMs: T as number,
    sourceSeq: BigInt(number as number),
    receivedMs: nowMs,
  };
}

/** Connects again after a loss, at once at first and then after 1, 2, 4 … 32 s. */
function openSocket(
  { name, url }: { name: string; url: string },
  take: Take,
  tell: (text: string) => void,
): QuoteSource {
  let [socket, timer, failures, isClosed] = [
    null as WebSocket | null,
    null as NodeJS.Timeout | null,
    0,
    false,
  ];
  const connect = () => {
    socket = new WebSocket(url);
    socket.addEventListener('message', ({ data }) => {
      const quote = parseTradeFrame(name, String(data), Date.now());
      if (!quote) return;
      failures = 0;
      take(quote);
    });
    socket.addEventListener('close', () => {
      if (isClosed) return;
      const pause = failures === 0 ? 0 : Math.min(2 ** (failures - 1), MAX_PAUSE_S);
      if (failures === 0) tell(`The connection to ${url} ended; it is made again.`);
      failures += 1;
      timer = setTimeout(connect, pause * 1000);
    });
  };
  connect();
  const close = () => {
    isClosed = true;
    if (timer) clearTimeout(timer);
    socket?.close();
  };
  return { ready: Promise.resolve(), close };
}
