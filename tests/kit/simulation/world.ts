import { readLogHead } from '../../../apps/server/src/market/log/log-head.ts';
import { RunningClock } from '../../../apps/server/src/market/writer/log-clock.ts';
import { WriterTerm } from '../../../apps/server/src/market/writer/writer-term.ts';
import { failureOf, UnknownOutcomeError } from '../../../apps/server/src/platform/db/database.ts';
import { placeOrders } from '../../../apps/server/src/trading/placement/place-orders.ts';
import type {
  OrderRequest,
  PlacementAnswer,
} from '../../../apps/server/src/trading/placement/placement-parts.ts';
import { settleLane } from '../../../apps/server/src/trading/settlement/settle-lanes.ts';
import {
  advanceSettlementHead,
  type Lane,
  voidUnopenedOrders,
} from '../../../apps/server/src/trading/settlement/settle-orders.ts';
import { FragilePool } from '../database/pools.ts';
import type { Random } from '../hostile/random.ts';
import { bindLogClock, makeClockStandStill } from '../installation/clocks.ts';
import { House } from '../installation/house.ts';
import { ManualFeed } from '../installation/manual-feed.ts';
import { keysOf, takeLease } from '../installation/writers.ts';
import { Market, MarketFeed, RULES, SYMBOLS } from './market.ts';

/** A whole second on the grid. */
const START_MS = Date.UTC(2026, 5, 1, 12, 0, 0);
/** Steps that outlast a clock set back by a second, plus one. */
const MAX_WAKING_STEPS = 6;

/** A request's outcome as its customer knows it. */
export interface Journalled {
  readonly request: OrderRequest;
  state: 'accepted' | 'refused' | 'unknown';
  orderId: number;
}

/**
 * An installation on a real database, and the events around it: two clocks, processes that work, die and are paused, customers.
 * Only calls change anything, and no call depends on this machine's speed.
 */
export class World {
  readonly house: House;
  readonly market: Market;
  readonly journal: Journalled[] = [];
  /** Its planned fault hits the next work on it. */
  readonly fragile: FragilePool;
  readonly #setClock: (ms: number) => Promise<void>;
  /** A clock that can't be set: ms since the start. */
  #monotonicMs = 0;
  /** The database's clock minus the true time. */
  #skewMs = 0;
  #writer: WriterTerm | null = null;

  private constructor(house: House, market: Market, setClock: (ms: number) => Promise<void>) {
    this.house = house;
    this.market = market;
    this.fragile = new FragilePool(house.db.server);
    this.#setClock = setClock;
  }

  static async open(random: Random): Promise<World> {
    const house = await House.open(new ManualFeed(RULES), START_MS);
    await bindLogClock(house.db);
    const setClock = await makeClockStandStill(house);
    // The database's clock is simulated from here on and equals the log's time, so the offset between them is 0.
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

  /** Sets the database's clock off by `ms` more. */
  async setClockBy(ms: number): Promise<void> {
    this.#skewMs += ms;
    await this.#showTime();
  }

  async logTimeMs(): Promise<number> {
    return (await readLogHead(this.house.db.owner)).timeMs;
  }

  /** A new writer takes the lease from the old one. */
  async startWriter(): Promise<void> {
    const { db, products } = this.house;
    const epoch = await takeLease(db.server);
    const clockOf = (offsetMs: number) => {
      const running = new RunningClock(offsetMs);
      return {
        read: ({ databaseMs }: { databaseMs: number }, floorMs: number) =>
          running.read({ databaseMs, sentMs: this.#monotonicMs, receivedMs: this.#monotonicMs }, floorMs),
        msUntil: () => 0,
        at: () => null,
      };
    };
    const open = () =>
      WriterTerm.open(this.fragile.pool, {
        feed: new MarketFeed(this.market),
        products,
        signer: keysOf(this.house).checkpoints,
        epoch,
        clockOf,
      });
    // A database's clock that was set back a little may be behind the log's last time: a term that begins then is refused at first.
    for (let tries = 1; ; tries += 1) {
      const opened = await open().catch((error: unknown) => {
        if (failureOf(error) !== 'LOG_AHEAD' || tries === MAX_WAKING_STEPS) throw error;
        return null;
      });
      this.#writer = opened;
      if (opened) return;
      await this.pass(300);
    }
  }

  /** One step of the log; a writer that meets a fault is dead, and one that was refused ends its term. */
  async write(): Promise<void> {
    const writer = this.#writer;
    if (!writer) return;
    await this.#survived(
      () =>
        writer.step().catch((error: unknown) => {
          if (failureOf(error) !== 'LOG_AHEAD') throw error;
          this.#writer = null;
        }),
      () => {
        this.#writer = null;
      },
    );
  }

  killWriter(): void {
    this.#writer = null;
  }

  /** Another writer starts while the old one is paused; the old one then wakes, and must not write. */
  async overtakeWriter(): Promise<void> {
    const paused = this.#writer;
    await this.startWriter();
    await this.pass(300);
    await this.write();
    if (!paused) return;
    const { size } = await readLogHead(this.house.db.owner);
    // If the clock was set back by less than a second, the log's time stands still, and the old writer has nothing to write until
    // that ends.
    let refusal: string | null = null;
    for (let tries = 0; refusal === null && tries < MAX_WAKING_STEPS; tries += 1) {
      if (tries > 0) await this.pass(300);
      refusal = await paused.step().then(
        () => null,
        (error: unknown) => failureOf(error) ?? String(error),
      );
      const after = await readLogHead(this.house.db.owner);
      if (after.size !== size) throw new Error('a paused writer woke up and wrote');
    }
    if (refusal !== 'LEASE_LOST') throw new Error(`a paused writer woke up and was told ${refusal}`);
  }

  /** Places a batch as an API process does, and records the answers as the customers would. */
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

  /** One turn of an engine, with chunks of this size; after a fault the engine dies and the next call starts a new one. */
  async settle(limit: number, pool = this.fragile.pool): Promise<number> {
    let settled = 0;
    await this.#survived(
      async () => {
        settled += await voidUnopenedOrders(pool);
        for (const lane of LANES)
          settled += await settleLane(pool, lane, { size: { now: async () => limit } });
        await advanceSettlementHead(pool);
        await pool.query('select roll_up_house()');
      },
      () => {},
    );
    return settled;
  }

  /** Sets a limit that refuses nothing: from here on the customer's orders are counted, those of this month included. */
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

  /** Runs work that may meet the planned fault; any other error is thrown. */
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

/** The engine's lanes: each has its own customers. */
const LANES: readonly Lane[] = [0, 1].map((number) => ({ number, count: 2 }));

/**
 * Records an answer in the customer's journal. Without an answer (null) an order that is not accepted yet becomes unknown.
 * @throws Error when an accepted order gets another answer later, or the key belongs to another request
 */
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

/** Whether the connection was cut as planned; any other error is a defect. */
function isCut(error: unknown): boolean {
  if (error instanceof UnknownOutcomeError) return true;
  if (failureOf(error) === '57P01') return true;
  return (
    error instanceof Error &&
    /connection (error|terminated)|terminated unexpectedly|not queryable/i.test(error.message)
  );
}
