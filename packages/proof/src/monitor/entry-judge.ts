/**
 * Checks the log entry by entry and reports the first violation of its rules. It needs nothing from the server: the earlier
 * entries determine which entries are allowed next.
 */
import { formatDecimal, type Points, parsePrice } from '@fairtick/money';
import { decidePrice, GRID_MS } from '@fairtick/trading';
import { fromHex, toHex } from '../encoding.ts';
import {
  type GapEntry,
  type LogEntry,
  type OrdersEntry,
  parseEntry,
  type RulesEntry,
  type SeedEntry,
  type TickEntry,
} from '../entry.ts';
import { leafHash } from '../merkle.ts';
import { type DecidingRules, readRules } from '../receipt/rules-json.ts';
import { handedOver, parseKeyEntry } from '../rotation.ts';
import { type Sha256, sha256 } from '../sha256.ts';

/** The state of a product that the check of its next entry depends on. */
interface ProductState {
  n: number;
  timeMs: number;
  /** The last tick; null before the first one, or if reading began after it. */
  tick: { price: string; decimals: number; timeMs: number } | null;
}

interface KnownRules {
  readonly scope: string;
  readonly index: number;
  readonly effectiveMs: number;
  readonly json: string;
}

/** The full state of the check; plain JSON, so that it can be stored between runs. */
export interface JudgeState {
  /** Entries read so far, which is also the index of the next one. */
  size: number;
  /** Index at which reading began; entries before it are unknown. 0: the whole log is read. */
  readonly from: number;
  timeMs: number;
  lastBatch: number | null;
  products: Record<string, ProductState>;
  /** By hash. */
  rules: Record<string, KnownRules>;
  /** The longest cycle that any rules of a scope have offered, in minutes. */
  longest: Record<string, number>;
  /** Hashes that the feed committed to, by date. They stay after the seeds are revealed. */
  seeds: Record<string, string>;
  /** The keys in use, by name, as in the log's notes. */
  keys: Record<string, string>;
  /** Keys that have handed over; absent before the first hand-over. */
  formerKeys?: string[];
  /** Date of the last `liabilities` entry, by asset. */
  liabilities: Record<string, string>;
  auditMs: number | null;
  /** Ticks whose price could not be checked, because the entries needed were logged before reading began. */
  unjudged: number;
}

/** @param keys verifier keys of the log and of its acceptances that are in use at `from` */
export function beginJudging(from: number, keys: readonly string[]): JudgeState {
  return {
    size: from,
    from,
    timeMs: 0,
    lastBatch: from === 0 ? 0 : null,
    products: {},
    rules: {},
    longest: {},
    seeds: {},
    keys: Object.fromEntries(keys.map((key) => [key.slice(0, key.indexOf('+')), key])),
    liabilities: {},
    auditMs: null,
    unjudged: 0,
  };
}

const HEX_64 = /^[0-9a-f]{64}$/;
const MINUTE_MS = 60_000;

export class EntryJudge {
  readonly state: JudgeState;
  readonly #hash: Sha256;
  /** Cache of parsed rules, by hash: their JSON is long, and every tick names some. */
  readonly #read = new Map<string, DecidingRules>();

  constructor(state: JudgeState, hash: Sha256 = sha256) {
    this.state = state;
    this.#hash = hash;
  }

  /** Takes the next entry. @returns null if it is valid, else the fault. Do not call it again after a fault. */
  take(text: string): string | null {
    const entry = parseEntry(text);
    if (entry === null) return 'it is not in the grammar of the log';
    const fault = this.#judge(entry, text);
    if (fault !== null) return fault;
    this.state.size += 1;
    return null;
  }

  #judge(entry: LogEntry, text: string): string | null {
    if (entry.kind === 'tick' || entry.kind === 'gap') return this.#judgePrice(entry);
    if (entry.kind === 'orders') return this.#judgeOrders(entry);
    if (entry.kind === 'rules') return this.#judgeRules(entry, text);
    if (entry.kind === 'seed') return this.#judgeSeed(entry);
    const kind = text.slice(0, text.indexOf('|'));
    if (kind === 'key') return this.#judgeKey(text);
    if (kind === 'audit') return this.#judgeAudit(text.split('|'));
    return this.#judgeLiabilities(text.split('|'));
  }

  #judgePrice(entry: TickEntry | GapEntry): string | null {
    const { symbol, n, timeMs } = entry;
    const known = this.state.products[symbol];
    const late = this.#passTime(timeMs);
    if (late !== null) return late;
    if (timeMs % GRID_MS !== 0) return 'its time is not on the grid of 250 ms';
    const expected = known ? known.n + 1 : this.state.from === 0 ? 1 : n;
    if (n !== expected) {
      const what =
        n < expected
          ? 'a number that was used before'
          : `${n - expected} numbers after the last were left out`;
      return `${symbol} has number ${n} where ${expected} is next: ${what}`;
    }
    if (entry.kind === 'gap') {
      this.state.products[symbol] = { n, timeMs, tick: known?.tick ?? null };
      return null;
    }
    const fault = this.#judgeTick(entry, known?.tick ?? null);
    const { price, decimals } = entry;
    this.state.products[symbol] = {
      n,
      timeMs,
      tick: { price: formatDecimal(price, decimals), decimals, timeMs },
    };
    return fault;
  }

  #judgeTick(entry: TickEntry, before: ProductState['tick']): string | null {
    const { rulesHash, timeMs } = entry;
    const named = this.state.rules[rulesHash];
    if (!named) {
      if (this.state.from === 0) return 'it names rules that were not logged before it';
      this.state.unjudged += 1;
      return null;
    }
    const rules = this.#rulesOf(rulesHash, named.json);
    if (rules === null || rules.symbol !== entry.symbol) return 'it names rules of another product';
    if (named.effectiveMs > timeMs) return 'it names rules that were not in force yet';
    if (entry.decimals !== rules.decimals) return 'its price has not the decimals of the product';
    if (entry.quotes.some(({ source }) => !rules.sources.includes(source)))
      return 'one of its sources is none of the product’s';
    if (before === null && this.state.from !== 0) {
      this.state.unjudged += 1;
      return null;
    }
    const previous = before && {
      price: parsePrice(before.price, before.decimals) as Points,
      timeMs: before.timeMs,
    };
    const answer = decidePrice({ quotes: entry.quotes, timeMs, previous, rules });
    if (answer.kind !== 'price') return 'there were too few sources for a price';
    if (answer.isNew !== entry.isNew)
      return entry.isNew
        ? 'it says new, but no quote of it came since the tick before: it repeats a price'
        : 'it says same, but a quote of it came since the tick before';
    if (answer.price !== entry.price) return 'its price is not what the rule makes of its quotes';
    if (answer.quotes.some(({ use }, at) => use !== entry.quotes[at]?.use))
      return 'a quote of it was judged against the rule';
    return null;
  }

  #rulesOf(hash: string, json: string): DecidingRules | null {
    const known = this.#read.get(hash);
    if (known) return known;
    const rules = readRules(json);
    if (rules) this.#read.set(hash, rules);
    return rules;
  }

  #judgeOrders({ timeMs, firstBatch, lastBatch }: OrdersEntry): string | null {
    const late = this.#passTime(timeMs);
    if (late !== null) return late;
    const { lastBatch: before } = this.state;
    if (before !== null && firstBatch !== before + 1)
      return firstBatch <= before
        ? `batch ${firstBatch} stands in the log twice`
        : `the batches ${before + 1} to ${firstBatch - 1} were left out`;
    this.state.lastBatch = lastBatch;
    return null;
  }

  /** A rules entry carries no time of logging; the log's latest time so far is its lower bound. */
  #judgeRules(entry: RulesEntry, text: string): string | null {
    const { scope, effectiveMs, json } = entry;
    const rules = readRules(json);
    if (rules === null) return 'its rules can not be read';
    if (!scope.endsWith(`/${rules.symbol}`)) return 'its scope and its rules name two products';
    const longest = this.state.longest[scope];
    if (longest !== undefined && effectiveMs < this.state.timeMs + longest * MINUTE_MS)
      return `rules of ${scope} take effect sooner than the longest cycle after they were logged`;
    const hash = toHex(leafHash(text, this.#hash));
    if (this.state.rules[hash]) return 'the same rules stand in the log twice';
    this.state.rules[hash] = { scope, index: this.state.size, effectiveMs, json };
    this.state.longest[scope] = Math.max(longest ?? 0, ...rules.cycles.map(({ minutes }) => minutes));
    return null;
  }

  #judgeSeed({ date, step, hex }: SeedEntry): string | null {
    const committed = this.state.seeds[date];
    if (step === 'commit') {
      if (committed !== undefined) return `the feed commits to a second seed of ${date}`;
      this.state.seeds[date] = hex;
      return null;
    }
    if (committed === undefined)
      return this.state.from === 0 ? `the seed of ${date} is revealed, which nothing committed to` : null;
    if (toHex(this.#hash(fromHex(hex) as Uint8Array)) !== committed)
      return `the seed of ${date} is not the one that was committed to`;
    return null;
  }

  #judgeKey(text: string): string | null {
    const entry = parseKeyEntry(text);
    if (entry === null) return 'it is not in the grammar of the log';
    const name = entry.key.slice(0, entry.key.indexOf('+'));
    const old = this.state.keys[name];
    // The key has a former name of the log, so it signs nothing under the present name.
    if (old === undefined) return null;
    const next = handedOver(entry, old, this.#hash);
    if (next === null) return 'it names a new key that the old one did not sign';
    const former = this.state.formerKeys ?? [];
    if (former.includes(next)) return 'it names a key that was in use before';
    this.state.formerKeys = [...former, old];
    this.state.keys[name] = next;
    return null;
  }

  #judgeAudit(fields: readonly string[]): string | null {
    const [, , timeMs, ledgerHead, auditHead] = fields;
    const isWhole = fields.length === 5 && [ledgerHead, auditHead].every((hex) => HEX_64.test(hex ?? ''));
    if (!isWhole || !/^(0|[1-9]\d{0,15})$/.test(timeMs ?? '')) return 'it is not in the grammar of the log';
    if (this.state.auditMs !== null && Number(timeMs) < this.state.auditMs)
      return 'it is older than the heads of ledger and audit log before it';
    this.state.auditMs = Number(timeMs);
    return null;
  }

  #judgeLiabilities(fields: readonly string[]): string | null {
    const [, , date, asset, total, root] = fields;
    const isWhole =
      fields.length === 6 &&
      /^\d{4}-\d{2}-\d{2}$/.test(date ?? '') &&
      /^(0|[1-9]\d{0,30})(\.\d{1,18})?$/.test(total ?? '') &&
      HEX_64.test(root ?? '');
    if (!isWhole || !asset) return 'it is not in the grammar of the log';
    const before = this.state.liabilities[asset];
    if (before !== undefined && (date as string) <= before)
      return `what is owed in ${asset} on ${date} stands in the log twice, or out of order`;
    this.state.liabilities[asset] = date as string;
    return null;
  }

  /** Ticks, gaps and orders never go back in time. */
  #passTime(timeMs: number): string | null {
    if (timeMs < this.state.timeMs) return 'it is older than an entry before it';
    this.state.timeMs = timeMs;
    return null;
  }
}
