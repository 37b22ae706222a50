import { formatEntry, type NoteSigner } from '@fairtick/proof';
import { GRID_MS, MOST_FIX_WAIT_MS } from '@fairtick/trading';
import { BY_NOTIFY } from '../../platform/bus/postgres-wire.ts';
import type { Notice, Wire } from '../../platform/bus/wire.ts';
import { type Pool, type Queryable, transaction } from '../../platform/db/database.ts';
import type { Feed, LatestQuotes } from '../feeds/feed.ts';
import { type LogHead, readLogHead } from '../log/log-head.ts';
import { LogReader } from '../log/log-reader.ts';
import { LONGEST_CYCLE_MS } from '../product-rules.ts';
import type { Products } from '../products.ts';
import { type LoggedRules, RuleBook } from '../rule-book.ts';
import { AwaySources } from './away-sources.ts';
import type { ProductState } from './draft-entry.ts';
import { FixWriter } from './fix-writer.ts';
import { type MissedTimes, missedTimes } from './grid-times.ts';
import { readLatestQuotes } from './latest-quotes.ts';
import type { LogClock, LogTime } from './log-clock.ts';
import { LogDraft } from './log-draft.ts';
import { LogWriter } from './log-writer.ts';
import { OpenFixes } from './open-fixes.ts';
import { addOrders } from './orders-entries.ts';
import { readOwedTexts } from './owed-texts.ts';
import { initialState, readStates } from './product-states.ts';
import { type OwedRules, readApproved, rulesOwed } from './rules-owed.ts';
import { SignedUpdates } from './signed-updates.ts';
import { type Facts, type OwedHalt, readFacts } from './step-facts.ts';
import type { StepMaker } from './step-maker.ts';
import { TickWriter } from './tick-writer.ts';

/** How often approved changes, owed texts, closes of fixes and announcements are logged. */
const HOUSEKEEPING_MS = 1_000;
/** How often the counts of prices are written. */
const COUNTS_MS = 10_000;
/** How many grid times one append writes, so that a writer that was late appends in several steps of bounded work. */
const GRID_TIMES_PER_APPEND = 20;

interface TermOptions {
  readonly feed: Feed;
  readonly products: Products;
  readonly signer: NoteSigner;
  readonly epoch: number;
  readonly clockOf: (offsetMs: number) => LogClock;
  readonly wire?: Pick<Wire, 'send'>;
  /** Where the wire carries ready steps. */
  readonly steps?: StepMaker | null;
}

/** What a step has still to write. */
type Waiting = Pick<Facts, 'batches' | 'due'>;

/**
 * One writer term of the log, from taking the lease to losing it: reads pending facts, has the tick writer make entries of them,
 * and appends. All its state was read from the database at the start or written there since.
 */
export class WriterTerm {
  /** Rules of the feed that wait for their effective time, as the operator is told at the start; null: none. */
  waiting: { readonly products: number; readonly untilMs: number } | null = null;
  readonly #pool: Pool;
  readonly #wire: Pick<Wire, 'send'>;
  readonly #steps: StepMaker | null;
  readonly #feed: Feed;
  readonly #clock: LogClock;
  readonly #writer: LogWriter;
  readonly #ticks: TickWriter;
  readonly #fixes: FixWriter;
  readonly #away: AwaySources;
  readonly #open: OpenFixes;
  readonly #updates: SignedUpdates;
  readonly #products: Products;
  readonly #states: Map<number, ProductState>;
  /** Rules that are logged but not in force yet. */
  #pendingRules: LoggedRules[] = [];
  #time: LogTime;
  /** The last grid time that is written. */
  #gridMs: number;
  #housekeptMs = 0;
  #countedMs = 0;
  /** The checkpoint that other processes were told of. */
  #toldMs = 0;
  /** The database's clock was set, and no entry has recorded it yet. */
  #hasStepped = false;

  private constructor(
    pool: Pool,
    { feed, products, signer, epoch, clockOf, wire = BY_NOTIFY, steps = null }: TermOptions,
    read: { head: LogHead; latest: LatestQuotes; away: AwaySources; states: Map<number, ProductState> },
  ) {
    const { head, latest, away, states } = read;
    this.#pool = pool;
    this.#wire = wire;
    this.#steps = steps;
    this.#feed = feed;
    this.#clock = clockOf(head.offsetMs);
    this.#writer = new LogWriter(pool, head, { epoch, signer });
    this.#ticks = new TickWriter({ feed, products, latest });
    this.#fixes = new FixWriter({ feed, products, away });
    this.#away = away;
    this.#open = new OpenFixes(pool, new LogReader(pool, products, new RuleBook(pool)));
    this.#updates = new SignedUpdates(feed);
    this.#products = products;
    this.#states = states;
    this.#time = { timeMs: head.timeMs, offsetMs: head.offsetMs, hasStepped: false };
    // No append moves the log's time past a grid time that is not written.
    this.#gridMs = gridAtOrBefore(head.timeMs);
  }

  /** Starts a writer term under a lease that the caller has just taken. */
  static async open(pool: Pool, options: TermOptions): Promise<WriterTerm> {
    const { feed, products } = options;
    await products.refresh(pool);
    const head = await readLogHead(pool);
    feed.adopt?.(head.timeMs);
    const latest = await readLatestQuotes(pool, products);
    feed.resume?.(latest);
    const away = await AwaySources.read(pool, feed);
    const states = await readStates(pool, products);
    const term = new WriterTerm(pool, options, { head, latest, away, states });
    await term.#begin();
    return term;
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
   * Writes the entries of all grid times up to now; does nothing when they are written already.
   * @throws DatabaseError LEASE_LOST when the lease is lost
   */
  async step(): Promise<void> {
    const { facts, time } = await this.#look();
    const gridMs = gridAtOrBefore(time.timeMs);
    if (gridMs <= this.#gridMs) return;
    // Before prices of this time: the secret of a simulated day is committed before it is used.
    await this.#keepHouse(gridMs);
    this.#feed.setBusy?.(facts.busy);
    const missed = missedTimes({
      afterMs: this.#gridMs,
      untilMs: gridMs,
      receivesSinceMs: this.#feed.receivesSinceMs,
    });
    const waiting = await this.#catchUp(missed, facts, time);
    await this.#write({ times: missed.times.slice(-GRID_TIMES_PER_APPEND), facts, waiting, time });
    this.#gridMs = gridMs;
  }

  /**
   * Writes the entries of several grid times in one transaction, for recordings that are replayed at full speed.
   * @param times ascending, on the grid; the log's clock must be able to show the last of them
   */
  async steps(times: readonly number[]): Promise<void> {
    const { facts, time } = await this.#look();
    await this.#write({ times, facts: { ...facts, busy: new Set() }, waiting: facts, time });
  }

  /** Stores what is counted so far. Call it at the end. */
  async close(): Promise<void> {
    await Promise.all([this.#ticks.counts.write(this.#pool), this.#updates.write(this.#pool)]);
  }

  async #look(): Promise<{ facts: Facts; time: LogTime }> {
    const sentMs = performance.now();
    const facts = await readFacts(this.#pool, { gridMs: this.#gridMs, batch: this.#writer.lastBatch });
    const sample = { databaseMs: facts.databaseMs, sentMs, receivedMs: performance.now() };
    const time = this.#clock.read(sample, this.#time.timeMs);
    // Kept until it is written: a step may be noticed in a call that writes nothing.
    this.#hasStepped ||= time.hasStepped;
    // Appends at the last time need the offset of the present clock, too.
    this.#time = { ...this.#time, offsetMs: time.offsetMs };
    return { facts, time };
  }

  /**
   * Writes the gaps of grid times that can't be written, and all but the last of those that were missed.
   * @returns what still waits
   */
  async #catchUp({ restartMs, lost, times }: MissedTimes, facts: Facts, time: LogTime): Promise<Waiting> {
    let waiting: Waiting = facts;
    if (restartMs !== null) {
      const draft = new LogDraft(this.#states, this.#writer.size);
      waiting = { ...waiting, batches: addOrders(draft, restartMs, waiting.batches) };
      this.#adoptRules(draft, restartMs);
      this.#ticks.addRestart(draft, restartMs, { ...facts, missing: lost });
      await this.#append(draft, { ...time, timeMs: restartMs, isBehind: true });
      this.#gridMs = restartMs;
      this.#hasStepped = false;
    }
    for (let at = 0; times.length - at > GRID_TIMES_PER_APPEND; at += GRID_TIMES_PER_APPEND) {
      const part = times.slice(
        at,
        Math.min(at + GRID_TIMES_PER_APPEND, times.length - GRID_TIMES_PER_APPEND),
      );
      const partial = { ...time, timeMs: part.at(-1) as number, isBehind: true };
      waiting = await this.#write({ times: part, facts: { ...facts, halts: [] }, waiting, time: partial });
    }
    return waiting;
  }

  /** Appends the entries of these grid times: of each its batches first, then rules, halts, ticks, absences, fixes. */
  async #write({
    times,
    facts,
    waiting,
    time,
  }: {
    times: readonly number[];
    facts: Facts;
    waiting: Waiting;
    time: LogTime & { readonly isBehind?: boolean };
  }): Promise<Waiting> {
    const draft = new LogDraft(this.#states, this.#writer.size);
    let { batches, due } = waiting;
    let halts: readonly (OwedHalt & { readonly index: number })[] = [];
    for (const gridMs of times) {
      batches = addOrders(draft, gridMs, batches);
      this.#adoptRules(draft, gridMs);
      if (gridMs === times.at(-1)) halts = facts.halts.map((halt) => this.#addHalt(draft, gridMs, halt));
      this.#ticks.addStep(draft, gridMs, { ...facts, hasStepped: this.#hasStepped });
      this.#away.add(draft, gridMs);
      due = this.#fixes.addDue(draft, gridMs, due);
      this.#hasStepped = false;
    }
    if (halts.length === 0) await this.#append(draft, time);
    else {
      await transaction(this.#pool, async (client) => {
        await this.#append(draft, time, client);
        for (const { n, haltId, isOn, index } of halts)
          await client.query('select halts_logged($1, $2, $3, $4)', [n, haltId, isOn, index]);
      });
    }
    await this.#tell();
    this.#updates.take(draft.entries);
    this.#gridMs = times.at(-1) ?? this.#gridMs;
    return { batches, due };
  }

  /** After the commit, which would hold NOTIFY's lock while a standby confirms it. Whoever misses the notice looks once a second. */
  async #tell(): Promise<void> {
    const payload = String(this.#writer.size);
    const { signedAtMs } = this.#writer;
    const notices: Notice[] = [{ channel: 'log', payload }];
    const step = this.#makeStep();
    if (step !== null) notices.unshift({ channel: 'steps', payload: step });
    if (signedAtMs > this.#toldMs) notices.push({ channel: 'checkpoints', payload });
    this.#toldMs = signedAtMs;
    await this.#wire.send(this.#pool, notices).catch(() => {});
  }

  /** An API process that gets none reads the entries. */
  #makeStep(): string | null {
    const { timeMs } = this.#time;
    const nowMs = Math.round(this.#clock.at(performance.now()) ?? timeMs);
    const { size, root } = this.#writer;
    return this.#steps?.make({ size, root, timeMs, nowMs }) ?? null;
  }

  #addHalt(draft: LogDraft, timeMs: number, halt: OwedHalt): OwedHalt & { readonly index: number } {
    const index = this.#writer.size + draft.entries.length;
    const { symbol } = halt;
    const entry = { timeMs, ...halt };
    draft.addText(
      timeMs,
      formatEntry(symbol === null ? { ...entry, kind: 'halt' } : { ...entry, kind: 'suspend', symbol }),
    );
    return { ...halt, index };
  }

  /** Logs the feed's rules that are new or have changed, and adopts those in force. */
  async #begin(): Promise<void> {
    // Counted from now, not from the last append, which may be days old: customers have not seen these rules yet.
    const { time } = await this.#look();
    const waitsUntilMs = time.timeMs + LONGEST_CYCLE_MS + HOUSEKEEPING_MS;
    await this.#logOwed(time.timeMs, waitsUntilMs);
    this.#fixes.addRules(await new RuleBook(this.#pool).since(time.timeMs - MOST_FIX_WAIT_MS));
    await this.#takeUpRules(time.timeMs);
    const late = this.#pendingRules.map((rules) => rules.effectiveMs);
    if (late.length > 0) this.waiting = { products: late.length, untilMs: Math.max(...late) };
  }

  /** Logs the rules that the feed brings: the first of each product, and changed ones from `changedMs` on; null: not these. */
  async #logOwed(timeMs: number, changedMs: number | null): Promise<void> {
    const parts = { feed: this.#feed, products: this.#products };
    await this.#logRules(await rulesOwed(this.#pool, parts, { nowMs: gridAtOrBefore(timeMs), changedMs }));
  }

  /** Takes up products that were added. */
  async #takeUpProducts(nowMs: number): Promise<void> {
    await this.#products.refresh(this.#pool);
    const added = this.#products.all.filter(({ id }) => !this.#states.has(id));
    if (added.length === 0) return;
    for (const { id } of added) this.#states.set(id, initialState(id));
    this.#feed.adopt?.(nowMs);
    await this.#logOwed(nowMs, null);
    await this.#takeUpRules(nowMs);
  }

  async #logRules(owed: readonly OwedRules[]): Promise<void> {
    if (owed.length === 0) return;
    const draft = new LogDraft(this.#states, this.#writer.size);
    for (const { productId, ...rules } of owed)
      draft.addRules(productId, { timeMs: this.#time.timeMs, ...rules });
    await this.#append(draft, this.#time);
  }

  /**
   * Reads the rules in force and the future ones. The first rules of a product are in force at once, others from the first grid time
   * at or after their effective time.
   */
  async #takeUpRules(timeMs: number): Promise<void> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `select r.id from product_states s join rules r using (product_id) left join rules c on c.id = s.rules_id
       where r.n >= coalesce(c.n, 0)`,
    );
    const book = await new RuleBook(this.#pool).getMany(rows.map((row) => Number(row.id)));
    const rules = [...book.values()].sort((a, b) => a.effectiveMs - b.effectiveMs || a.id - b.id);
    this.#fixes.addRules(rules);
    const draft = new LogDraft(this.#states, this.#writer.size);
    this.#pendingRules = rules.filter((one) => {
      const present = draft.state(one.productId).rulesId;
      if (present !== one.id && (present !== null || one.effectiveMs > timeMs)) return true;
      this.#adopt(draft, one);
      return false;
    });
    await this.#append(draft, this.#time);
  }

  #adoptRules(draft: LogDraft, timeMs: number): void {
    while (this.#pendingRules[0] && this.#pendingRules[0].effectiveMs <= timeMs)
      this.#adopt(draft, this.#pendingRules.shift() as LoggedRules);
  }

  #adopt(draft: LogDraft, rules: LoggedRules): void {
    this.#ticks.setRules(rules);
    if (draft.state(rules.productId).rulesId !== rules.id) draft.setRules(rules.productId, rules.id);
  }

  async #append(
    draft: LogDraft,
    time: LogTime & { readonly isBehind?: boolean },
    db?: Queryable,
  ): Promise<void> {
    const first = this.#writer.size;
    await this.#writer.append(draft.entries, { before: this.#states, after: draft.changed }, time, db);
    this.#steps?.add(first, draft.entries);
    for (const state of draft.changed) this.#states.set(state.productId, state);
    this.#time = time;
  }

  /** Logs the closes of fixes whose records are known to the end by now. */
  async #closeFixes(): Promise<void> {
    const { timeMs } = this.#time;
    const draft = new LogDraft(this.#states, this.#writer.size);
    this.#fixes.addCloses(draft, timeMs, await this.#open.next(timeMs));
    if (draft.entries.length === 0) return;
    await this.#append(draft, this.#time);
    this.#updates.take(draft.entries);
  }

  /** Once a second: takes up products, logs approved changes, owed texts, closes of fixes and announcements. */
  async #keepHouse(nowMs: number): Promise<void> {
    if (nowMs - this.#housekeptMs < HOUSEKEEPING_MS) return;
    this.#housekeptMs = nowMs;
    await this.#takeUpProducts(nowMs);
    await this.#logApproved(nowMs);
    await this.#logOwedTexts();
    await this.#closeFixes();
    await this.#updates.write(this.#pool);
    if (nowMs - this.#countedMs >= COUNTS_MS) {
      this.#countedMs = nowMs;
      await this.#ticks.counts.write(this.#pool);
    }
    const announcement = await this.#feed.announcement?.(nowMs);
    if (!announcement) return;
    const draft = new LogDraft(this.#states, this.#writer.size);
    for (const text of announcement.texts) draft.addText(this.#time.timeMs, text);
    await transaction(this.#pool, async (client) => {
      await announcement.mark(client);
      await this.#append(draft, this.#time, client);
    });
  }

  /** Logs changes that two people have agreed on, long before they take effect. */
  async #logApproved(nowMs: number): Promise<void> {
    const approved = await readApproved(this.#pool);
    if (approved.length === 0) return;
    await this.#logRules(approved);
    await this.#takeUpRules(nowMs);
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
}

function gridAtOrBefore(timeMs: number): number {
  return timeMs - (timeMs % GRID_MS);
}
