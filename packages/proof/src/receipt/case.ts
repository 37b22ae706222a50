import { type Acceptance, parseAcceptance } from '../acceptance.ts';
import { toHex } from '../encoding.ts';
import {
  type GapEntry,
  type LogEntry,
  type OrdersEntry,
  parseEntry,
  type RulesEntry,
  type TickEntry,
} from '../entry.ts';
import { leafHash } from '../merkle.ts';
import { type PlacedKey, parseKeyEntry } from '../rotation.ts';
import type { Sha256 } from '../sha256.ts';
import { hashesOf, RECEIPT_ROLES, type Receipt, type ReceiptEntry, type ReceiptRole } from './receipt.ts';
import { type DecidingRules, readRules } from './rules-json.ts';

/** An entry of the log with its place in it. */
export interface Placed<E extends LogEntry = LogEntry> {
  readonly index: number;
  readonly entry: E;
  readonly leaf: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

export type SymbolPlaced = Placed<TickEntry | GapEntry>;

export interface PlacedRules extends Placed<RulesEntry> {
  readonly rules: DecidingRules;
}

/**
 * How an order ended, as its receipt shows:
 * - `opened`: it opened and was settled, with any result
 * - `unopened`: it was logged in time and found no opening tick
 * - `late`: its `orders` entry came too late
 * - `unlogged`: it has no `orders` entry
 */
export type ReceiptForm = 'opened' | 'unopened' | 'late' | 'unlogged';

/** A parsed receipt: every part is well-formed and in order, and nothing is verified yet. */
export interface Case {
  readonly receipt: Receipt;
  readonly form: ReceiptForm;
  readonly terms: Acceptance;
  /** By hash. */
  readonly rules: ReadonlyMap<string, PlacedRules>;
  readonly beforeAccept: Placed;
  readonly orders: Placed<OrdersEntry> | null;
  /** The product's entries up to the one that decided the opening, oldest first. */
  readonly opening: readonly SymbolPlaced[];
  /** The product's entries from the tick before the settlement tick on. */
  readonly settling: readonly SymbolPlaced[];
  /** Index of the settlement tick in `settling`; -1 if there is none. */
  readonly settleAt: number;
  readonly head: Placed | null;
  /** Hand-overs of the log's keys, in log order. */
  readonly handOvers: readonly PlacedKey[];
  readonly all: readonly Placed[];
}

/** Parses a receipt; returns a text that states the fault if it is malformed. */
export function takeApart(receipt: Receipt, hash: Sha256): Case | string {
  const terms = parseAcceptance(receipt.acceptance.text);
  if (terms === null) return 'the acceptance is not in its grammar';
  const misplaced = findMisplaced(receipt.entries);
  if (misplaced !== null) return misplaced;
  const counts = countRoles(receipt.entries);
  const form = formOf(counts);
  if (form === null) return 'the entries are not those of any kind of receipt';
  if ((receipt.batch === null) !== (form === 'unlogged'))
    return 'the place in the orders entry does not fit the entries';

  const placed: { role: ReceiptRole; place: Placed }[] = [];
  for (const { role, index, entry: text, proof } of receipt.entries) {
    const entry = parseEntry(text);
    if (entry === null) return `the entry at ${index} is not in the log's grammar`;
    const kinds = KINDS[role];
    if (kinds && !kinds.includes(entry.kind)) return `the entry at ${index} is no ${role}`;
    if (role === 'key' && parseKeyEntry(text) === null) return `the entry at ${index} hands over no key`;
    // A head of the same product would show later activity; the receipt would then have to show all its entries up to there.
    if (role === 'head' && form !== 'unlogged' && 'symbol' in entry && entry.symbol === terms.symbol)
      return `the entry at ${index} is of the product itself, whose silence it is to show`;
    if (SYMBOL_ROLES.includes(role) && (entry as TickEntry).symbol !== terms.symbol)
      return `the entry at ${index} is of another product`;
    placed.push({ role, place: { index, entry, leaf: leafHash(text, hash), proof: hashesOf(proof) } });
  }
  const of = <E extends LogEntry>(...roles: readonly ReceiptRole[]) =>
    placed.filter(({ role }) => roles.includes(role)).map(({ place }) => place as Placed<E>);
  const rules = readAllRules(of<RulesEntry>('rules'));
  if (typeof rules === 'string') return rules;
  return {
    receipt,
    form,
    terms,
    rules,
    beforeAccept: of('beforeAccept')[0] as Placed,
    orders: of<OrdersEntry>('orders')[0] ?? null,
    opening: of<TickEntry | GapEntry>('beforeOpen', 'open'),
    settling: of<TickEntry | GapEntry>('beforeSettle', 'settle', 'afterSettle'),
    settleAt: form === 'opened' ? counts.beforeSettle : -1,
    head: of('head')[0] ?? null,
    handOvers: handOversIn(receipt),
    all: placed.map(({ place }) => place),
  };
}

/** The key hand-overs that a receipt shows. */
export function handOversIn({ entries }: Pick<Receipt, 'entries'>): PlacedKey[] {
  return entries.filter(({ role }) => role === 'key').map(({ index, entry }) => ({ index, entry }));
}

const SYMBOL_ROLES: readonly ReceiptRole[] = ['beforeOpen', 'open', 'beforeSettle', 'settle', 'afterSettle'];

/** The kinds of entries that each role allows; a role without a list allows any. */
const KINDS: Readonly<Partial<Record<ReceiptRole, readonly LogEntry['kind'][]>>> = {
  rules: ['rules'],
  orders: ['orders'],
  beforeOpen: ['tick', 'gap'],
  open: ['tick', 'gap'],
  beforeSettle: ['tick', 'gap'],
  settle: ['tick'],
  afterSettle: ['tick', 'gap'],
  head: ['tick', 'gap', 'orders'],
  key: ['other'],
};

/** Checks that roles are in order, and entries of one role in log order. */
function findMisplaced(entries: readonly ReceiptEntry[]): string | null {
  for (const [at, entry] of entries.entries()) {
    const before = entries[at - 1];
    if (!before) continue;
    const [rank, rankBefore] = [RECEIPT_ROLES.indexOf(entry.role), RECEIPT_ROLES.indexOf(before.role)];
    if (rank < rankBefore || (rank === rankBefore && entry.index <= before.index)) {
      return `the entry at ${entry.index} stands in the wrong place`;
    }
  }
  return null;
}

type Counts = Readonly<Record<ReceiptRole, number>>;

function countRoles(entries: readonly ReceiptEntry[]): Counts {
  const counts = Object.fromEntries(RECEIPT_ROLES.map((role) => [role, 0])) as Record<ReceiptRole, number>;
  for (const { role } of entries) counts[role] += 1;
  return counts;
}

function formOf(counts: Counts): ReceiptForm | null {
  const { rules, beforeAccept, orders, beforeOpen, open, beforeSettle, settle, afterSettle, head } = counts;
  if (rules === 0 || beforeAccept !== 1) return null;
  const settling = beforeSettle + settle + afterSettle;
  if (orders === 0) return beforeOpen + open + settling === 0 && head === 1 ? 'unlogged' : null;
  if (orders !== 1) return null;
  if (beforeOpen === 0) return open + settling + head === 0 ? 'late' : null;
  if (settling === 0) return open + head === 1 ? 'unopened' : null;
  const isWhole = open === 1 && beforeSettle > 0 && settle === 1 && afterSettle > 0 && head <= 1;
  return isWhole ? 'opened' : null;
}

function readAllRules(placed: readonly Placed<RulesEntry>[]): ReadonlyMap<string, PlacedRules> | string {
  const found = new Map<string, PlacedRules>();
  for (const place of placed) {
    const rules = readRules(place.entry.json);
    if (rules === null) return `the rules at ${place.index} can not be read`;
    if (!place.entry.scope.endsWith(`/${rules.symbol}`))
      return `the rules at ${place.index} name two products`;
    if (found.has(toHex(place.leaf))) return `the rules at ${place.index} are shown twice`;
    found.set(toHex(place.leaf), { ...place, rules });
  }
  return found;
}

/** The log time of an entry; null for kinds without one. */
export function timeOf(entry: LogEntry): number | null {
  return entry.kind === 'tick' || entry.kind === 'gap' || entry.kind === 'orders' ? entry.timeMs : null;
}
