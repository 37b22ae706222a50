/**
 * Checks the log entry by entry and reports the first violation of its rules. It needs nothing from the server: the earlier
 * entries determine which entries are allowed next.
 */
import { GRID_MS, isCurrent } from '@fairtick/trading';
import { fromHex, toHex } from '../encoding.ts';
import {
  type GapEntry,
  type HaltEntry,
  type LogEntry,
  NO_RULES_HASH,
  type OrdersEntry,
  parseEntry,
  type RulesEntry,
  type SeedEntry,
  type TickEntry,
} from '../entry.ts';
import { leafHash } from '../merkle.ts';
import { judgeEntry, type KnownQuote, SourceQuotes } from '../receipt/order-steps.ts';
import { type DecidingRules, readRules } from '../receipt/rules-json.ts';
import { handedOver, parseKeyEntry } from '../rotation.ts';
import { type Sha256, sha256 } from '../sha256.ts';
import { parseLiabilities } from '../sum-tree.ts';

/** The state of a product that the check of its next entry depends on. */
interface ProductState {
  n: number;
  timeMs: number;
  /** Time from the entry before to this one; null for the first. */
  stepMs: number | null;
  /** Newest quote of each source. */
  readonly sources: Record<string, KnownQuote>;
}

interface KnownRules {
  readonly n: number;
  /** Leaf hash in hex. */
  readonly hash: string;
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
  /** Null before the first `orders` entry. */
  lastBatch: number | null;
  products: Record<string, ProductState>;
  /** By symbol, in the order of their numbers. */
  rules: Record<string, KnownRules[]>;
  /** The longest cycle that any rules of a symbol have offered, in minutes. */
  longest: Record<string, number>;
  /** The acceptance time of the last batch, Unix ms. */
  acceptedMs: number;
  /** `orders` entries of more than {@link MOST_LOGGING_MS} after the acceptance of their first batch. They are no fault: an order that is logged too late is void. */
  late: number;
  /** The last halt or end of a halt. */
  halt: { n: number; isOn: boolean } | null;
  /** Times in which no order may be accepted, from `fromMs` and before `untilMs` (null: not lifted), that a batch to come could be of. */
  halted: { fromMs: number; untilMs: number | null }[];
  /** Hashes that the feed committed to, by date. They stay after the seeds are revealed. */
  seeds: Record<string, string>;
  /** The keys in use, by name, as in the log's notes. */
  keys: Record<string, string>;
  /** Keys that have handed over; absent before the first hand-over. */
  formerKeys?: string[];
  /** The last `liabilities` entry, by asset. */
  liabilities: Record<string, { date: string; timeMs: number }>;
  auditMs: number | null;
  /** Ticks and gaps that could not be checked, because the entries needed were logged before reading began. */
  unjudged: number;
  /**
   * Grid times without an entry of a symbol that had just ticked at every one, by symbol. The log does not say which symbols are
   * watched or have open orders, so a hole is counted and is no fault.
   */
  holes: Record<string, number>;
  /**
   * Ticks that are not current, so that they open and settle no order, by symbol. They are no fault: an order wins
   * without a current tick at its settlement time.
   */
  notCurrent: Record<string, number>;
}

/** @param keys verifier keys of the log and of its acceptances that are in use at `from` */
export function beginJudging(from: number, keys: readonly string[]): JudgeState {
  return {
    size: from,
    from,
    timeMs: 0,
    lastBatch: null,
    acceptedMs: 0,
    late: 0,
    products: {},
    rules: {},
    longest: {},
    halt: null,
    halted: [],
    seeds: {},
    keys: Object.fromEntries(keys.map((key) => [key.slice(0, key.indexOf('+')), key])),
    liabilities: {},
    auditMs: null,
    unjudged: 0,
    holes: {},
    notCurrent: {},
  };
}

const HEX_64 = /^[0-9a-f]{64}$/;
const MINUTE_MS = 60_000;
/** An `orders` entry later than this after its first batch was accepted counts as late. */
const MOST_LOGGING_MS = 1_000;
/** A halt stops acceptances at most this long after its own time. */
const HALTS_WITHIN_MS = 250;

export class EntryJudge {
  readonly state: JudgeState;
  readonly #hash: Sha256;
  /** Told of each entry found right. */
  readonly #onEntry: ((entry: LogEntry, index: number) => void) | undefined;
  /** Cache of parsed rules, by hash: their JSON is long, and every tick names some. */
  readonly #read = new Map<string, DecidingRules>();

  constructor(state: JudgeState, hash: Sha256 = sha256, onEntry?: (entry: LogEntry, index: number) => void) {
    this.state = state;
    this.#hash = hash;
    this.#onEntry = onEntry;
  }

  /** Takes the next entry. @returns null if it is valid, else the fault. Do not call it again after a fault. */
  take(text: string): string | null {
    const entry = parseEntry(text);
    if (entry === null) return 'it is not in the grammar of the log';
    const fault = this.#judge(entry, text);
    if (fault !== null) return fault;
    this.#onEntry?.(entry, this.state.size);
    this.state.size += 1;
    return null;
  }

  #judge(entry: LogEntry, text: string): string | null {
    switch (entry.kind) {
      case 'tick':
      case 'gap':
        return this.#passTime(entry.timeMs) ?? this.#judgePrice(entry);
      case 'orders':
        return this.#passTime(entry.timeMs) ?? this.#judgeOrders(entry);
      case 'halt':
        return this.#passTime(entry.timeMs) ?? this.#judgeHalt(entry);
      case 'rules':
        return this.#judgeRules(entry, text);
      case 'seed':
        return this.#judgeSeed(entry);
      case 'other': {
        const kind = text.slice(0, text.indexOf('|'));
        if (kind === 'key') return this.#judgeKey(text);
        return kind === 'audit' ? this.#judgeAudit(text.split('|')) : this.#judgeLiabilities(text);
      }
    }
  }

  #judgePrice(entry: TickEntry | GapEntry): string | null {
    const { symbol, n, timeMs } = entry;
    const known = this.state.products[symbol];
    const expected = known ? known.n + 1 : this.state.from === 0 ? 1 : n;
    if (n !== expected) {
      const what =
        n < expected
          ? 'a number that was used before'
          : `${n - expected} numbers after the last were left out`;
      return `${symbol} has number ${n} where ${expected} is next: ${what}`;
    }
    if (timeMs % GRID_MS !== 0) return 'its time is not on the grid of 250 ms';
    if (known && timeMs <= known.timeMs) return `${symbol} has an entry of this time or a later one already`;
    const stepMs = known ? timeMs - known.timeMs : null;
    if (known?.stepMs === GRID_MS && stepMs !== null && stepMs > GRID_MS)
      this.state.holes[symbol] = (this.state.holes[symbol] ?? 0) + stepMs / GRID_MS - 1;
    const next: ProductState = { n, timeMs, stepMs, sources: known?.sources ?? {} };
    this.state.products[symbol] = next;
    return this.#judgeQuotes(entry) ?? new SourceQuotes(next.sources).take(entry);
  }

  /** Judges an entry by the rules in force at its time, which it has to name. */
  #judgeQuotes(entry: TickEntry | GapEntry): string | null {
    const all = this.state.rules[entry.symbol] ?? [];
    const inForce = all.filter(({ effectiveMs }) => effectiveMs <= entry.timeMs).at(-1);
    if (inForce?.hash !== entry.rulesHash) {
      const isOlder = this.state.from !== 0 && !inForce && all.every(({ hash }) => hash !== entry.rulesHash);
      if (!isOlder) return this.#misnamed(entry, all);
      this.state.unjudged += 1;
      return null;
    }
    const rules = this.#rulesOf(inForce);
    if (rules === null) return 'its rules can not be read';
    const { symbol } = entry;
    if (entry.kind === 'tick' && !isCurrent({ ...entry, freshMs: rules.freshMs }))
      this.state.notCurrent[symbol] = (this.state.notCurrent[symbol] ?? 0) + 1;
    return judgeEntry(entry, rules);
  }

  #misnamed({ rulesHash, timeMs }: TickEntry | GapEntry, all: readonly KnownRules[]): string {
    const named = all.find(({ hash }) => hash === rulesHash);
    if (!named) return 'it names rules of the product that were not logged before it';
    return named.effectiveMs > timeMs
      ? 'it names rules that were not in force yet'
      : 'it names rules that were superseded';
  }

  #rulesOf({ hash, json }: KnownRules): DecidingRules | null {
    const known = this.#read.get(hash);
    if (known) return known;
    const rules = readRules(json);
    if (rules) this.#read.set(hash, rules);
    return rules;
  }

  #judgeOrders({ timeMs, firstBatch, lastBatch, firstMs, lastMs }: OrdersEntry): string | null {
    const before = this.state.lastBatch ?? (this.state.from === 0 ? 0 : firstBatch - 1);
    if (firstBatch !== before + 1)
      return firstBatch <= before
        ? `batch ${firstBatch} stands in the log twice`
        : `the batches ${before + 1} to ${firstBatch - 1} were left out`;
    if (firstMs < this.state.acceptedMs)
      return `batch ${firstBatch} was accepted before the batches of the entry before it`;
    const isHalted = (ms: number) =>
      this.state.halted.some(({ fromMs, untilMs }) => ms >= fromMs && (untilMs === null || ms < untilMs));
    if (isHalted(firstMs) || isHalted(lastMs))
      return 'it carries a batch that was accepted while orders were halted';
    if (timeMs - firstMs > MOST_LOGGING_MS) this.state.late += 1;
    this.state.lastBatch = lastBatch;
    this.state.acceptedMs = lastMs;
    this.state.halted = this.state.halted.filter(({ untilMs }) => untilMs === null || untilMs > lastMs);
    return null;
  }

  /** A rules entry carries no time of logging; the log's latest time so far is its lower bound. */
  #judgeRules(entry: RulesEntry, text: string): string | null {
    const { symbol, n, effectiveMs, previousHash, json } = entry;
    const rules = readRules(json);
    if (rules === null) return 'its rules can not be read';
    if (rules.symbol !== symbol) return 'it and its rules name two products';
    const all = this.state.rules[symbol] ?? [];
    const before = all.at(-1);
    const expected = before ? before.n + 1 : this.state.from === 0 ? 1 : n;
    if (n !== expected) return `rules ${n} of ${symbol} stand where ${expected} are next`;
    if (before ? previousHash !== before.hash : n === 1 && previousHash !== NO_RULES_HASH)
      return `rules ${n} of ${symbol} name other rules before them than those that stand there`;
    if (before && effectiveMs <= before.effectiveMs)
      return `rules ${n} of ${symbol} take effect no later than those before them`;
    const longest = this.state.longest[symbol];
    if (longest !== undefined && effectiveMs < this.state.timeMs + longest * MINUTE_MS)
      return `rules of ${symbol} take effect sooner than the longest cycle after they were logged`;
    const hash = toHex(leafHash(text, this.#hash));
    this.state.rules[symbol] = [...all, { n, hash, effectiveMs, json }];
    this.state.longest[symbol] = Math.max(longest ?? 0, ...rules.cycles.map(({ minutes }) => minutes));
    return null;
  }

  #judgeHalt({ n, timeMs, isOn }: HaltEntry): string | null {
    const { halt: before, from } = this.state;
    const expected = before ? before.n + 1 : from === 0 ? 1 : n;
    if (n !== expected) return `halt ${n} stands where ${expected} is next`;
    const wasOn = before ? before.isOn : from === 0 ? false : !isOn;
    if (isOn === wasOn) return isOn ? 'orders were halted already' : 'orders were not halted';
    this.state.halt = { n, isOn };
    if (isOn) this.state.halted.push({ fromMs: timeMs + HALTS_WITHIN_MS, untilMs: null });
    else this.state.halted = this.state.halted.map((each) => ({ ...each, untilMs: each.untilMs ?? timeMs }));
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
    const old = Object.hasOwn(this.state.keys, name) ? this.state.keys[name] : undefined;
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

  #judgeLiabilities(text: string): string | null {
    const entry = parseLiabilities(text);
    if (entry === null) return 'it is not in the grammar of the log';
    const { asset, date, timeMs } = entry;
    const before = this.state.liabilities[asset];
    if (before && (date <= before.date || timeMs < before.timeMs))
      return `what is owed in ${asset} on ${date} stands in the log twice, or out of order`;
    this.state.liabilities[asset] = { date, timeMs };
    return null;
  }

  /** The times of ticks, gaps, orders and halts never fall. */
  #passTime(timeMs: number): string | null {
    if (timeMs < this.state.timeMs) return 'it is older than an entry before it';
    this.state.timeMs = timeMs;
    return null;
  }
}
