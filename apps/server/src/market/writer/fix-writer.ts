import type { FixEntry } from '@fairtick/proof';
import {
  type AbsentRecord,
  decideFix,
  type FixAnswer,
  isFixReady,
  isRecordClosed,
  type KnownRecord,
  laterRecords,
  MOST_FIX_WAIT_MS,
} from '@fairtick/trading';
import type { Feed } from '../feeds/feed.ts';
import type { Products } from '../products.ts';
import type { LoggedRules } from '../rule-book.ts';
import type { AwaySources } from './away-sources.ts';
import type { LogDraft } from './log-draft.ts';
import { isLoggable } from './loggable.ts';

/** Seconds of a product at which orders open or settle and that have no fix yet. */
export interface DueFixes {
  readonly productId: number;
  /** The number of the product's last fix; 0: it has none. */
  readonly lastN: number;
  /** Ascending, all after the last fix. */
  readonly times: readonly number[];
}

/** A fix in the log that has an open record and no `close` yet. */
export interface OpenFix {
  readonly productId: number;
  readonly fix: FixEntry;
}

/** A `close` is written this long before it may not be any more, with what is known then. */
const LAST_CLOSE_MS = 60_000;

/**
 * Writes the prices that open and settle orders. It keeps no state of the market: a fix is made of what the feed says of the
 * sources' records, whenever it is written.
 */
export class FixWriter {
  readonly #feed: Pick<Feed, 'recordsAt'>;
  readonly #products: Products;
  readonly #away: Pick<AwaySources, 'has'>;
  /** Rules of the last day and those to come, ascending by number. */
  readonly #rules = new Map<number, readonly LoggedRules[]>();

  constructor(options: {
    feed: Pick<Feed, 'recordsAt'>;
    products: Products;
    away: Pick<AwaySources, 'has'>;
  }) {
    this.#feed = options.feed;
    this.#products = options.products;
    this.#away = options.away;
  }

  /** Adds rules of the log, in force or not yet. A fix takes those in force at its time. */
  addRules(added: Iterable<LoggedRules>): void {
    for (const rules of added) {
      const known = (this.#rules.get(rules.productId) ?? []).filter(({ id }) => id !== rules.id);
      this.#rules.set(
        rules.productId,
        [...known, rules].sort((a, b) => a.n - b.n),
      );
    }
  }

  /**
   * Adds the due fixes whose time has come and whose records are known, of each product in the order of their times: one that is
   * not ready holds back those after it.
   * @returns what is still due
   */
  addDue(draft: LogDraft, timeMs: number, due: readonly DueFixes[]): readonly DueFixes[] {
    return due.map(({ productId, lastN, times }) => {
      const inTime = times.filter((fixMs) => timeMs - fixMs < MOST_FIX_WAIT_MS);
      let written = 0;
      for (const fixMs of inTime) {
        if (fixMs > timeMs || !this.#addFix(draft, timeMs, { productId, n: lastN + written + 1, fixMs }))
          break;
        written += 1;
      }
      return { productId, lastN: lastN + written, times: inTime.slice(written) };
    });
  }

  #addFix(
    draft: LogDraft,
    timeMs: number,
    { productId, n, fixMs }: { productId: number; n: number; fixMs: number },
  ): boolean {
    const rules = this.#rulesAt(productId, fixMs);
    if (!rules) return false;
    // The feed is asked for the records of all sources: one that is left out may answer again.
    const known = this.#recordsAt(productId, fixMs, rules).filter(({ source }) => !this.#away.has(source));
    const away = rules.rules.sources.filter((source) => this.#away.has(source));
    const records = [...known, ...away.map((source) => ({ source, use: 'away' as const }))];
    const answer = decideFix({ fixMs, records, rules: rules.rules });
    const isWaitOver = timeMs >= fixMs + rules.rules.waitMs;
    if (!isPriced(answer) || !isFixReady(answer, rules.rules, isWaitOver)) return false;
    draft.addFix(this.#products.byId(productId), rules, { kind: 'fix', n, timeMs, fixMs, ...answer });
    return true;
  }

  /** Adds the `close` of each of these fixes that has no open record any more, or whose day is over and of which more is known. */
  addCloses(draft: LogDraft, timeMs: number, open: readonly OpenFix[]): void {
    for (const { productId, fix } of open) {
      const { n, fixMs } = fix;
      const leftMs = fixMs + MOST_FIX_WAIT_MS - timeMs;
      const rules = this.#rulesAt(productId, fixMs);
      if (!rules || leftMs <= 0) continue;
      const records = laterRecords(fix.records, this.#recordsAt(productId, fixMs, rules));
      const answer = decideFix({ fixMs, records, rules: rules.rules });
      const isLastChance =
        leftMs <= LAST_CLOSE_MS && records.some((record, at) => record !== fix.records[at]);
      if (!isPriced(answer) || !(answer.records.every(isRecordClosed) || isLastChance)) continue;
      draft.addFix(this.#products.byId(productId), rules, { kind: 'close', n, timeMs, fixMs, ...answer });
    }
  }

  #rulesAt(productId: number, timeMs: number): LoggedRules | undefined {
    return this.#rules.get(productId)?.findLast(({ effectiveMs }) => effectiveMs <= timeMs);
  }

  /** What the feed knows, without what no entry can state. */
  #recordsAt(
    productId: number,
    fixMs: number,
    { rules }: LoggedRules,
  ): readonly (KnownRecord | AbsentRecord)[] {
    return this.#feed
      .recordsAt(productId, fixMs)
      .filter((record) => !('last' in record) || isSound(record, fixMs, rules.decimals));
  }
}

type PricedAnswer = FixAnswer & { readonly price: NonNullable<FixAnswer['price']> };

const isPriced = (answer: FixAnswer): answer is PricedAnswer => answer.price !== null;

function isSound({ last, closing }: KnownRecord, fixMs: number, decimals: number): boolean {
  const isRecord = (record: KnownRecord['last']) =>
    isLoggable({ ...record, times: [record.timeMs] }, decimals);
  if (!isRecord(last) || last.timeMs > fixMs) return false;
  if (closing.by !== 'next') return true;
  const { next } = closing;
  return isRecord(next) && next.timeMs > fixMs && next.number > last.number;
}
