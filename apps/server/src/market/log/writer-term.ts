import { points } from '@fairtick/money';
import type { NoteSigner } from '@fairtick/proof';
import { type GapReason, GRID_MS } from '@fairtick/trading';
import { type Pool, type Queryable, transaction } from '../../platform/db/database.ts';
import type { Feed } from '../feeds/feed.ts';
import { LONGEST_CYCLE_MS } from '../product-rules.ts';
import type { Products } from '../products.ts';
import { type LoggedRules, RuleBook } from '../rule-book.ts';
import { initialState, TickWriter, type WaitingBatch } from '../tick-writer.ts';
import type { TradingCalendar } from '../trading-calendar.ts';
import type { ProductState } from './draft.ts';
import type { LogClock, LogTime } from './log-clock.ts';
import { LogDraft } from './log-draft.ts';
import { readLogHead } from './log-head.ts';
import { LogWriter } from './log-writer.ts';
import { readOwedTexts } from './owed-texts.ts';
import { readApproved, rulesOwed } from './rules-owed.ts';

/** How many batches one `orders` entry may carry. */
const MAX_BATCHES = 1_000;
/** How often the feed gets the busy products, and announcements are read. */
const HOUSEKEEPING_MS = 1_000;

/** After a stall, settlement times further back than this are not looked up: any later tick serves them. */
const MAX_DUE_SECONDS = 60;

interface Facts {
  readonly databaseMs: number;
  readonly batches: readonly WaitingBatch[];
  readonly due: ReadonlySet<number>;
}

/**
 * One writer term of the log, from taking the lease to losing it: reads pending facts, has the tick writer make entries of them,
 * and appends. All its state was read from the database at the start or written there since.
 */
export class WriterTerm {
  readonly #pool: Pool;
  readonly #feed: Feed;
  readonly #clock: LogClock;
  readonly #writer: LogWriter;
  readonly #ticks: TickWriter;
  readonly #states: Map<number, ProductState>;
  /** Rules that are logged but not in force yet. */
  #pendingRules: LoggedRules[] = [];
  #time: LogTime;
  #gridMs: number;
  #housekeptMs = 0;
  #hasStarted = false;
  /** The database's clock was set, and no entry has recorded it yet. */
  #hasStepped = false;

  private constructor(parts: {
    pool: Pool;
    feed: Feed;
    clock: LogClock;
    writer: LogWriter;
    ticks: TickWriter;
    states: Map<number, ProductState>;
    timeMs: number;
    offsetMs: number;
  }) {
    this.#pool = parts.pool;
    this.#feed = parts.feed;
    this.#clock = parts.clock;
    this.#writer = parts.writer;
    this.#ticks = parts.ticks;
    this.#states = parts.states;
    this.#time = { timeMs: parts.timeMs, offsetMs: parts.offsetMs, hasStepped: false };
    // The last grid time may have its entries already.
    this.#gridMs = gridAtOrBefore(parts.timeMs);
  }

  /** Starts a writer term under a lease that the caller has just taken. */
  static async open(
    pool: Pool,
    options: {
      feed: Feed;
      products: Products;
      calendar: TradingCalendar;
      signer: NoteSigner;
      epoch: number;
      clockOf: (offsetMs: number) => LogClock;
    },
  ): Promise<WriterTerm> {
    const { feed, products, calendar, signer, epoch } = options;
    const head = await readLogHead(pool);
    const session = new WriterTerm({
      pool,
      feed,
      clock: options.clockOf(head.offsetMs),
      writer: new LogWriter(pool, head, { epoch, signer }),
      ticks: new TickWriter({ feed, products, calendar }),
      states: await readStates(pool, products),
      timeMs: head.timeMs,
      offsetMs: head.offsetMs,
    });
    await session.#begin(products);
    return session;
  }

  /** The log's time of the last append. */
  get timeMs(): number {
    return this.#time.timeMs;
  }

  get size(): number {
    return this.#writer.size;
  }

  /** Time until the next grid time, ms. */
  msUntilNextStep(): number {
    return this.#clock.msUntil(this.#gridMs + GRID_MS, performance.now());
  }

  /**
   * Writes the entries of the current grid time; does nothing when they are written already.
   * @throws DatabaseError LEASE_LOST when the lease is lost
   */
  async step(): Promise<void> {
    const sentMs = performance.now();
    const facts = await this.#readFacts();
    const time = this.#clock.read(
      { databaseMs: facts.databaseMs, sentMs, receivedMs: performance.now() },
      this.#time.timeMs,
    );
    // Kept until it is written: a step may be noticed in a call that writes nothing.
    this.#hasStepped ||= time.hasStepped;
    const gridMs = gridAtOrBefore(time.timeMs);
    if (gridMs <= this.#gridMs) return;
    const isOnTime = gridMs === this.#gridMs + GRID_MS;
    const due = isOnTime ? facts.due : await this.#readDue(gridMs);
    await this.#keepHouse(gridMs);
    const draft = new LogDraft(this.#states, this.#writer.size);
    this.#adoptRules(draft, gridMs);
    if (this.#hasStarted) {
      this.#ticks.addStep(draft, gridMs, { batches: facts.batches, due, hasStepped: this.#hasStepped });
    } else {
      this.#ticks.addRestart(draft, gridMs);
    }
    await this.#append(draft, time);
    this.#hasStarted = true;
    this.#hasStepped = false;
    this.#gridMs = gridMs;
  }

  /**
   * Writes the entries of several grid times in one transaction, for recordings that are replayed at full speed.
   * @param times ascending, on the grid; the log's clock must be able to show the last of them
   */
  async steps(times: readonly number[]): Promise<void> {
    const sentMs = performance.now();
    const facts = await this.#readFacts();
    const time = this.#clock.read(
      { databaseMs: facts.databaseMs, sentMs, receivedMs: performance.now() },
      this.#time.timeMs,
    );
    const draft = new LogDraft(this.#states, this.#writer.size);
    for (const gridMs of times) {
      this.#adoptRules(draft, gridMs);
      const batches = gridMs === times[0] ? facts.batches : [];
      this.#ticks.addStep(draft, gridMs, { batches, due: new Set(), hasStepped: false });
    }
    await this.#append(draft, time);
    this.#gridMs = times.at(-1) ?? this.#gridMs;
  }

  /** Logs the feed's rules that are new or have changed, and adopts those in force. */
  async #begin(products: Products): Promise<void> {
    // Counted from now, not from the last append, which may be days old: customers have not seen these rules yet.
    const nowMs = await this.#readClock();
    // The first rules of a scope take effect at once; rules that follow them can be logged only after them.
    for (let round = 0; round < 2; round += 1) {
      const draft = new LogDraft(this.#states, this.#writer.size);
      for (const owed of await rulesOwed(this.#pool, this.#feed, products)) {
        const { productId, scope, json, afterMs } = owed;
        const effectiveMs =
          afterMs === null ? nowMs : Math.max(nowMs + LONGEST_CYCLE_MS + HOUSEKEEPING_MS, afterMs + 1);
        draft.addRules(productId, { timeMs: this.#time.timeMs, scope, effectiveMs, json });
      }
      if (draft.entries.length === 0) break;
      await this.#append(draft, this.#time);
    }
    await this.#takeUpRules(nowMs);
  }

  /** The log's current time, without an append. */
  async #readClock(): Promise<number> {
    const sentMs = performance.now();
    const { databaseMs } = await this.#readFacts();
    const sample = { databaseMs, sentMs, receivedMs: performance.now() };
    return this.#clock.read(sample, this.#time.timeMs).timeMs;
  }

  /**
   * Reads the rules of this feed that are in force, and the future ones. Rules whose payouts were replaced while the product had
   * another feed are left out: the product has no price until their successors take effect.
   */
  async #takeUpRules(timeMs: number): Promise<void> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `select r.id from (
         select * from rules where entry like $1 and effective_ms > $2
         union all
         (select distinct on (product_id) * from rules where entry like $1 and effective_ms <= $2
          order by product_id, effective_ms desc, id desc)
       ) r where payout_part(rules_json(r.entry)) = payouts_standing(r.product_id, greatest(r.effective_ms, $2))`,
      [`rules|1|${this.#feed.name}/%`, timeMs],
    );
    const book = await new RuleBook(this.#pool).getMany(rows.map((row) => Number(row.id)));
    this.#pendingRules = [...book.values()].sort((a, b) => a.effectiveMs - b.effectiveMs);
    const draft = new LogDraft(this.#states, this.#writer.size);
    this.#adoptRules(draft, timeMs);
    await this.#append(draft, this.#time);
  }

  #adoptRules(draft: LogDraft, timeMs: number): void {
    while (this.#pendingRules[0] && this.#pendingRules[0].effectiveMs <= timeMs) {
      const rules = this.#pendingRules.shift() as LoggedRules;
      this.#ticks.setRules(rules);
      if (draft.state(rules.productId).rulesId !== rules.id) draft.setRules(rules.productId, rules.id);
    }
  }

  async #append(draft: LogDraft, time: LogTime, db?: Queryable): Promise<void> {
    await this.#writer.append(draft.entries, { before: this.#states, after: draft.changed }, time, db);
    for (const state of draft.changed) this.#states.set(state.productId, state);
    this.#time = time;
  }

  /** Once a second: gives the feed the busy products, and logs approved changes, owed texts and announcements. */
  async #keepHouse(gridMs: number): Promise<void> {
    if (gridMs - this.#housekeptMs < HOUSEKEEPING_MS) return;
    this.#housekeptMs = gridMs;
    this.#feed.setBusy(await readBusyProducts(this.#pool, gridMs));
    await this.#logApproved(gridMs);
    await this.#logOwedTexts();
    const announcement = await this.#feed.announcement(gridMs);
    if (!announcement) return;
    const draft = new LogDraft(this.#states, this.#writer.size);
    for (const text of announcement.texts) draft.addText(this.#time.timeMs, text);
    await transaction(this.#pool, async (client) => {
      await announcement.mark(client);
      await this.#append(draft, this.#time, client);
    });
  }

  /** Logs changes that two people have agreed on, long before they take effect. */
  async #logApproved(gridMs: number): Promise<void> {
    const draft = new LogDraft(this.#states, this.#writer.size);
    for (const { productId, scope, effectiveMs, json } of await readApproved(this.#pool, this.#feed.name))
      draft.addRules(productId, { timeMs: this.#time.timeMs, scope, effectiveMs, json });
    if (draft.entries.length === 0) return;
    await this.#append(draft, this.#time);
    await this.#takeUpRules(gridMs);
  }

  /** Logs the texts that other processes have prepared. */
  async #logOwedTexts(): Promise<void> {
    for (const { text, logged } of await readOwedTexts(this.#pool, this.#time.timeMs)) {
      const draft = new LogDraft(this.#states, this.#writer.size);
      draft.addText(this.#time.timeMs, text);
      const index = this.#writer.size;
      await transaction(this.#pool, async (client) => {
        await this.#append(draft, this.#time, client);
        await logged(client, index);
      });
    }
  }

  async #readFacts(): Promise<Facts> {
    const { rows } = await this.#pool.query<{
      db_ms: number;
      due: number[] | null;
      batches: BatchRow[] | null;
    }>({
      name: 'log-facts',
      text: `select (extract(epoch from clock_timestamp()) * 1000)::float8 as db_ms,
        orders_due_products($1) as due,
        (select jsonb_agg(jsonb_build_array(number, accepted_at_ms, accepted, refused, encode(root, 'hex')) order by number)
         from (select * from order_batches where number > $2 order by number limit $3) b) as batches`,
      values: [this.#dueSeconds(this.#gridMs + GRID_MS), this.#writer.lastBatch, MAX_BATCHES],
    });
    const row = rows[0];
    if (!row) throw new Error('no facts');
    return {
      databaseMs: row.db_ms,
      due: new Set(row.due ?? []),
      batches: (row.batches ?? []).map(([number, acceptedAtMs, accepted, refused, root]) => ({
        number,
        acceptedAtMs,
        accepted,
        refused,
        root: Buffer.from(root, 'hex'),
      })),
    };
  }

  /** Products with orders whose settlement time this step is the first to reach or pass. */
  async #readDue(gridMs: number): Promise<ReadonlySet<number>> {
    const { rows } = await this.#pool.query<{ due: number[] | null }>({
      name: 'log-due',
      text: `select orders_due_products($1) as due`,
      values: [this.#dueSeconds(gridMs)],
    });
    return new Set(rows[0]?.due ?? []);
  }

  /** Whole seconds after the last grid time but one, up to this grid time. */
  #dueSeconds(gridMs: number): number[] {
    const seconds: number[] = [];
    const fromMs = Math.max(this.#gridMs - GRID_MS, gridMs - MAX_DUE_SECONDS * 1000);
    for (let second = gridMs - (gridMs % 1000); second > fromMs; second -= 1000) seconds.push(second);
    return seconds;
  }
}

type BatchRow = [number, number, number, number, string];

function gridAtOrBefore(timeMs: number): number {
  return timeMs - (timeMs % GRID_MS);
}

/** Products that are being watched or that have unsettled orders. */
async function readBusyProducts(db: Queryable, timeMs: number): Promise<Set<number>> {
  const { rows } = await db.query<{ product_id: number }>({
    name: 'busy-products',
    text: `select product_id from watched_products where until > now()
      union select product_id from busy_products where until_ms >= $1`,
    values: [timeMs],
  });
  return new Set(rows.map((row) => row.product_id));
}

type StateRow = {
  product_id: number;
  last_n: string;
  tick_n: string | null;
  tick_ms: string | null;
  tick_price: string | null;
  tick_index: string | null;
  gap_reason: GapReason | null;
  gap_ms: string | null;
  orders_from_ms: string | null;
  rules_id: string | null;
};

async function readStates(db: Queryable, products: Products): Promise<Map<number, ProductState>> {
  const { rows } = await db.query<StateRow>('select * from product_states');
  const states = new Map(products.all.map((product) => [product.id, initialState(product.id)]));
  for (const row of rows) {
    states.set(row.product_id, {
      productId: row.product_id,
      lastN: Number(row.last_n),
      tick:
        row.tick_n === null
          ? null
          : {
              n: Number(row.tick_n),
              timeMs: Number(row.tick_ms),
              price: points(BigInt(row.tick_price as string)),
              index: Number(row.tick_index),
            },
      gap: row.gap_reason === null ? null : { reason: row.gap_reason, timeMs: Number(row.gap_ms) },
      ordersFromMs: row.orders_from_ms === null ? null : Number(row.orders_from_ms),
      rulesId: row.rules_id === null ? null : Number(row.rules_id),
    });
  }
  return states;
}
