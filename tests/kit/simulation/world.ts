import { sqlState, UnknownOutcomeError } from '../../../apps/server/src/db/database.ts';
import { RunningClock } from '../../../apps/server/src/market-data/log/log-clock.ts';
import { readLogHead } from '../../../apps/server/src/market-data/log/log-head.ts';
import { LogSession } from '../../../apps/server/src/market-data/log/log-session.ts';
import { SessionClock } from '../../../apps/server/src/market-data/session-clock.ts';
import {
  type OrderRequest,
  type PlacementAnswer,
  placeOrders,
} from '../../../apps/server/src/orders/place-orders.ts';
import {
  advanceSettlementHead,
  FROM_THE_MARK,
  type Lane,
  type SettlementParts,
  settleDueOrders,
  voidUnopenedOrders,
} from '../../../apps/server/src/orders/settle-orders.ts';
import { FragilePool } from '../database/pools.ts';
import type { Random } from '../hostile/random.ts';
import { makeClockStandStill } from '../installation/clocks.ts';
import { House } from '../installation/house.ts';
import { ManualFeed } from '../installation/manual-feed.ts';
import { keysOf, takeLease } from '../installation/writers.ts';
import { Market, MarketFeed, RULES, SYMBOLS } from './market.ts';

/** A whole second, on the grid. */
const START_MS = Date.UTC(2026, 5, 1, 12, 0, 0);
/** A clock set back by a second, plus one. */
const MAX_WAKING_STEPS = 6;

/** What became of a request, as its customer knows it. */
export interface Journalled {
  readonly request: OrderRequest;
  state: 'accepted' | 'refused' | 'unknown';
  orderId: number;
}

/**
 * The house on a real database, and around it everything that happens by itself elsewhere: two clocks, processes that work,
 * die and are paused, customers. Nothing moves but by a call, and no call depends on how fast this machine is.
 */
export class World {
  readonly house: House;
  readonly market: Market;
  readonly journal: Journalled[] = [];
  /** Breaks for whoever works next. */
  readonly fragile: FragilePool;
  readonly #setClock: (ms: number) => Promise<void>;
  /** A clock that can't be set: ms since the beginning. */
  #monotonicMs = 0;
  /** The database's clock less the true time. */
  #skewMs = 0;
  #writer: LogSession | null = null;

  private constructor(house: House, market: Market, setClock: (ms: number) => Promise<void>) {
    this.house = house;
    this.market = market;
    this.fragile = new FragilePool(house.db.server);
    this.#setClock = setClock;
  }

  static async open(random: Random): Promise<World> {
    const house = await House.open(new ManualFeed(RULES), START_MS);
    const setClock = await makeClockStandStill(house);
    // From here on the database's clock is the simulation's, and so no offset is left over from the true one.
    await setClock(START_MS);
    await house.db.owner.query('update log_head set offset_ms = 0');
    const market = new Market(
      SYMBOLS.map((symbol) => house.product(symbol)),
      random,
    );
    return new World(house, market, setClock);
  }

  get isWriting(): boolean {
    return this.#writer !== null;
  }

  async pass(ms: number): Promise<void> {
    this.#monotonicMs += ms;
    await this.#showTime();
  }

  /** Somebody sets the database's clock. */
  async setClockBy(ms: number): Promise<void> {
    this.#skewMs += ms;
    await this.#showTime();
  }

  async logTimeMs(): Promise<number> {
    return (await readLogHead(this.house.db.owner)).timeMs;
  }

  /** A writer takes the lease from whoever had it. */
  async startWriter(): Promise<void> {
    const { db, products } = this.house;
    const epoch = await takeLease(db.server);
    const clockOf = (offsetMs: number) => {
      const running = new RunningClock(offsetMs);
      return {
        read: ({ databaseMs }: { databaseMs: number }, floorMs: number) =>
          running.read({ databaseMs, sentMs: this.#monotonicMs, receivedMs: this.#monotonicMs }, floorMs),
        msUntil: () => 0,
      };
    };
    this.#writer = await LogSession.open(this.fragile.pool, {
      feed: new MarketFeed(this.market),
      products,
      sessions: new SessionClock(),
      signer: keysOf(this.house).checkpoints,
      epoch,
      clockOf,
    });
  }

  /** One step of the log; a writer that meets a mishap is dead. */
  async write(): Promise<void> {
    const writer = this.#writer;
    if (!writer) return;
    await this.#survived(
      () => writer.step(),
      () => {
        this.#writer = null;
      },
    );
  }

  killWriter(): void {
    this.#writer = null;
  }

  /** Another writer begins while the old one is paused; that one then wakes, and must not get a word in. */
  async overtakeWriter(): Promise<void> {
    const paused = this.#writer;
    await this.startWriter();
    await this.pass(300);
    await this.write();
    if (!paused) return;
    const { size } = await readLogHead(this.house.db.owner);
    // Where the clock was set back by less than a second its time stands still, and it has nothing to write until that is over.
    let refusal: string | null = null;
    for (let tries = 0; refusal === null && tries < MAX_WAKING_STEPS; tries += 1) {
      if (tries > 0) await this.pass(300);
      refusal = await paused.step().then(
        () => null,
        (error: unknown) => sqlState(error) ?? String(error),
      );
      const after = await readLogHead(this.house.db.owner);
      if (after.size !== size) throw new Error('a paused writer woke up and wrote');
    }
    if (refusal !== 'FT020') throw new Error(`a paused writer woke up and was told ${refusal}`);
  }

  /** A batch, as an API process places it. What it answers is noted as its customers would. */
  async place(entries: readonly Journalled[], pool = this.fragile.pool): Promise<void> {
    let answers: PlacementAnswer[] | null = null;
    await this.#survived(
      async () => {
        answers = await placeOrders(
          { ...this.house.placement, pool },
          entries.map(({ request }) => request),
        );
      },
      () => {},
    );
    for (const [at, entry] of entries.entries()) note(entry, answers?.[at] ?? null);
  }

  /** What an engine does in one turn, with chunks of this size; it dies of a mishap and is started anew. */
  async settle(limit: number, pool = this.fragile.pool): Promise<number> {
    const parts = { pool, reader: this.house.reader, rules: this.house.rules };
    let settled = 0;
    await this.#survived(
      async () => {
        settled += await voidUnopenedOrders(parts);
        for (const lane of LANES) settled += await settleLane(parts, lane, limit);
        await advanceSettlementHead(pool);
        await pool.query('select roll_up_house()');
      },
      () => {},
    );
    return settled;
  }

  /** The customer sets a limit that refuses nothing: what is done is counted from here on, and what was done this month. */
  async limit(customer: string): Promise<void> {
    const session = Buffer.from(customer.padStart(32, '0'));
    await this.house.db.owner.query(
      `insert into sessions (customer_id, token_hash, fresh_until, user_agent) values ($1, $2, now(), 'simulated')
       on conflict do nothing`,
      [customer, session],
    );
    const { rows } = await this.house.db.owner.query<{ refused: string | null }>(
      `select limit_set($1, 1::smallint, 'loss', 'month', 1e15::bigint) as refused`,
      [session],
    );
    if (rows[0]?.refused) throw new Error(`a limit was refused: ${rows[0].refused}`);
  }

  close(): Promise<void> {
    return this.house.close();
  }

  async #showTime(): Promise<void> {
    await this.#setClock(START_MS + this.#monotonicMs + this.#skewMs);
  }

  /** Runs work that may meet a planned mishap, and nothing else. */
  async #survived(work: () => Promise<unknown>, onDeath: () => void): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isCut(error)) throw error;
      onDeath();
    } finally {
      this.fragile.calm();
    }
  }
}

/** As the engine has them: each has customers of its own. */
const LANES: readonly Lane[] = [0, 1].map((number) => ({ number, count: 2 }));

/** One lane's orders, chunk after chunk, each looked for where the one before it ended. */
async function settleLane(parts: SettlementParts, lane: Lane, limit: number): Promise<number> {
  let all = 0;
  for (let from = FROM_THE_MARK; ; ) {
    const { settled, next } = await settleDueOrders(parts, { limit, lane, from });
    all += settled;
    if (settled < limit) return all;
    from = next;
  }
}

/** An answer as its customer takes it: none at all says nothing. An accepted order is never taken back. */
function note(entry: Journalled, answer: PlacementAnswer | null): void {
  if (entry.state === 'accepted') {
    if (answer === null) return;
    const isIt = answer.kind === 'accepted' || (answer.kind === 'known' && answer.isSame);
    if (isIt && answer.orderId === entry.orderId) return;
    throw new Error(`order ${entry.orderId} was accepted; asked again it is ${JSON.stringify(answer)}`);
  }
  if (answer === null) entry.state = 'unknown';
  else if (answer.kind === 'refused') entry.state = 'refused';
  else {
    if (answer.kind === 'known' && !answer.isSame)
      throw new Error(`another request has the key: ${answer.orderId}`);
    entry.state = 'accepted';
    entry.orderId = answer.orderId;
  }
}

/** The connection was cut, as planned; any other error is a fault. */
function isCut(error: unknown): boolean {
  if (error instanceof UnknownOutcomeError) return true;
  if (sqlState(error) === '57P01') return true;
  return (
    error instanceof Error &&
    /connection (error|terminated)|terminated unexpectedly|not queryable/i.test(error.message)
  );
}
