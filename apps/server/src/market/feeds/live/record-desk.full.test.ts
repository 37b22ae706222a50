import { setTimeout as sleep } from 'node:timers/promises';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { FRAMES, type FrameOf } from '@fairtick/kit/venues/frames.ts';
import { EXCHANGES, type Exchange, PublicRecord, type Trade } from '@fairtick/kit/venues/public-record.ts';
import { VenueServer } from '@fairtick/kit/venues/venue-server.ts';
import { seen, until } from '@fairtick/kit/waiting/until.ts';
import type { KnownRecord } from '@fairtick/trading';
import { describe, expect, test } from 'vitest';
import { RecordDesk } from './record-desk.ts';
import { historyOf, type RecordHistory } from './record-history.ts';
import { type FrameReader, readFrame, type Venue } from './venue.ts';
import { VENUES } from './venues.ts';

const T = Date.UTC(2026, 10, 28, 12);
const MINUTE = 60_000;
const PRODUCT = 7;

/** An exchange with a record of its own, on loopback, and a desk that hears its stream. */
class Trial {
  readonly record: PublicRecord;
  readonly faults: string[] = [];
  readonly deaf: string[] = [];
  /** The log's time. The exchange's own clock is this one, and `skewMs` behind it. */
  nowMs = T - MINUTE;
  skewMs = 0;
  desk!: RecordDesk;
  readonly #server: VenueServer;
  readonly #history: RecordHistory;
  readonly #frames: FrameOf;
  #read!: FrameReader;

  private constructor(source: Exchange, server: VenueServer) {
    this.record = new PublicRecord(source);
    this.record.nowMs = () => this.nowMs - this.skewMs;
    this.#server = server;
    server.history = (url) => this.record.answer(url);
    const history = historyOf(source, {
      access: { url: '', key: '', account: '' },
      keys: [],
      origin: server.url.replace('ws:', 'http:'),
    });
    this.#history = { ...(history as RecordHistory), paceMs: 2 };
    this.#frames = FRAMES[source] as FrameOf;
    this.restart();
  }

  static async open(source: Exchange): Promise<Trial> {
    return new Trial(source, await VenueServer.start());
  }

  async close(): Promise<void> {
    this.desk.stop();
    await this.#server.close();
  }

  /** Another process begins: it knows nothing. */
  restart(): void {
    this.desk?.stop();
    const { market } = this.#frames;
    this.desk = new RecordDesk({
      history: this.#history,
      listings: [{ productId: PRODUCT, market, symbol: 'BTC/USDT', decimals: 2 }],
      nowMs: () => this.nowMs,
      againMs: 5,
      tell: { fault: (why) => this.faults.push(why), deaf: (why) => this.deaf.push(why) },
    });
    this.connect();
  }

  /** A new connection; what was said on none is lost. */
  connect(): void {
    const venue = VENUES.find(({ source }) => source === this.record.source) as Venue;
    this.#read = venue.reader(new Set([this.#frames.market]));
    this.desk.apply([{ kind: 'reconnected' }]);
  }

  /** The stream says trades. @returns what the desk does */
  say(...trades: readonly Trade[]): boolean {
    return trades
      .map(({ number, timeMs, price }) => {
        const frame = this.#frames.price({ bid: price, ask: price, atMs: timeMs, order: Number(number) });
        return this.desk.apply(this.#read(readFrame(frame)));
      })
      .every((isClear) => isClear);
  }

  heartbeat(order: bigint, atMs: number): void {
    const text = this.#frames.alive({ atMs, order: Number(order) });
    if (text !== null && text !== 'pong') this.desk.apply(this.#read(readFrame(text)));
  }

  known(fixMs: number): KnownRecord | null {
    return this.desk.recordAt(PRODUCT, fixMs);
  }

  closed(fixMs: number): Promise<KnownRecord> {
    return seen(() => {
      const known = this.known(fixMs);
      return known && known.closing.by !== 'open' ? known : null;
    });
  }

  /** The exchange trades on its own record, at random times. */
  trade(fromMs: number, toMs: number, { seed = 1, meanMs = 300, from = 1_000 } = {}): readonly Trade[] {
    const random = new Random(seed);
    let [number, timeMs] = [from, fromMs];
    for (;;) {
      timeMs += random.isLikely(0.2) ? 0 : random.whole(1, 2 * meanMs);
      if (timeMs >= toMs) return this.record.trades();
      number += this.record.source === 'kraken' && random.isLikely(0.3) ? 3 : 1;
      this.record.add({
        number: BigInt(number),
        timeMs,
        price: `${60_000 + random.whole(0, 999)}.${random.whole(10, 99)}`,
      });
    }
  }
}

/** What an exchange's own record says of a time. */
function truthAt(trades: readonly Trade[], fixMs: number) {
  const count = trades.findLastIndex(({ timeMs }) => timeMs <= fixMs) + 1;
  return { last: pointsOf(trades[count - 1]), next: pointsOf(trades[count]) };
}

const pointsOf = (trade: Trade | undefined) =>
  trade && { number: trade.number, timeMs: trade.timeMs, price: BigInt(trade.price.replace('.', '')) };

const summary = ({ last, closing }: KnownRecord) => ({
  last,
  next: closing.by === 'next' ? closing.next : undefined,
});

describe.each(EXCHANGES)('the records of %s', (source) => {
  const trial = forTest(() => Trial.open(source));

  test('are those of the stream, while nothing is lost', () => {
    const trades = trial.trade(T - MINUTE, T + MINUTE);
    trial.nowMs = T + MINUTE;
    trial.say(...trades);
    for (let fixMs = T - 30_000; fixMs <= T + 30_000; fixMs += 1_000)
      expect(summary(trial.known(fixMs) as KnownRecord)).toEqual(truthAt(trades, fixMs));
    expect(trial.record.asked).toEqual([]);
  });

  test.each([1_000, 20_000, 5 * MINUTE])(
    'at a time in a cut of %i ms are what they would have been',
    async (cutMs) => {
      const trades = trial.trade(T - cutMs - MINUTE, T + cutMs + MINUTE);
      trial.nowMs = T + cutMs + MINUTE;
      trial.say(...trades.filter(({ timeMs }) => timeMs < T - cutMs / 2));
      trial.connect();
      trial.say(...trades.filter(({ timeMs }) => timeMs > T + cutMs / 2));
      for (let fixMs = T - cutMs; fixMs <= T + cutMs; fixMs += Math.max(1_000, cutMs / 10))
        expect(summary(await trial.closed(fixMs))).toEqual(truthAt(trades, fixMs));
      expect(trial.faults).toEqual([]);
    },
  );

  test.each([2_000, 10 * MINUTE, 5 * 60 * MINUTE])(
    'from %i ms before a process began are what they would have been',
    async (agoMs) => {
      const meanMs = agoMs > 60 * MINUTE ? 2_000 : 300;
      const trades = trial.trade(T - agoMs - 10 * MINUTE, T + MINUTE, { meanMs });
      trial.nowMs = T + MINUTE;
      trial.restart();
      trial.say(...trades.filter(({ timeMs }) => timeMs > T));
      for (let fixMs = T - agoMs; fixMs <= T - agoMs + 10_000; fixMs += 1_000)
        expect(summary(await trial.closed(fixMs))).toEqual(truthAt(trades, fixMs));
      expect(trial.record.asked.length).toBeLessThan(60);
    },
  );

  test('of a venue that is 10 s late are asked for', async () => {
    const trades = trial.trade(T - MINUTE, T + MINUTE);
    trial.nowMs = T + 5_000;
    trial.say(...trades.filter(({ timeMs }) => timeMs < T - 5_000));
    expect(summary(await trial.closed(T))).toEqual(truthAt(trades, T));
    trial.nowMs = T + MINUTE;
    trial.say(...trades);
    expect(trial.faults).toEqual([]);
  });

  test.each([-3_000, 3_000])(
    'of a quiet market end when its own clock says so, also with ours %i ms off',
    async (skewMs) => {
      const trades = trial.trade(T - MINUTE, T - 2_000);
      trial.skewMs = skewMs;
      trial.say(...trades);
      // By the exchange's clock T is not over.
      trial.nowMs = T + skewMs - 500;
      for (let step = 0; step < 20; step += 1) {
        expect(trial.known(T)?.closing ?? { by: 'open' }).toEqual({ by: 'open' });
        await sleep(20);
      }
      const late = { number: 9_999n, timeMs: T - 100, price: '61000.00' };
      const number = (trades.at(-1) as Trade).number + 1n;
      trial.record.add({ ...late, number });
      trial.nowMs = T + skewMs + 4_000;
      expect(await trial.closed(T)).toMatchObject({
        last: { number, price: 6_100_000n },
        closing: { by: 'said' },
      });
    },
  );

  test('are not changed by a history that lies, which closes nothing and is told', async () => {
    const trades = trial.trade(T - MINUTE, T + MINUTE);
    trial.nowMs = T + MINUTE;
    trial.say(...trades.filter(({ timeMs }) => timeMs <= T - 10_000));
    trial.connect();
    trial.say(...trades.filter(({ timeMs }) => timeMs > T + 10_000));
    trial.record.change = (rows) => rows.map((row) => ({ ...row, price: '59999.99' }));
    trial.known(T);
    await until(() => trial.faults.length > 0);
    const heard = trades.filter(({ timeMs }) => timeMs <= T - 10_000);
    expect(trial.known(T)).toMatchObject({ last: pointsOf(heard.at(-1)), closing: { by: 'open' } });
    expect(trial.known(T - 20_000)?.last).toEqual(truthAt(trades, T - 20_000).last);
    expect(trial.faults[0]).toContain('contradicts');
    trial.record.change = (rows) => rows;
    expect(summary(await trial.closed(T))).toEqual(truthAt(trades, T));
  });

  test.each<[string, PublicRecord['change']]>([
    ['renumbers', (rows) => rows.map((row) => ({ ...row, number: row.number + 5_000n }))],
    ['is of other times', (rows) => rows.map((row) => ({ ...row, timeMs: row.timeMs - 5 }))],
    ['lists one record', (rows) => rows.slice(-1)],
    ['is empty', () => []],
    ['is no JSON', () => ({ body: '{"a":' })],
    ['is another answer', () => ({ body: '{"code":"50011","data":null}' })],
    ['fails', () => ({ body: '', status: 500 })],
    ['is too long', () => ({ body: ' '.repeat(2 << 20) })],
  ])('wait for a history that %s, and are right when it is', async (_case, change) => {
    const trades = trial.trade(T - MINUTE, T + MINUTE);
    trial.nowMs = T + MINUTE;
    trial.say(...trades.filter(({ timeMs }) => timeMs <= T - 10_000));
    trial.connect();
    trial.say(...trades.filter(({ timeMs }) => timeMs > T + 10_000));
    trial.record.change = change;
    await until(() => {
      trial.known(T);
      return trial.record.asked.length >= 2;
    });
    await sleep(50);
    expect(trial.known(T)?.closing).toEqual({ by: 'open' });
    trial.record.change = (rows) => rows;
    expect(summary(await trial.closed(T))).toEqual(truthAt(trades, T));
  });

  test('of hundreds of times in a long cut are all found, also beside times that never are', async () => {
    const trades = trial.trade(T - 10 * MINUTE, T + MINUTE, { meanMs: 1_000 });
    trial.nowMs = T + MINUTE;
    trial.say(trades[0] as Trade);
    trial.connect();
    trial.say(...trades.filter(({ timeMs }) => timeMs > T));
    const never = Array.from({ length: 100 }, (_, at) => T - 30 * MINUTE - at * 1_000);
    const wanted = Array.from({ length: 300 }, (_, at) => T - 8 * MINUTE + at * 1_000);
    await until(() => {
      for (const fixMs of never) trial.known(fixMs);
      return wanted.map((fixMs) => trial.known(fixMs)).every((known) => known?.closing.by === 'next');
    });
    for (const fixMs of wanted)
      expect(summary(trial.known(fixMs) as KnownRecord)).toEqual(truthAt(trades, fixMs));
  });

  test('wait as long as a 429 says', async () => {
    const trades = trial.trade(T - MINUTE, T + MINUTE);
    trial.nowMs = T + MINUTE;
    trial.say(...trades.filter(({ timeMs }) => timeMs <= T - 1_000));
    trial.record.change = () => ({ body: '', status: 429, headers: { 'retry-after': '1' } });
    trial.known(T);
    await until(() => trial.record.asked.length === 1);
    trial.record.change = (rows) => rows;
    const askedMs = performance.now();
    expect(summary(await trial.closed(T))).toEqual(truthAt(trades, T));
    expect(performance.now() - askedMs).toBeGreaterThan(900);
    expect(trial.faults).toEqual(['its history answers 429']);
  });

  test('that the stream contradicts want a new connection, and there begin anew', () => {
    const trades = trial.trade(T - MINUTE, T);
    trial.nowMs = T;
    trial.say(...trades);
    const again = (ms: number, number: bigint) => ({ number, timeMs: T + ms, price: '61000.00' });
    expect(trial.say(again(0, 1n))).toBe(true);
    trial.nowMs += 2_000;
    expect(trial.say(again(2_000, 2n))).toBe(false);
    trial.connect();
    expect(trial.say(again(2_100, 3n), again(2_900, 4n), again(3_000, 5n))).toBe(true);
    expect(trial.known(T + 2_500)).toMatchObject({ last: { number: 3n }, closing: { by: 'next' } });
  });

  test('that the stream leaves out while it is silent want a new connection', async () => {
    const trades = trial.trade(T - MINUTE, T + 30_000);
    trial.nowMs = T - 20_000;
    trial.connect();
    trial.nowMs = T + 30_000;
    trial.say(...trades.filter(({ timeMs }) => timeMs <= T));
    trial.desk.start();
    await until(() => trial.deaf.length > 0);
    expect(trial.deaf[0]).toBe('did not say that BTC/USDT trades');
  });
});

describe('Coinbase', () => {
  const trial = forTest(() => Trial.open('coinbase'));

  test('names its last trade each second, and closes with it', () => {
    const trades = trial.trade(T - MINUTE, T - 5_000);
    const { number } = trades.at(-1) as Trade;
    trial.nowMs = T + 900;
    trial.say(...trades);
    trial.heartbeat(number, T + 100);
    expect(trial.known(T - 1)?.closing).toEqual({ by: 'said' });
    expect(trial.known(T)?.closing).toEqual({ by: 'open' });
    trial.heartbeat(number + 1n, T + 500);
    expect(trial.known(T)?.closing).toEqual({ by: 'open' });
    trial.heartbeat(number, T + 700);
    expect(trial.known(T)).toMatchObject({ last: { number }, closing: { by: 'said' } });
  });
});
