/**
 * Plays a recording into an installation of its own: the production writer, over the replay feed, with the log's clock set from
 * one planned quote to the next. The clock also stops in between: where prices stop, where an order opens and settles, and where an
 * acceptance waits to be logged.
 */

import { CATALOGUE } from '../../../apps/server/src/market/catalogue/catalogue.ts';
import { RecordedFeed } from '../../../apps/server/src/market/feeds/recorded-feed.ts';
import { quotesOf, readRecording } from '../../../apps/server/src/market/feeds/recording.ts';
import type {
  OrderRequest,
  PlacementAnswer,
} from '../../../apps/server/src/trading/placement/placement-parts.ts';
import { advanceSettlementHead } from '../../../apps/server/src/trading/settlement/settle-orders.ts';
import { GRID_MS } from '../../../packages/trading/src/index.ts';
import { Random } from '../hostile/random.ts';
import { House } from '../installation/house.ts';
import type { Recording } from './recordings.ts';

/** Orders that are placed together when the log's clock shows `atMs`. */
export interface PlannedBatch {
  readonly atMs: number;
  readonly requests: (house: House) => Promise<readonly OrderRequest[]>;
}

export interface Refusal {
  readonly atMs: number;
  readonly code: string;
}

export interface Played {
  readonly house: House;
  readonly startMs: number;
  readonly steps: number;
  readonly refusals: readonly Refusal[];
}

/** Grid times per append while only prices change. */
const QUIET_STEPS = 500;
const HOLDS_MS = 300_000;
const LEAP_MS = 30_000;
/** A slower answer says little: the price grew too old on its way. Refused orders are then tried again, this many times in all. */
const SLOW_MS = 250;
const PLACE_TRIES = 9;

const gridUp = (ms: number): number => Math.ceil(ms / GRID_MS) * GRID_MS;
const gridAfter = (ms: number): number => Math.floor(ms / GRID_MS) * GRID_MS + GRID_MS;

/** The planned time of the first quote: its recorded time, rounded up to the grid. */
export function startOf(recording: Recording): number {
  return gridUp((recording.read.rows[0] as { timeMs: number }).timeMs);
}

export async function play(
  recording: Recording,
  options: {
    /** Ascending. */
    batches: readonly PlannedBatch[];
    /** Whether stretches without orders may be appended many grid times at once. */
    isQuick: boolean;
    onProgress: (share: number) => void;
  },
): Promise<Played> {
  const quotes = quotesOf(readRecording(recording.bytes, recording.symbol), recording);
  const productId = CATALOGUE.findIndex(({ symbol }) => symbol === recording.symbol) + 1;
  const startMs = startOf(recording);
  const feed = new RecordedFeed(new Map([[productId, quotes]]), { speed: 1 });
  const house = await House.open(feed, startMs);
  if (house.product(recording.symbol).id !== productId)
    throw new Error('the catalogue is numbered otherwise');
  const times = priceTimes(
    quotes.map(({ timeMs }) => startMs + timeMs - (quotes[0] as { timeMs: number }).timeMs),
  );
  return new Player(house, { ...options, times, startMs }).run();
}

/** The grid times at which the writer would have entries without any orders, ascending. */
function priceTimes(planned: readonly number[]): number[] {
  const times: number[] = [];
  for (const [place, plannedMs] of planned.entries()) {
    const time = gridUp(plannedMs);
    if (times.at(-1) !== time) times.push(time);
    const next = planned[place + 1];
    const stopMs = gridAfter(plannedMs + HOLDS_MS);
    if (next !== undefined && stopMs < gridUp(next)) times.push(stopMs);
  }
  times.push(gridAfter(times.at(-1) as number));
  return times;
}

class Player {
  readonly #house: House;
  readonly #times: readonly number[];
  readonly #batches: readonly PlannedBatch[];
  readonly #isQuick: boolean;
  readonly #onProgress: (share: number) => void;
  readonly #startMs: number;
  readonly #refusals: Refusal[] = [];
  /** Future opening and settlement times, and the grid times after them. */
  readonly #due = new Set<number>();
  #nextTime = 0;
  #nextBatch = 0;
  /** The grid time that logs the newest acceptance, the first one after it; null when none waits. */
  #carryMs: number | null = null;
  #steps = 0;

  constructor(
    house: House,
    options: {
      times: readonly number[];
      batches: readonly PlannedBatch[];
      isQuick: boolean;
      onProgress: (share: number) => void;
      startMs: number;
    },
  ) {
    this.#house = house;
    // The log has its entries of the start already.
    this.#times = options.times.filter((time) => time > options.startMs);
    this.#batches = options.batches;
    this.#isQuick = options.isQuick;
    this.#onProgress = options.onProgress;
    this.#startMs = options.startMs;
  }

  async run(): Promise<Played> {
    for (;;) {
      const event = this.#nextEventMs();
      const price = this.#times[this.#nextTime];
      if (event === null && price === undefined) break;
      if (this.#isQuick && price !== undefined && (event === null || price < event)) {
        await this.#stepQuietly(event ?? Number.POSITIVE_INFINITY);
      } else {
        await this.#stepOnce(Math.min(event ?? Number.POSITIVE_INFINITY, price ?? Number.POSITIVE_INFINITY));
      }
    }
    return {
      house: this.#house,
      startMs: this.#startMs,
      steps: this.#steps,
      refusals: this.#refusals,
    };
  }

  /** The next grid time with an event other than a price. */
  #nextEventMs(): number | null {
    const batch = this.#batches[this.#nextBatch];
    const times = [...this.#due];
    if (batch) times.push(Math.floor(batch.atMs / GRID_MS) * GRID_MS);
    if (this.#carryMs !== null) times.push(this.#carryMs);
    return times.length === 0 ? null : Math.min(...times);
  }

  async #stepQuietly(untilMs: number): Promise<void> {
    const times = this.#times.slice(this.#nextTime, this.#nextTime + QUIET_STEPS);
    while ((times.at(-1) as number) >= untilMs) times.pop();
    this.#house.clock.stepTo(times.at(-1) as number);
    await this.#house.session.steps(times);
    this.#nextTime += times.length;
    this.#tell();
  }

  async #stepOnce(gridMs: number): Promise<void> {
    const batch = this.#batches[this.#nextBatch];
    const isPlacing = batch !== undefined && batch.atMs < gridMs + GRID_MS;
    const toMs = isPlacing ? Math.max(batch.atMs, gridMs) : gridMs;
    // The writer makes up for the grid times of a minute at most.
    for (let ms = this.#house.clock.targetMs + LEAP_MS; ms < toMs; ms += LEAP_MS)
      await this.#house.stepTo(ms);
    await this.#house.stepTo(toMs);
    while ((this.#times[this.#nextTime] ?? Number.POSITIVE_INFINITY) <= gridMs) this.#nextTime += 1;
    if (this.#carryMs !== null && this.#carryMs <= gridMs) this.#carryMs = null;
    // One grid time later the log has passed the settlement time: no entry at or before it can still arrive.
    if (this.#due.delete(gridMs) && gridMs % 1000 === GRID_MS) await this.#settle();
    if (isPlacing) {
      this.#nextBatch += 1;
      await this.#place(batch, gridMs);
    }
    this.#tell();
  }

  async #place(batch: PlannedBatch, gridMs: number): Promise<void> {
    let requests = await batch.requests(this.#house);
    let isAccepted = false;
    for (let tries = PLACE_TRIES; requests.length > 0 && tries > 0; tries -= 1) {
      // The clock ran on meanwhile, and an order needs a price of the last half second.
      const startedMs = performance.now();
      await this.#house.session.step();
      const answers: readonly PlacementAnswer[] = await this.#house.place(requests);
      if (performance.now() - startedMs <= SLOW_MS) tries = 1;
      isAccepted ||= answers.some(({ kind }) => kind !== 'refused');
      const refused = requests.flatMap((request, place) => {
        const answer = answers[place] as PlacementAnswer;
        return answer.kind === 'refused' ? [{ request, code: answer.code }] : [];
      });
      requests = refused.map(({ request }) => request);
      if (tries === 1) this.#refusals.push(...refused.map(({ code }) => ({ atMs: batch.atMs, code })));
    }
    // A batch without an order has no number.
    if (!isAccepted) return;
    const { rows } = await this.#house.db.server.query<{ accepted: string; opens: string; settles: string }>(
      `select b.accepted_at_ms as accepted, o.opens_at_ms as opens, o.settles_at_ms as settles
       from order_batches b join orders o on batch_of(o.id) = b.number
       where b.number = (select max(number) from order_batches)`,
    );
    for (const { accepted, opens, settles } of rows) {
      this.#carryMs = Math.max(gridUp(Number(accepted)), gridMs + GRID_MS);
      for (const fixMs of [Number(opens), Number(settles)]) this.#due.add(fixMs).add(fixMs + GRID_MS);
    }
  }

  async #settle(): Promise<void> {
    await this.#house.settle();
    await advanceSettlementHead(this.#house.db.server);
  }

  /** Reports progress. */
  #tell(): void {
    this.#steps += 1;
    if (this.#steps % 500 === 0) this.#onProgress(this.#nextTime / this.#times.length);
  }
}

/** All orders of a run, drawn from a seed, so that every run of a recording is the same except for milliseconds. */
export interface OrderPlan {
  readonly batches: readonly PlannedBatch[];
  /** The total number of orders. */
  readonly orders: number;
}

const CYCLES = [1, 3, 5] as const;
const LONG_CYCLES = [15, 30, 60] as const;
/** Minimum distance between batches, so that each has an acceptance of its own. */
const APART_MS = 1_000;

/**
 * Places half of the batches at random times of the recording and half shortly before a quote, so that orders also open in a
 * sparse recording. Every customer buys once in each batch.
 * @param planned planned times of the quotes, ascending
 */
export function planOrders(
  symbol: string,
  planned: readonly number[],
  options: { batches: number; customers: number; seed: number },
): OrderPlan {
  const source = new Random(options.seed);
  const random = () => source.next();
  const [first, last] = [planned[0] as number, planned.at(-1) as number];
  const moments: number[] = [];
  for (let place = 0; place < options.batches; place += 1) {
    const quote = planned[Math.floor(random() * planned.length)] as number;
    const anyMs = first + random() * (last - first);
    moments.push(Math.floor(place % 2 === 0 ? anyMs : Math.max(first, quote - random() * 4_000)));
  }
  moments.sort((a, b) => a - b);
  const apart = moments.filter(
    (atMs, place) => place === 0 || atMs - (moments[place - 1] as number) >= APART_MS,
  );
  const batches = apart.map((atMs) => {
    // Longer cycles only where they can settle within the recording; the short ones may outlive it.
    const cycles = [...CYCLES, ...LONG_CYCLES.filter((minutes) => atMs + minutes * 60_000 < last)];
    const wishes = Array.from({ length: options.customers }, () => ({
      symbol,
      direction: random() < 0.5 ? ('up' as const) : ('down' as const),
      minutes: cycles[Math.floor(random() * cycles.length)] as number,
      // Six decimals, so that rounding the payout down makes a difference.
      amount: (10 + random() * 30).toFixed(6),
    }));
    return { atMs, wishes };
  });
  const customers: string[] = [];
  return {
    orders: apart.length * options.customers,
    batches: batches.map(({ atMs, wishes }) => ({
      atMs,
      requests: async (house) => {
        while (customers.length < options.customers) customers.push(await house.customer());
        return wishes.map((wish, place) => house.request(customers[place] as string, wish));
      },
    })),
  };
}
