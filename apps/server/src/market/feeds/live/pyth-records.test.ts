import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { FRAME_KEYS, type FrameOf, KEYED_FRAMES, pythFrame } from '@fairtick/kit/venues/frames.ts';
import { VENUE_KEY } from '@fairtick/kit/venues/venue-market.ts';
import { VenueServer } from '@fairtick/kit/venues/venue-server.ts';
import { seen, until } from '@fairtick/kit/waiting/until.ts';
import { verifyPythUpdate } from '@fairtick/proof';
import { expect, test } from 'vitest';
import { RecordDesk } from './record-desk.ts';
import { historyOf, type RecordHistory } from './record-history.ts';
import { type FrameReader, readFrame } from './venue.ts';
import { pythVenue } from './venues/pyth.ts';

const T = Date.UTC(2026, 10, 28, 12);
const SECOND = T / 1_000;
const PRODUCT = 3;
const { market } = KEYED_FRAMES.pyth as FrameOf;

/** Seconds after T in which Pyth signed prices, of which each second has three. */
const SIGNED = [-6, -5, -4, -2, -1, 0, 3, 4, 5];

const priceOf = (second: number, part = 0) => `1.08${50 + second}${part}`;

/** A frame of a part of a second; the first part names the second before it. */
function frameOf(second: number, part = 0): string {
  const before = SIGNED[SIGNED.indexOf(second) - 1] ?? second - 1;
  const slot = BigInt((SECOND + second) * 20 + part * 5);
  const previous = SECOND + (part === 0 ? before : second);
  return pythFrame(priceOf(second, part), { atMs: T + second * 1_000, slot, previous });
}

class Trial {
  readonly faults: string[] = [];
  readonly asked: string[] = [];
  /** Changes an answer of the history. */
  change = (text: string): string => text;
  nowMs = T + 60_000;
  readonly desk: RecordDesk;
  readonly #server: VenueServer;
  readonly #read: FrameReader;

  private constructor(server: VenueServer) {
    this.#server = server;
    server.history = ({ pathname, searchParams }) => {
      const asked = Number(pathname.split('/').at(-1)) - SECOND;
      this.asked.push(`${asked} ${searchParams.get('ids[]')}`);
      const second = SIGNED.find((signed) => signed >= asked);
      return second === undefined
        ? { status: 404, headers: {}, body: 'Update data not found' }
        : { status: 200, headers: {}, body: this.change(frameOf(second)) };
    };
    const access = { url: server.url.replace('ws:', 'http:'), key: VENUE_KEY, account: '' };
    const history = historyOf('pyth', { access, keys: FRAME_KEYS }) as RecordHistory;
    this.desk = new RecordDesk({
      history: { ...history, paceMs: 2 },
      listings: [{ productId: PRODUCT, market, symbol: 'EUR/USD', decimals: 5 }],
      nowMs: () => this.nowMs,
      againMs: 5,
      tell: { fault: (why) => this.faults.push(why), deaf: () => {} },
    });
    // Of updates that come at once the first alone is read, and those that have a record.
    this.#read = pythVenue(FRAME_KEYS, { readEveryMs: 600_000 }).reader(new Set([market]));
  }

  static async open(): Promise<Trial> {
    return new Trial(await VenueServer.start());
  }

  async close(): Promise<void> {
    this.desk.stop();
    await this.#server.close();
  }

  say(...seconds: readonly number[]): void {
    for (const second of seconds)
      for (const part of [0, 1, 2]) this.desk.apply(this.#read(readFrame(frameOf(second, part))));
  }

  known(afterS: number) {
    const known = this.desk.recordAt(PRODUCT, T + afterS * 1_000);
    const at = (number: bigint) => Number(number) - SECOND;
    const { last, closing } = known ?? {};
    return (
      last && {
        last: [at(last.number), last.timeMs - T, last.price],
        next: closing?.by === 'next' ? at(closing.next.number) : closing?.by,
      }
    );
  }

  closed(afterS: number) {
    return seen(() => {
      const known = this.known(afterS);
      return known && known.next !== 'open' ? known : null;
    });
  }
}

const trial = forTest(Trial.open);
const truth = (second: number, next: number) => ({
  last: [second, second * 1_000, BigInt(priceOf(second).replace('.', '').slice(0, 6))],
  next,
});

test('a record of Pyth is the first update of a second, and the next one closes it', () => {
  trial.say(...SIGNED);
  expect([-6, -3, -2, 0, 1, 2, 3].map((at) => trial.known(at))).toEqual([
    truth(-6, -5),
    truth(-4, -2),
    truth(-2, -1),
    truth(0, 3),
    truth(0, 3),
    truth(0, 3),
    truth(3, 4),
  ]);
  expect([trial.known(-7), trial.known(5)?.next]).toEqual([undefined, 'open']);
});

test('records that were not received are asked for by their second', async () => {
  trial.say(-6, -5, 4, 5);
  expect(await trial.closed(-3)).toEqual(truth(-4, -2));
  expect(await trial.closed(2)).toEqual(truth(0, 3));
  expect(await trial.closed(0)).toEqual(truth(0, 3));
  expect(trial.faults).toEqual([]);
  expect(trial.asked[0]).toBe(`-4 ${market}`);
});

test('a process that begins asks for the seconds of before', async () => {
  expect(await trial.closed(0)).toEqual(truth(0, 3));
  expect(await trial.closed(-3)).toEqual(truth(-4, -2));
  expect(await trial.closed(2)).toEqual(truth(0, 3));
});

test('the last record of all stays open: Pyth says nothing of a second without one', async () => {
  trial.say(...SIGNED);
  await until(() => trial.known(6)?.next === 'open' && trial.asked.length >= 2);
  expect(trial.known(6)?.next).toBe('open');
  expect(trial.faults).toEqual([]);
});

test('an answer that is not signed by these keys is told and closes nothing', async () => {
  trial.say(-6, -5);
  trial.change = (text) =>
    text.replace(/"[0-9a-f]{300}/, (hex) => `${hex.slice(0, -1)}${hex.endsWith('0') ? 1 : 0}`);
  trial.known(0);
  await until(() => trial.faults.length > 0);
  expect(trial.known(0)?.next).toBe('open');
  trial.change = (text) => text;
  expect(await trial.closed(0)).toEqual(truth(0, 3));
});

test('the signed update of each record is kept, of those that were asked for too', async () => {
  trial.say(-6, -5);
  await trial.closed(0);
  for (const second of [-6, 0]) {
    const signed = trial.desk.signedUpdate(PRODUCT, BigInt(SECOND + second));
    const update = verifyPythUpdate(signed?.update ?? new Uint8Array(), FRAME_KEYS);
    expect('prices' in update && update.prices.get(market)?.publishTime).toBe(SECOND + second);
  }
  expect(trial.desk.signedUpdate(PRODUCT, 1n)).toBeNull();
});
