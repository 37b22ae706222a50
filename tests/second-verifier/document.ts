import type { Entry, Fix, HandOver, Orders, Passing, Rules } from './entries.ts';
import { readEntry } from './entries.ts';
import {
  DECIMAL,
  FIX_MS,
  fail,
  HASH,
  type Json,
  leafOf,
  must,
  NAME,
  RATE,
  readWhole,
  unitsOf,
} from './ground.ts';

/** The documents: members, types, roles and forms. Everything here is refused as `form`. */
type VoidReason = 'not_logged' | 'no_price';
export interface Outcome {
  readonly openPrice: string | null;
  readonly settlePrice: string | null;
  readonly result: 'profit' | 'loss' | 'none';
  readonly payout: string;
  readonly voidReason: VoidReason | null;
}
export type Form = 'opened' | 'unopened' | 'unfixed' | 'late';

export interface Acceptance {
  readonly text: string;
  readonly orderId: string;
  readonly batch: number;
  /** In hex; null if the customer named no opening time. */
  readonly asked: string | null;
  readonly symbol: string;
  readonly direction: 'up' | 'down';
  readonly minutes: number;
  readonly asset: string;
  readonly amount: string;
  readonly payoutRate: string;
  readonly rulesHash: string;
  readonly acceptedAt: number;
  readonly opensAt: number;
  readonly settlesAt: number;
  readonly logSize: number;
  readonly logRoot: Buffer;
  readonly seen: null | { readonly size: number; readonly root: Buffer };
}
/** An acceptance in its batch, whose tree is signed. */
export interface Accepted {
  readonly acceptance: Acceptance;
  readonly index: number;
  readonly size: number;
  readonly proof: readonly Buffer[];
  readonly signed: string;
}
export interface Shown<E extends Entry = Entry> {
  readonly index: number;
  readonly text: string;
  readonly leaf: Buffer;
  readonly proof: readonly Buffer[];
  readonly entry: E;
}
export type ShownFix = Shown<Fix>;
/** Of which only grammar, place and time are judged. */
type Bystander = Shown<Fix | Passing | Orders>;
export interface Proof {
  readonly fromSize: number;
  readonly fromRoot: Buffer;
  readonly proof: readonly Buffer[];
}
/** Base64, unread. */
export interface Update {
  readonly index: number;
  readonly update: string;
  readonly next: string | null;
}
/** What a receipt and the evidence have in common. */
export interface Carried {
  readonly batchProof: readonly Buffer[];
  readonly rules: readonly Shown<Rules>[];
  readonly beforeAccept: Bystander;
  readonly orders: Shown<Orders>;
  readonly handOvers: readonly Shown<HandOver>[];
  readonly all: readonly Shown[];
  readonly checkpoint: string;
  readonly consistency: Proof;
}
export interface Receipt extends Accepted, Carried {
  readonly form: Form;
  /** A fix, and its close where one is shown. */
  readonly opening: readonly ShownFix[];
  readonly settling: readonly ShownFix[];
  readonly waited: Bystander | null;
  readonly seen: Proof | null;
  readonly held: { readonly checkpoint: string; readonly proof: readonly Buffer[] };
  readonly updates: readonly Update[];
  readonly outcome: Outcome;
}
/** What `/api/order/logged` answers. */
export interface Evidence extends Carried {
  readonly batch: number;
}

const MOST_ENTRIES = 256;
const NOTE_BYTES = 128 * 1024;

const isAscending = (all: readonly { readonly index: number }[]): boolean =>
  all.every(({ index }, at) => at === 0 || index > (all[at - 1] as { index: number }).index);

const wrong = (why: string): never => fail('form', why);

type Members<N extends string> = { readonly [name in N]: Json };
function members<N extends string>(value: Json, ...names: readonly N[]): Members<N> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return wrong('no object');
  const here = Object.keys(value).sort().join();
  must(here === [...names].sort().join(), 'form', `members ${here} and not ${names}`);
  return value as Members<N>;
}
const number = (value: Json): number => (typeof value === 'number' ? value : wrong('no number'));
const string = (value: Json): string => (typeof value === 'string' ? value : wrong('no text'));
const note = (value: Json): string =>
  Buffer.byteLength(string(value)) <= NOTE_BYTES ? (value as string) : wrong('too long a note');
const list = (value: Json, most: number): Json[] =>
  Array.isArray(value) && value.length <= most ? value : wrong('no list, or too long a one');
const matching = (value: Json, form: RegExp): string =>
  typeof value === 'string' && form.test(value) ? value : wrong(`${value} is not ${form}`);
const hash = (value: Json): Buffer => Buffer.from(matching(value, HASH), 'hex');
const hashes = (value: Json): Buffer[] => list(value, 54).map(hash);
const oneOf = <T extends string>(value: Json, ...all: readonly T[]): T =>
  all.find((each) => each === value) ?? wrong(`${value} is none of ${all}`);
const orNull = <T>(value: Json, read: (value: Json) => T): T | null => (value === null ? null : read(value));

export function readReceipt(value: Json): Receipt {
  const { updates, ...rest } = withUpdates(value);
  const top = members(
    rest,
    'version',
    'acceptance',
    'batch',
    'entries',
    'checkpoint',
    'consistency',
    'seen',
    'held',
    'outcome',
  );
  must(top.version === 4, 'form', 'another version');
  const held = members(top.held, 'checkpoint', 'proof');
  return {
    ...readAccepted(top.acceptance),
    batchProof: hashes(members(top.batch, 'proof').proof),
    ...readRoles(list(top.entries, MOST_ENTRIES)),
    checkpoint: note(top.checkpoint),
    consistency: readProof(top.consistency),
    seen: orNull(top.seen, readProof),
    held: { checkpoint: note(held.checkpoint), proof: hashes(held.proof) },
    updates: updates === undefined ? [] : readUpdates(updates),
    outcome: readOutcome(top.outcome),
  };
}

/** A receipt may have no updates; an empty list of them is none. */
function withUpdates(value: Json): { [name: string]: Json } {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return wrong('no object');
  return value;
}

const UPDATE_CHARACTERS = 1600;
const MOST_UPDATES = 4;

function readUpdates(value: Json): Update[] {
  const text = (each: Json): string =>
    string(each).length <= UPDATE_CHARACTERS ? (each as string) : wrong('too long an update');
  const all = list(value, MOST_UPDATES).map((each): Update => {
    const { index, update, next } = members(each, 'index', 'update', 'next');
    return { index: number(index), update: text(update), next: orNull(next, text) };
  });
  must(all.length > 0 && isAscending(all), 'form', 'no update, or order of the updates');
  return all;
}

/** The member `acceptance` of a receipt, which the API answers when it takes an order, too. */
export function readAccepted(value: Json): Accepted {
  const { text, index, size, proof, signed } = members(value, 'text', 'index', 'size', 'proof', 'signed');
  return {
    acceptance: readAcceptance(string(text)),
    index: number(index),
    size: number(size),
    proof: hashes(proof),
    signed: note(signed),
  };
}

const WHOLE = /^[0-9]+$/;
const LINES: readonly RegExp[] = [
  /^fairtick-acceptance\/4$/,
  NAME,
  WHOLE,
  /^([0-9a-f]{64})?$/,
  NAME,
  /^(up|down)$/,
  WHOLE,
  NAME,
  DECIMAL,
  RATE,
  HASH,
  WHOLE,
  WHOLE,
  WHOLE,
  WHOLE,
  HASH,
  /^[0-9]*$/,
  /^([0-9a-f]{64})?$/,
];

export function readAcceptance(text: string): Acceptance {
  const lines = text.split('\n');
  must(lines.length === LINES.length, 'form', 'lines of the acceptance');
  LINES.forEach((form, at) => {
    matching(lines[at] as string, form);
  });
  const at = (line: number): string => lines[line - 1] as string;
  const whole = (line: number): number => readWhole(at(line)) ?? wrong(`line ${line} is no number`);
  must((at(17) === '') === (at(18) === ''), 'form', 'half of what was seen');
  must(whole(3) > 0 && whole(7) > 0 && unitsOf(at(9)) > 0n, 'form', 'a batch, minutes or an amount of 0');
  must(whole(13) % FIX_MS === 0, 'form', 'an opening time that no fix has');
  return {
    text,
    orderId: at(2),
    batch: whole(3),
    asked: at(4) === '' ? null : at(4),
    symbol: at(5),
    direction: at(6) as 'up' | 'down',
    minutes: whole(7),
    asset: at(8),
    amount: at(9),
    payoutRate: at(10),
    rulesHash: at(11),
    acceptedAt: whole(12),
    opensAt: whole(13),
    settlesAt: whole(14),
    logSize: whole(15),
    logRoot: Buffer.from(at(16), 'hex'),
    seen: at(17) === '' ? null : { size: whole(17), root: Buffer.from(at(18), 'hex') },
  };
}

function readProof(value: Json): Proof {
  const { fromSize, fromRoot, proof } = members(value, 'fromSize', 'fromRoot', 'proof');
  return { fromSize: number(fromSize), fromRoot: hash(fromRoot), proof: hashes(proof) };
}

function readOutcome(value: Json): Outcome {
  const read = members(value, 'openPrice', 'settlePrice', 'result', 'payout', 'voidReason');
  const decimal = (each: Json): string => matching(each, DECIMAL);
  return {
    openPrice: orNull(read.openPrice, decimal),
    settlePrice: orNull(read.settlePrice, decimal),
    result: oneOf(read.result, 'profit', 'loss', 'none'),
    payout: decimal(read.payout),
    voidReason: orNull(read.voidReason, (each) => oneOf(each, 'not_logged', 'no_price')),
  };
}

const ROLES = ['rules', 'beforeAccept', 'orders', 'opening', 'settling', 'waited', 'key'] as const;
type Role = (typeof ROLES)[number];
const BYSTANDERS = ['fix', 'close', 'tick', 'gap', 'orders', 'halt', 'away'] as const;

function readShown(index: Json, entry: Json, proof: Json): Shown {
  const text = string(entry);
  return { index: number(index), text, leaf: leafOf(text), proof: hashes(proof), entry: readEntry(text) };
}

function ofTypes<T extends Entry['type']>(
  shown: readonly Shown[],
  ...types: readonly T[]
): Shown<Extract<Entry, { type: T }>>[] {
  const isRight = shown.every(({ entry }) => types.some((type) => type === entry.type));
  must(isRight, 'form', `an entry that is none of ${types}`);
  return shown as Shown<Extract<Entry, { type: T }>>[];
}

function readRoles(values: readonly Json[]) {
  const all: (Shown & { role: Role })[] = values.map((value) => {
    const { role, index, entry, proof } = members(value, 'role', 'index', 'entry', 'proof');
    return { role: oneOf(role, ...ROLES), ...readShown(index, entry, proof) };
  });
  all.forEach(({ role, index }, at) => {
    const before = all[at - 1];
    const step = before ? ROLES.indexOf(role) - ROLES.indexOf(before.role) : 1;
    must(step > 0 || (step === 0 && index > (before?.index ?? 0)), 'form', 'order of the roles');
  });
  const of = (role: Role, most: number): Shown[] => {
    const found = all.filter((each) => each.role === role);
    return found.length <= most ? found : wrong(`too many of ${role}`);
  };
  const rules = ofTypes(of('rules', MOST_ENTRIES), 'rules');
  must(rules.length > 0, 'form', 'no rules');
  must(new Set(rules.map(({ text }) => text)).size === rules.length, 'form', 'the same rules twice');
  const opening = ofTypes(of('opening', 2), 'fix', 'close');
  const settling = ofTypes(of('settling', 2), 'fix', 'close');
  const waited = ofTypes(of('waited', 1), ...BYSTANDERS)[0] ?? null;
  return {
    form: formOf(opening, settling, waited),
    all,
    rules,
    beforeAccept: ofTypes(of('beforeAccept', 1), ...BYSTANDERS)[0] ?? wrong('no beforeAccept'),
    orders: ofTypes(of('orders', 1), 'orders')[0] ?? wrong('no orders'),
    opening,
    settling,
    waited,
    handOvers: ofTypes(of('key', MOST_ENTRIES), 'key'),
  };
}

function formOf(opening: readonly Shown[], settling: readonly Shown[], waited: Shown | null): Form {
  if (settling.length > 0) {
    must(opening.length > 0, 'form', 'settled, and not opened');
    must(waited === null, 'form', 'settled, and waited for');
    return 'opened';
  }
  if (waited) return 'unfixed';
  return opening.length > 0 ? 'unopened' : 'late';
}

const EVIDENCE = [
  'entry',
  'index',
  'entryProof',
  'batch',
  'batchProof',
  'rules',
  'beforeAccept',
  'consistency',
  'checkpoint',
  'keys',
] as const;

/** @param accepted what the customer holds, whose batch it has to be about */
export function readEvidence(value: Json, accepted: Accepted): Evidence {
  const top = members(value, ...EVIDENCE);
  const shown = (each: Json): Shown => {
    const { index, entry, proof } = members(each, 'index', 'entry', 'proof');
    return readShown(index, entry, proof);
  };
  const carried = [readShown(top.index, top.entry, top.entryProof)];
  const rules = [shown(top.rules)];
  const before = [shown(top.beforeAccept)];
  const keys = list(top.keys, MOST_ENTRIES).map(shown);
  must(isAscending(keys), 'form', 'order of the keys');
  must(number(top.batch) === accepted.acceptance.batch, 'form', 'about another batch');
  return {
    batch: number(top.batch),
    batchProof: hashes(top.batchProof),
    rules: ofTypes(rules, 'rules'),
    beforeAccept: ofTypes(before, ...BYSTANDERS)[0] ?? wrong('no beforeAccept'),
    orders: ofTypes(carried, 'orders')[0] ?? wrong('no orders'),
    handOvers: ofTypes(keys, 'key'),
    all: [...rules, ...before, ...carried, ...keys],
    checkpoint: note(top.checkpoint),
    consistency: readProof(top.consistency),
  };
}
