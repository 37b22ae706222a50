/**
 * Checks the log entry by entry and reports the first violation of its rules. It needs nothing from the server: the earlier
 * entries determine which entries are allowed next.
 */
import { fromHex, isHash, parseWholeNumber, toHex } from '../encoding.ts';
import {
  type FixEntry,
  type GapEntry,
  type HaltEntry,
  type LogEntry,
  NO_RULES_HASH,
  type OrdersEntry,
  parseEntry,
  type RulesEntry,
  type SeedEntry,
  type SuspendEntry,
  type TickEntry,
} from '../entry.ts';
import { parseHoldings } from '../holdings.ts';
import { leafHash } from '../merkle.ts';
import { nameOfKey } from '../note-key.ts';
import { judgeFix } from '../receipt/fix-judge.ts';
import { LOOSE_WORDS, loosenessOf } from '../receipt/loose-rules.ts';
import { type DecidingRules, readRules } from '../receipt/rules-json.ts';
import { handedOver, parseKeyEntry } from '../rotation.ts';
import { sha256 } from '../sha256.ts';
import { parseLiabilities } from '../sum-tree.ts';
import { parseAddresses } from '../verify-address.ts';
import { beginWatch, FixWatch, type WatchState } from './fix-watch.ts';
import { judgeTick } from './tick-judge.ts';

/** The last tick or gap of a product. */
interface ProductState {
  readonly n: number;
  readonly timeMs: number;
}

interface KnownRules {
  readonly n: number;
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
  /** Number of `orders` entries that came more than {@link MOST_LOGGING_MS} after their first batch. No fault: an order logged too late is void. */
  late: number;
  /** The number of the last halt or end of a halt. */
  haltN: number | null;
  /** By symbol, or '' for all products: whether new orders are halted, where the log has said so. */
  haltsOn: Record<string, boolean>;
  /** Halts that a batch of a later entry could violate: from `fromMs`, and before `untilMs` (null: not lifted). */
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
  /** The last `addresses` entry; absent before the first. */
  addresses?: { size: number; timeMs: number };
  /** The date of the last `holdings` entry, by chain and contract; absent before the first. */
  holdings?: Record<string, string>;
  /** Entries that could not be checked, because those needed were logged before reading began. */
  unjudged: number;
  readonly fixes: WatchState;
  /** The orders that `orders` entries of the last {@link ASKED_KEPT_MS} named. */
  asked: { readonly timeMs: number; readonly names: readonly string[] }[];
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
    haltN: null,
    haltsOn: {},
    halted: [],
    seeds: {},
    keys: Object.fromEntries(keys.map((key) => [nameOfKey(key), key])),
    liabilities: {},
    auditMs: null,
    unjudged: 0,
    fixes: beginWatch(),
    asked: [],
  };
}

function misnamed(rulesHash: string, atMs: number, all: readonly KnownRules[]): string {
  const named = all.find(({ hash }) => hash === rulesHash);
  if (!named) return 'it names rules of the product that were not logged before it';
  return named.effectiveMs > atMs
    ? 'it names rules that were not in force yet'
    : 'it names rules that were superseded';
}

const MINUTE_MS = 60_000;
/** An `orders` entry later than this after its first batch was accepted counts as late. */
const MOST_LOGGING_MS = 1_000;
/** A halt stops acceptances at most this long after its own time. */
const HALTS_WITHIN_MS = 250;
/** An order opens well within this time after it was logged, so a second entry that names it comes within it, too. */
const ASKED_KEPT_MS = 120_000;

export interface JudgeListeners {
  /** Told of each entry found right. */
  readonly onEntry?: ((entry: LogEntry, index: number) => void) | undefined;
  /** Told of what people should look at, although the log is right. */
  readonly onReport?: ((text: string) => void) | undefined;
}

export class EntryJudge {
  readonly state: JudgeState;
  readonly #listeners: JudgeListeners;
  readonly #fixes: FixWatch;
  /** Cache of parsed rules, by hash: their JSON is long, and every tick names some. */
  readonly #read = new Map<string, DecidingRules>();
  /** The names in `state.asked`. */
  readonly #asked: Set<string>;

  constructor(state: JudgeState, listeners: JudgeListeners = {}) {
    this.state = state;
    this.#listeners = listeners;
    this.#asked = new Set(state.asked.flatMap(({ names }) => names));
    this.#fixes = new FixWatch(state.fixes, state.from === 0, (text) => this.#report(text));
  }

  #report(text: string): void {
    this.#listeners.onReport?.(`entry ${this.state.size}: ${text}`);
  }

  /** Takes the next entry. @returns null if it is valid, else the fault. Do not call it again after a fault. */
  take(text: string): string | null {
    const entry = parseEntry(text);
    if (entry === null) return 'it is not in the grammar of the log';
    const fault = this.#judge(entry, text);
    if (fault !== null) return fault;
    this.#listeners.onEntry?.(entry, this.state.size);
    this.state.size += 1;
    return null;
  }

  #judge(entry: LogEntry, text: string): string | null {
    switch (entry.kind) {
      case 'tick':
      case 'gap':
        return this.#passTime(entry.timeMs) ?? this.#judgePrice(entry);
      case 'fix':
      case 'close':
        return this.#passTime(entry.timeMs) ?? this.#judgeFix(entry, text);
      case 'away':
        return this.#passTime(entry.timeMs) ?? this.#fixes.takeAway(entry);
      case 'orders':
        return this.#passTime(entry.timeMs) ?? this.#judgeOrders(entry);
      case 'halt':
      case 'suspend':
        return this.#passTime(entry.timeMs) ?? this.#judgeHalt(entry);
      case 'rules':
        return this.#judgeRules(entry, text);
      case 'seed':
        return this.#judgeSeed(entry);
      case 'other': {
        const kind = text.slice(0, text.indexOf('|'));
        if (kind === 'key') return this.#judgeKey(text);
        if (kind === 'addresses') return this.#judgeAddresses(text);
        if (kind === 'holdings') return this.#judgeHoldings(text);
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
    if (known && timeMs <= known.timeMs) return `${symbol} has an entry of this time or a later one already`;
    this.state.products[symbol] = { n, timeMs };
    return this.#judgeByRules(entry, timeMs, (rules) => judgeTick(entry, rules));
  }

  #judgeFix(entry: FixEntry, text: string): string | null {
    return (
      this.#judgeByRules(entry, entry.fixMs, (rules) => judgeFix(entry, rules)) ??
      this.#fixes.take(entry, text)
    );
  }

  /** Judges an entry by the rules in force at `atMs`; the entry must name these rules. */
  #judgeByRules(
    entry: TickEntry | GapEntry | FixEntry,
    atMs: number,
    judge: (rules: DecidingRules) => string | null,
  ): string | null {
    const all = this.state.rules[entry.symbol] ?? [];
    const inForce = all.filter(({ effectiveMs }) => effectiveMs <= atMs).at(-1);
    if (inForce?.hash !== entry.rulesHash) {
      const isOlder = this.state.from !== 0 && !inForce && all.every(({ hash }) => hash !== entry.rulesHash);
      if (!isOlder) return misnamed(entry.rulesHash, atMs, all);
      this.state.unjudged += 1;
      return null;
    }
    const rules = this.#rulesOf(inForce);
    return rules === null ? 'its rules can not be read' : judge(rules);
  }

  #rulesOf({ hash, json }: KnownRules): DecidingRules | null {
    const known = this.#read.get(hash);
    if (known) return known;
    const rules = readRules(json);
    if (rules) this.#read.set(hash, rules);
    return rules;
  }

  #judgeOrders({ timeMs, firstBatch, lastBatch, firstMs, lastMs, asked }: OrdersEntry): string | null {
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
    this.#noteAsked(timeMs, asked);
    return null;
  }

  /** Reports an order that is named twice, because it may be in two batches. */
  #noteAsked(timeMs: number, names: readonly string[]): void {
    const kept = this.state.asked.findIndex((each) => each.timeMs >= timeMs - ASKED_KEPT_MS);
    for (const old of this.state.asked.splice(0, kept < 0 ? this.state.asked.length : kept))
      for (const name of old.names) this.#asked.delete(name);
    for (const name of names) {
      if (this.#asked.has(name)) this.#report(`the order ${name} is named a second time`);
      this.#asked.add(name);
    }
    if (names.length > 0) this.state.asked.push({ timeMs, names });
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
    const hash = toHex(leafHash(text));
    this.state.rules[symbol] = [...all, { n, hash, effectiveMs, json }];
    this.state.longest[symbol] = Math.max(longest ?? 0, ...rules.cycles.map(({ minutes }) => minutes));
    for (const each of loosenessOf(rules).filter((loose) => loose === 'far' || loose === 'old'))
      this.#report(`rules ${n} of ${symbol} are loose: ${LOOSE_WORDS[each]}`);
    return null;
  }

  /** `orders` entries do not say the product of an order, so that orders in a halted product can't be found. */
  #judgeHalt(entry: HaltEntry | SuspendEntry): string | null {
    const { n, timeMs, isOn } = entry;
    const { haltN, haltsOn, from } = this.state;
    const expected = haltN === null ? (from === 0 ? 1 : n) : haltN + 1;
    if (n !== expected) return `halt ${n} stands where ${expected} is next`;
    const of = entry.kind === 'suspend' ? entry.symbol : '';
    const wasOn = Object.hasOwn(haltsOn, of) ? haltsOn[of] : from === 0 ? false : !isOn;
    if (isOn === wasOn) return isOn ? 'orders were halted already' : 'orders were not halted';
    this.state.haltN = n;
    haltsOn[of] = isOn;
    if (entry.kind === 'suspend') return null;
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
    if (toHex(sha256(fromHex(hex) as Uint8Array)) !== committed)
      return `the seed of ${date} is not the one that was committed to`;
    return null;
  }

  #judgeKey(text: string): string | null {
    const entry = parseKeyEntry(text);
    if (entry === null) return 'it is not in the grammar of the log';
    const name = nameOfKey(entry.key);
    const old = Object.hasOwn(this.state.keys, name) ? this.state.keys[name] : undefined;
    // The key has a former name of the log, so it signs nothing under the present name.
    if (old === undefined) return null;
    const next = handedOver(entry, old);
    if (next === null) return 'it names a new key that the old one did not sign';
    const former = this.state.formerKeys ?? [];
    if (former.includes(next)) return 'it names a key that was in use before';
    this.state.formerKeys = [...former, old];
    this.state.keys[name] = next;
    return null;
  }

  #judgeAudit(fields: readonly string[]): string | null {
    const [, , timeMs, ledgerHead, auditHead] = fields;
    const isWhole = fields.length === 5 && [ledgerHead, auditHead].every(isHash);
    if (!isWhole || parseWholeNumber(timeMs ?? '') === null) return 'it is not in the grammar of the log';
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

  #judgeAddresses(text: string): string | null {
    const entry = parseAddresses(text);
    if (entry === null) return 'it is not in the grammar of the log';
    const before = this.state.addresses;
    if (before && (entry.size <= before.size || entry.timeMs < before.timeMs))
      return 'the tree of addresses has not grown since the entry before it';
    this.state.addresses = { size: entry.size, timeMs: entry.timeMs };
    return null;
  }

  #judgeHoldings(text: string): string | null {
    const entry = parseHoldings(text);
    if (entry === null) return 'it is not in the grammar of the log';
    const token = `${entry.chain} ${entry.contract}`;
    const before = this.state.holdings?.[token];
    if (before !== undefined && entry.date <= before)
      return `what is held of ${entry.asset} on ${entry.chain} stands in the log twice for ${entry.date}, or out of order`;
    this.state.holdings = { ...this.state.holdings, [token]: entry.date };
    return null;
  }

  #passTime(timeMs: number): string | null {
    if (timeMs < this.state.timeMs) return 'it is older than an entry before it';
    this.state.timeMs = timeMs;
    return this.#fixes.passTime(timeMs);
  }
}
