import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A candle as both venues write it: time in ms or s, then prices as text. */
export type WrittenRow = readonly [time: number, open: string, high: string, low: string, close: string];

/** What a venue answers: rows, or a body and a status of another kind. */
export type HistoryAnswer =
  | readonly unknown[]
  | { readonly body: string; readonly status?: number; readonly headers?: Record<string, string> };

const MINUTE_MS = 60_000;
const MOST = { binance: 1_000, kraken: 720 };
const INTERVALS: Readonly<Record<string, number>> = { '1m': 1, '5m': 5, '30m': 30, '1d': 1440 };
/** How a price moves from minute to minute, in hundredths. */
const STEPS = [3, -1, 4, -1, -5, 9, -2, -6, 5, -3];

/** The price of a minute, in hundredths: any candle of any length follows from it. */
const centsAt = (timeMs: number): number =>
  6_500_000 + (STEPS[(timeMs / MINUTE_MS) % STEPS.length] ?? 0) * 100;
const written = (cents: number, decimals: number) => (cents / 100).toFixed(decimals);

export function pastRow(source: 'binance' | 'kraken', timeMs: number, minutes: number): WrittenRow {
  const [open, close] = [centsAt(timeMs), centsAt(timeMs + minutes * MINUTE_MS)];
  const prices = [open, Math.max(open, close) + 123, Math.min(open, close) - 123, close];
  const [decimals, unit] = source === 'binance' ? [8, 1] : [1, 1_000];
  return [timeMs / unit, ...prices.map((cents) => written(cents, decimals))] as unknown as WrittenRow;
}

/** The REST history of Binance and Kraken on loopback, which answers as the test tells it. */
export class HistoryServer {
  /** Addresses that were asked for, oldest first. */
  readonly asked: URL[] = [];
  /** The venues' own time, at which Kraken's newest candle is under way. */
  nowMs = Date.now();
  /** Changes an honest answer; `nth` counts the questions to this venue from 0. */
  change: (
    answer: readonly WrittenRow[],
    asked: { source: string; minutes: number; nth: number },
  ) => HistoryAnswer = (answer) => answer;
  /** Where questions for records go, which this server does not have, by source. */
  readonly records = new Map<string, string>();
  readonly #http: Server;
  readonly #count = new Map<string, number>();

  private constructor(http: Server) {
    this.#http = http;
    http.on('request', async (request, response) => {
      const elsewhere = this.#elsewhere(request.url ?? '/');
      if (elsewhere !== null) {
        const answer = await fetch(elsewhere);
        response.writeHead(answer.status, { date: answer.headers.get('date') ?? '' });
        response.end(await answer.text());
        return;
      }
      const { status = 200, headers = {}, body } = this.#answer(request);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body);
    });
  }

  static async start(): Promise<HistoryServer> {
    const http = createServer();
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    return new HistoryServer(http);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise<void>((resolve) => this.#http.close(() => resolve()));
  }

  #elsewhere(path: string): string | null {
    const source = path.startsWith('/api/v3/aggTrades') ? 'binance' : 'kraken';
    const origin = this.records.get(source);
    return origin === undefined || !/Trades/.test(path) ? null : origin + path;
  }

  #answer(request: IncomingMessage): { status?: number; headers?: Record<string, string>; body: string } {
    const url = new URL(request.url ?? '/', this.url);
    this.asked.push(url);
    const source = url.pathname === '/api/v3/klines' ? 'binance' : 'kraken';
    const nth = this.#count.get(source) ?? 0;
    this.#count.set(source, nth + 1);
    const interval = url.searchParams.get('interval') ?? '';
    const minutes = source === 'binance' ? (INTERVALS[interval] ?? 0) : Number(interval);
    const lastMs = source === 'binance' ? Number(url.searchParams.get('endTime')) : this.nowMs;
    const stepMs = minutes * MINUTE_MS;
    const newestMs = lastMs - (lastMs % stepMs);
    const rows = Array.from({ length: MOST[source] }, (_, back) =>
      pastRow(source, newestMs - back * stepMs, minutes),
    ).reverse();
    const answer = this.change(rows, { source, minutes, nth });
    if ('body' in answer) return answer;
    if (source === 'binance') return { body: JSON.stringify(answer) };
    const pair = url.searchParams.get('pair') ?? '';
    return { body: JSON.stringify({ error: [], result: { [pair]: answer, last: lastMs / 1_000 } }) };
  }
}

/** Adds this server to a file of sources, as the address of both venues' history. Their records stay where they are. */
export function nameHistory(file: string, { url, records }: HistoryServer): void {
  const sources = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { historyUrl?: string }>;
  for (const source of ['binance', 'kraken']) {
    const before = sources[source]?.historyUrl;
    if (before !== undefined) records.set(source, before);
    sources[source] = { ...sources[source], historyUrl: url };
  }
  writeFileSync(file, JSON.stringify(sources));
}
