/** Where `fairtick monitor --record` receives records from: lines of a file or of stdin, or a public WebSocket. */
import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { ReceivedRecord, ReceivedSource } from '../src/index.ts';
import { Trouble } from './command-line.ts';

type Take = (record: ReceivedRecord) => void;

const DECIMAL = /^\d{1,18}(\.\d{1,18})?$/;
const WHOLE = /^\d{1,20}$/;
const MAX_PAUSE_S = 32;

/**
 * @param text `-`, a file, or `NAME=wss://…`
 * @throws Trouble if it is none of these
 */
export function openRecordSource(text: string, take: Take, tell: (text: string) => void): ReceivedSource {
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

/** Lines `source,symbol,number,timeMs,price`. */
export function parseRecordLine(line: string): ReceivedRecord | null {
  const [source = '', symbol = '', number = '', timeMs = '', price = '', ...more] = line.split(',');
  const isRight =
    source !== '' &&
    symbol !== '' &&
    [number, timeMs].every((each) => WHOLE.test(each)) &&
    DECIMAL.test(price) &&
    more.length === 0;
  return isRight ? { source, symbol, number: BigInt(number), timeMs: Number(timeMs), price } : null;
}

function readLines(stream: Readable, take: Take): ReceivedSource {
  const lines = createInterface({ input: stream });
  lines.on('line', (line) => {
    const record = parseRecordLine(line);
    if (record) take(record);
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
export function parseTradeFrame(source: string, text: string): ReceivedRecord | null {
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
  return { source, symbol: s, number: BigInt(number as number), timeMs: T as number, price: p };
}

/** Connects again after a loss, at once at first and then after 1, 2, 4 … 32 s. */
function openSocket(
  { name, url }: { name: string; url: string },
  take: Take,
  tell: (text: string) => void,
): ReceivedSource {
  let [socket, timer, failures, isClosed] = [
    null as WebSocket | null,
    null as NodeJS.Timeout | null,
    0,
    false,
  ];
  const connect = () => {
    socket = new WebSocket(url);
    socket.addEventListener('message', ({ data }) => {
      const record = parseTradeFrame(name, String(data));
      if (!record) return;
      failures = 0;
      take(record);
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
