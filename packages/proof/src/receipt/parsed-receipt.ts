import { type Acceptance, parseAcceptance } from '../acceptance.ts';
import { toHex } from '../encoding.ts';
import { type FixEntry, type LogEntry, type OrdersEntry, parseEntry, type RulesEntry } from '../entry.ts';
import { leafHash } from '../merkle.ts';
import { type PlacedKey, parseKeyEntry } from '../rotation.ts';
import { hashesOf, RECEIPT_ROLES, type Receipt, type ReceiptEntry, type ReceiptRole } from './receipt.ts';
import { type DecidingRules, readRules } from './rules-json.ts';

export interface Placed<E extends LogEntry = LogEntry> {
  readonly index: number;
  readonly entry: E;
  readonly leaf: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

export type PlacedFix = Placed<FixEntry>;

export interface PlacedRules extends Placed<RulesEntry> {
  /** Leaf hash in hex, by which fixes and acceptances name them. */
  readonly hash: string;
  readonly rules: DecidingRules;
}

/**
 * How an order ended, as its receipt shows:
 * - `opened`: it opened and was settled, with any result
 * - `unopened`: it was logged in time, and too few sources counted in the fix of its opening time
 * - `unfixed`: the fix of its opening or settlement time was not written within 24 hours
 * - `late`: its `orders` entry came too late
 */
export type ReceiptForm = 'opened' | 'unopened' | 'unfixed' | 'late';

/** A parsed receipt: every part is well-formed and in order, and nothing is verified yet. */
export interface Case {
  readonly receipt: Receipt;
  readonly form: ReceiptForm;
  readonly terms: Acceptance;
  /** In log order. */
  readonly rules: readonly PlacedRules[];
  readonly beforeAccept: Placed;
  readonly orders: Placed<OrdersEntry>;
  /** The fix of the opening time and its close, where they are shown. */
  readonly opening: readonly PlacedFix[];
  /** The fix of the settlement time and its close. */
  readonly settling: readonly PlacedFix[];
  /** An entry at least 24 hours later than the second whose fix is missing. */
  readonly waited: Placed | null;
  /** Hand-overs of the log's keys, in log order. */
  readonly handOvers: readonly PlacedKey[];
  readonly all: readonly Placed[];
}

/** Null if the entry is not in the log's grammar. The caller has checked the form of the proof. */
export function placedOf({
  index,
  entry: text,
  proof,
}: {
  index: number;
  entry: string;
  proof: readonly string[];
}): Placed | null {
  const entry = parseEntry(text);
  return entry && { index, entry, leaf: leafHash(text), proof: hashesOf(proof) };
}

/** Parses a receipt; returns a text that states the fault if it is malformed. */
export function takeApart(receipt: Receipt): Case | string {
  const terms = parseAcceptance(receipt.acceptance.text);
  if (terms === null) return 'the acceptance is not in its grammar';
  const misplaced = findMisplaced(receipt.entries);
  if (misplaced !== null) return misplaced;
  const form = formOf(countRoles(receipt.entries));
  if (form === null) return 'the entries are not those of any kind of receipt';

  const placed: { role: ReceiptRole; place: Placed }[] = [];
  for (const shown of receipt.entries) {
    const { role, index } = shown;
    const place = placedOf(shown);
    if (place === null) return `the entry at ${index} is not in the log's grammar`;
    if (!KINDS[role].includes(place.entry.kind)) return `the entry at ${index} is no ${role}`;
    if (role === 'key' && parseKeyEntry(shown.entry) === null)
      return `the entry at ${index} hands over no key`;
    placed.push({ role, place });
  }
  const of = <E extends LogEntry>(role: ReceiptRole) =>
    placed.filter((each) => each.role === role).map(({ place }) => place as Placed<E>);
  const rules = readAllRules(of<RulesEntry>('rules'));
  if (typeof rules === 'string') return rules;
  return {
    receipt,
    form,
    terms,
    rules,
    beforeAccept: of('beforeAccept')[0] as Placed,
    orders: of<OrdersEntry>('orders')[0] as Placed<OrdersEntry>,
    opening: of<FixEntry>('opening'),
    settling: of<FixEntry>('settling'),
    waited: of('waited')[0] ?? null,
    handOvers: handOversIn(receipt),
    all: placed.map(({ place }) => place),
  };
}

export function handOversIn({ entries }: Pick<Receipt, 'entries'>): PlacedKey[] {
  return entries.filter(({ role }) => role === 'key').map(({ index, entry }) => ({ index, entry }));
}

/** Entries with a time of their own, which an acceptance may follow. */
export const BEFORE_ACCEPT: readonly LogEntry['kind'][] = [
  'fix',
  'close',
  'tick',
  'gap',
  'orders',
  'halt',
  'away',
];

const KINDS: Readonly<Record<ReceiptRole, readonly LogEntry['kind'][]>> = {
  rules: ['rules'],
  beforeAccept: BEFORE_ACCEPT,
  orders: ['orders'],
  opening: ['fix', 'close'],
  settling: ['fix', 'close'],
  waited: BEFORE_ACCEPT,
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

function formOf({ rules, beforeAccept, orders, opening, settling, waited }: Counts): ReceiptForm | null {
  if (rules === 0 || beforeAccept !== 1 || orders !== 1) return null;
  if (opening > 2 || settling > 2 || waited > 1) return null;
  if (settling > 0) return opening > 0 && waited === 0 ? 'opened' : null;
  if (waited > 0) return 'unfixed';
  return opening > 0 ? 'unopened' : 'late';
}

export function readAllRules(placed: readonly Placed<RulesEntry>[]): readonly PlacedRules[] | string {
  const found: PlacedRules[] = [];
  for (const place of placed) {
    const rules = readRules(place.entry.json);
    if (rules === null) return `the rules at ${place.index} can not be read`;
    const hash = toHex(place.leaf);
    if (found.some((other) => other.hash === hash)) return `the rules at ${place.index} are shown twice`;
    found.push({ ...place, hash, rules });
  }
  return found;
}

/** The log time of an entry; null for kinds without one. */
export function timeOf(entry: LogEntry): number | null {
  return 'timeMs' in entry ? entry.timeMs : null;
}
