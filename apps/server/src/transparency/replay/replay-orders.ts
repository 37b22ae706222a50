import { formatDecimal, minor, payoutFloor } from '@fairtick/money';
import { type BatchFault, parseEntry, Replay, type Replayed, type ReplayGroup } from '@fairtick/proof';
import { hasRecord, type ProductRules, payoutRateOf, type Result, voidPayout } from '@fairtick/trading';
import { readLogHead } from '../../market/log/log-head.ts';
import { LogReader } from '../../market/log/log-reader.ts';
import { Products } from '../../market/products.ts';
import { RuleBook } from '../../market/rule-book.ts';
import { TradingHours } from '../../market/trading-hours.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { type LedgerOrder, ledgerOrders } from './ledger-orders.ts';
import { replayedLog } from './replayed-log.ts';

export interface ReplayReport {
  /** Log entries that were read. */
  readonly entries: number;
  /** Orders whose outcome in the log equals the one in the ledger. */
  readonly same: number;
  /** Orders that the log has not decided yet and that are open in the ledger. */
  readonly open: number;
  /** Orders that the log has decided and the engine has not settled yet. */
  readonly due: number;
  readonly voids: number;
  readonly differing: number;
  /** The first differences. */
  readonly differences: readonly Difference[];
  /** Batches of acceptances that the lines read carry twice, or pass over. */
  readonly batchFaults: readonly BatchFault[];
  /** What the log decides of an order that was replayed alone; null: it decides nothing yet, or more orders were replayed. */
  readonly decided: DecidedOrder | null;
}

export interface DecidedOrder {
  readonly orderId: number;
  readonly result: Result;
  readonly voidReason: string | null;
  readonly opening: DecidingPrice | null;
  readonly settlement: DecidingPrice | null;
}

/** A price of a whole second, with the entry of the log that states it and what each source had on record. */
export interface DecidingPrice {
  readonly index: number;
  readonly fixMs: number;
  readonly price: string;
  readonly records: readonly {
    readonly source: string;
    /** Whether the record counts, or why it does not. */
    readonly use: string;
    readonly record: { readonly number: string; readonly timeMs: number; readonly price: string } | null;
  }[];
}

export interface Difference {
  readonly orderId: number;
  readonly what: string;
  readonly byLog: string;
  readonly inLedger: string;
}

type Group = ReplayGroup & { readonly orders: LedgerOrder[] };

const SHOWN = 100;
/** Time that the engine may take to settle a due order, by the log's clock. More is a difference. */
const ENGINE_MS = 60_000;

/**
 * Settles orders again from the log's lines and compares with the ledger: outcome, prices, payout and postings.
 * @param db one connection, in a transaction of one snapshot
 */
export async function replayOrders(
  db: Queryable,
  range: { readonly first: number; readonly last: number },
): Promise<ReplayReport> {
  const rules = new RuleBook(db);
  const reader = new LogReader(db, await Products.load(db), rules);
  const { size, timeMs } = await readLogHead(db);
  const comparison = new Comparison(timeMs, await readUncorrected(db, timeMs));
  const replay = new Replay<Group>();
  const source = new GroupSource(ledgerOrders(db, range), rules, comparison);
  const isAlone = range.first === range.last;
  let decided: DecidedOrder | null = null;
  let entries = 0;
  const from = await source.nextLogSize();
  if (from === null) return comparison.report({ entries: 0, batchFaults: [], decided });
  const { rows } = await db.query<{ id: string; entry: string }>(
    'select id, entry from rules where id < $1',
    [from],
  );
  for (const { id, entry } of rows) replay.know(Number(id), entry);
  for await (const lines of replayedLog(reader, { from, size })) {
    replay.expect(await source.upTo(lines.from + lines.texts.length));
    for (const [at, text] of lines.texts.entries()) replay.add(lines.from + at, text);
    entries += lines.texts.length;
    for (const one of replay.take()) {
      comparison.compare(one);
      if (isAlone) decided = await decidedOrder(reader, one);
    }
    // A close may still make an order better that is decided.
    if (replay.waiting + replay.unclosed === 0 && (await source.nextLogSize()) === null) break;
  }
  return comparison.report({ entries, batchFaults: replay.batchFaults, decided });
}

async function decidedOrder(
  reader: LogReader,
  { group, results }: Replayed<Group>,
): Promise<DecidedOrder | null> {
  const [order] = group.orders;
  if (!order) return null;
  const { result, voidReason, open, settle } = results[order.direction];
  const [opening, settlement] = await Promise.all([open, settle].map((fix) => decidingPrice(reader, fix)));
  return {
    orderId: order.id,
    result,
    voidReason,
    opening: opening ?? null,
    settlement: settlement ?? null,
  };
}

async function decidingPrice(
  reader: LogReader,
  fix: { readonly index: number } | null,
): Promise<DecidingPrice | null> {
  if (fix === null) return null;
  const { index } = fix;
  const entry = parseEntry(await reader.text(index));
  if (entry?.kind !== 'fix' && entry?.kind !== 'close')
    throw new Error(`entry ${index} of the log states no price`);
  const text = (price: bigint) => formatDecimal(price, entry.decimals);
  const records = entry.records.map((listed) => {
    const { source, use } = listed;
    if (!hasRecord(listed)) return { source, use, record: null };
    const { number, timeMs, price } = listed.last;
    return { source, use, record: { number: String(number), timeMs, price: text(price) } };
  });
  return { index, fixMs: entry.fixMs, price: text(entry.price), records };
}

/** The ledger's orders as groups, in batch order, read as far as the log was replayed. */
class GroupSource {
  readonly #orders: AsyncGenerator<LedgerOrder[]>;
  readonly #rules: RuleBook;
  readonly #comparison: Comparison;
  #held: LedgerOrder[] = [];
  #isAtEnd = false;

  constructor(orders: AsyncGenerator<LedgerOrder[]>, rules: RuleBook, comparison: Comparison) {
    this.#orders = orders;
    this.#rules = rules;
    this.#comparison = comparison;
  }

  /** The log's size when the next order was accepted; null: there is no next order. */
  async nextLogSize(): Promise<number | null> {
    if (this.#held.length === 0) await this.#fetch();
    return this.#held[0]?.logSize ?? null;
  }

  /** Groups of orders that were accepted when the log was shorter than `index`. */
  async upTo(index: number): Promise<Group[]> {
    const taken: LedgerOrder[] = [];
    for (;;) {
      const end = this.#held.findIndex(({ logSize }) => logSize >= index);
      taken.push(...this.#held.splice(0, end < 0 ? this.#held.length : end));
      if (end >= 0 || this.#isAtEnd) break;
      await this.#fetch();
    }
    return this.#grouped(taken);
  }

  async #fetch(): Promise<void> {
    const { value, done } = await this.#orders.next();
    if (done) this.#isAtEnd = true;
    else this.#held.push(...value);
  }

  async #grouped(orders: readonly LedgerOrder[]): Promise<Group[]> {
    const book = await this.#rules.getMany(orders.map(({ rulesId }) => rulesId));
    const groups = new Map<string, Group>();
    for (const order of orders) {
      const rules = book.get(order.rulesId)?.rules;
      if (!rules) throw new Error(`order ${order.id} names rules that are not in the log`);
      this.#comparison.terms(order, rules);
      const { batch, symbol, opensAtMs, settlesAtMs } = order;
      const key = `${batch}:${symbol}:${opensAtMs}:${settlesAtMs}`;
      const known = groups.get(key);
      if (known) known.orders.push(order);
      else groups.set(key, { batch, symbol, opensAtMs, settlesAtMs, orders: [order] });
    }
    return [...groups.values()];
  }
}

/** Counts orders that match, and keeps the differences. */
class Comparison {
  readonly #logTimeMs: number;
  /** The indexes of new closes, which the engine may still have to look at. */
  readonly #uncorrected: ReadonlySet<number>;
  /** By order: those of its terms, and those of its outcome. */
  readonly #ofTerms = new Map<number, Difference[]>();
  readonly #ofOutcome = new Map<number, Difference[]>();
  #seen = 0;
  #due = 0;
  #voids = 0;
  readonly #undecided = new Map<number, LedgerOrder>();

  constructor(logTimeMs: number, uncorrected: ReadonlySet<number>) {
    this.#logTimeMs = logTimeMs;
    this.#uncorrected = uncorrected;
  }

  /** Compares the agreed terms: the signed acceptance, and what the rules that it names say. */
  terms(order: LedgerOrder, rules: ProductRules): void {
    const payoutRateBps = payoutRateOf(rules, order.minutes);
    const period = TradingHours.of(rules.schedule).periodAt(order.acceptedAtMs);
    if (period === null || (period.endMs !== null && order.settlesAtMs > period.endMs)) {
      const { acceptedAtMs, settlesAtMs } = order;
      const hours = period === null ? 'closed' : `until ${period.endMs}`;
      const times = `accepted at ${acceptedAtMs}, settles at ${settlesAtMs}`;
      differ(this.#ofTerms, order, 'trading hours', hours, times);
    }
    this.#seen += 1;
    this.#undecided.set(order.id, order);
    if (!order.isAsAccepted)
      differ(this.#ofTerms, order, 'terms', 'other terms in the signed batch', 'changed since');
    if (payoutRateBps !== order.payoutRateBps)
      differ(
        this.#ofTerms,
        order,
        'payout rate',
        payoutRateBps === null ? 'none' : `${payoutRateBps} / 10 000`,
        `${order.payoutRateBps} / 10 000`,
      );
  }

  /** Compares a group's outcome, again where a close made it better. */
  compare({ group, results }: Replayed<Group>): void {
    for (const order of group.orders) {
      const isNew = this.#undecided.delete(order.id);
      this.#ofOutcome.delete(order.id);
      const { result, voidReason, open, settle } = results[order.direction];
      if (isNew && voidReason !== null) this.#voids += 1;
      const { outcome } = order;
      if (outcome === null) {
        if (this.#logTimeMs - order.settlesAtMs > ENGINE_MS)
          this.#differ(order, 'outcome', result, 'not settled');
        else if (isNew) this.#due += 1;
        continue;
      }
      // The engine may not have looked at the close yet.
      if ([open, settle].some((fix) => fix && this.#uncorrected.has(fix.index))) continue;
      const stake = minor(order.stake);
      const credited = {
        profit: stake + payoutFloor(stake, order.payoutRateBps),
        none: voidReason === null ? stake : voidPayout(stake, voidReason),
        loss: 0n,
      }[result];
      const pairs: [string, string, string][] = [
        ['result', result, outcome.result],
        ['reason of the void', String(voidReason), String(outcome.voidReason)],
        ['credited', String(credited), String(outcome.credited)],
        ['paid', String(credited), String(order.paid)],
        ['opening price', words(open), words(outcome.open)],
        ['settlement price', words(settle), words(outcome.settle)],
      ];
      for (const [what, byLog, inLedger] of pairs)
        if (byLog !== inLedger) this.#differ(order, what, byLog, inLedger);
    }
  }

  report(read: Pick<ReplayReport, 'entries' | 'batchFaults' | 'decided'>): ReplayReport {
    for (const order of this.#undecided.values())
      if (order.outcome !== null) this.#differ(order, 'outcome', 'not decided yet', order.outcome.result);
    const open = [...this.#undecided.values()].filter(({ outcome }) => outcome === null).length;
    const differing = new Set([...this.#ofTerms.keys(), ...this.#ofOutcome.keys()]).size;
    return {
      ...read,
      same: this.#seen - open - this.#due - differing,
      open,
      due: this.#due,
      voids: this.#voids,
      differing,
      differences: [...this.#ofTerms.values(), ...this.#ofOutcome.values()].flat().slice(0, SHOWN),
    };
  }

  #differ(order: LedgerOrder, what: string, byLog: string, inLedger: string): void {
    differ(this.#ofOutcome, order, what, byLog, inLedger);
  }
}

function differ(
  all: Map<number, Difference[]>,
  { id }: LedgerOrder,
  what: string,
  byLog: string,
  inLedger: string,
): void {
  all.set(id, [...(all.get(id) ?? []), { orderId: id, what, byLog, inLedger }]);
}

const words = (stated: { readonly index: number; readonly price: bigint } | null): string =>
  stated === null ? 'none' : `${stated.price} (entry ${stated.index})`;

/** The indexes of closes with another price that the engine has not looked at, and that are not older than it may take. */
async function readUncorrected(db: Queryable, timeMs: number): Promise<ReadonlySet<number>> {
  const { rows } = await db.query<{ close_index: string }>(
    `select f.close_index from logged_fixes f join log_entries l on l.index = f.close_index
     where f.close_price <> f.price and not f.is_corrected and l.time_ms >= $1`,
    [timeMs - ENGINE_MS],
  );
  return new Set(rows.map((row) => Number(row.close_index)));
}

export function wordsOfBatchFault({ kind, firstBatch, lastBatch, index }: BatchFault): string {
  const what = kind === 'twice' ? 'carries again' : 'passes over';
  return `the orders entry at ${index} ${what} batches ${firstBatch} to ${lastBatch}`;
}
