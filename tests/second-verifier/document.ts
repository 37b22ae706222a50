import type { Entry, Gap, HandOver, Orders, Rules, Tick } from './entries.ts';
import { readEntry } from './entries.ts';
import { DECIMAL, fail, HASH, type Json, leafOf, must, NAME, RATE, readWhole, unitsOf } from './ground.ts';

/** The receipt's document: members, types, roles and forms. Everything here is refused as `form`. */
export type VoidReason = 'not_logged' | 'hole' | 'gap' | 'no_open';
export interface Outcome {
  readonly openPrice: string | null;
  readonly settlePrice: string | null;
  readonly result: 'profit' | 'loss' | 'none';
  readonly payout: string;
  readonly voidReason: VoidReason | null;
}
export type Form = 'opened' | 'unopened' | 'late';

export interface Acceptance {
  readonly text: string;
  readonly orderId: string;
  readonly batch: number;
  readonly symbol: string;
  readonly direction: 'up' | 'down';
  readonly minutes: number;
  readonly asset: string;
  readonly amount: string;
  readonly payoutRate: string;
  readonly rulesHash: string;
  readonly acceptedAt: number;
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
export type Move = Shown<Tick | Gap>;
export interface Proof {
  readonly fromSize: number;
  readonly fromRoot: Buffer;
  readonly proof: readonly Buffer[];
}
export interface Receipt extends Accepted {
  readonly form: Form;
  readonly batchProof: readonly Buffer[];
  readonly rules: readonly Shown<Rules>[];
  readonly beforeAccept: Shown;
  readonly orders: Shown<Orders>;
  readonly opening: readonly Move[];
  readonly settling: readonly Move[];
  readonly handOvers: readonly Shown<HandOver>[];
  readonly all: readonly Shown[];
  readonly checkpoint: string;
  readonly consistency: Proof;
  readonly seen: Proof | null;
  readonly outcome: Outcome;
}
/** What `/api/order/logged` answers. */
export interface Logged {
  readonly orders: Shown<Orders>;
  readonly batch: number;
  readonly batchProof: readonly Buffer[];
  readonly checkpoint: string;
  readonly handOvers: readonly Shown<HandOver>[];
}

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
  const top = members(
    value,
    'version',
    'acceptance',
    'batch',
    'entries',
    'checkpoint',
    'consistency',
    'seen',
    'outcome',
  );
  must(top.version === 3, 'form', 'another version');
  const accepted = readAccepted(top.acceptance);
  return {
    ...accepted,
    batchProof: hashes(members(top.batch, 'proof').proof),
    ...readRoles(list(top.entries, 256)),
    checkpoint: string(top.checkpoint),
    consistency: readProof(top.consistency),
    seen: orNull(top.seen, readProof),
    outcome: readOutcome(top.outcome),
  };
}

/** The member `acceptance` of a receipt, which the API answers when it takes an order, too. */
export function readAccepted(value: Json): Accepted {
  const { text, index, size, proof, signed } = members(value, 'text', 'index', 'size', 'proof', 'signed');
  return {
    acceptance: readAcceptance(string(text)),
    index: number(index),
    size: number(size),
    proof: hashes(proof),
    signed: string(signed),
  };
}

const WHOLE = /^[0-9]+$/;
const LINES: readonly RegExp[] = [
  /^fairtick-acceptance\/3$/,
  NAME,
  WHOLE,
  HASH,
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
  HASH,
  /^[0-9]*$/,
  /^([0-9a-f]{64})?$/,
];

function readAcceptance(text: string): Acceptance {
  const lines = text.split('\n');
  must(lines.length === LINES.length, 'form', 'lines of the acceptance');
  LINES.forEach((form, at) => {
    matching(lines[at] as string, form);
  });
  const at = (line: number): string => lines[line - 1] as string;
  const whole = (line: number): number => readWhole(at(line)) ?? wrong(`line ${line} is no number`);
  must((at(16) === '') === (at(17) === ''), 'form', 'half of what was seen');
  must(whole(3) > 0 && whole(7) > 0 && unitsOf(at(9)) > 0n, 'form', 'a batch, minutes or an amount of 0');
  return {
    text,
    orderId: at(2),
    batch: whole(3),
    symbol: at(5),
    direction: at(6) as 'up' | 'down',
    minutes: whole(7),
    asset: at(8),
    amount: at(9),
    payoutRate: at(10),
    rulesHash: at(11),
    acceptedAt: whole(12),
    settlesAt: whole(13),
    logSize: whole(14),
    logRoot: Buffer.from(at(15), 'hex'),
    seen: at(16) === '' ? null : { size: whole(16), root: Buffer.from(at(17), 'hex') },
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
    voidReason: orNull(read.voidReason, (each) => oneOf(each, 'not_logged', 'hole', 'gap', 'no_open')),
  };
}

const ROLES = ['rules', 'beforeAccept', 'orders', 'opening', 'settling', 'key'] as const;
type Role = (typeof ROLES)[number];

function readShown(index: Json, entry: Json, proof: Json): Shown {
  const text = string(entry);
  return {
    index: number(index),
    text,
    leaf: leafOf(text),
    proof: hashes(proof),
    entry: readEntry(text),
  };
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
  const of = <E extends Entry>(role: Role, most: number, ...types: readonly E['type'][]): Shown<E>[] => {
    const found = all.filter((each) => each.role === role);
    must(found.length <= most, 'form', `too many of ${role}`);
    must(
      found.every(({ entry }) => types.some((type) => type === entry.type)),
      'form',
      `an entry that can't be ${role}`,
    );
    return found as unknown as Shown<E>[];
  };
  const before = all.filter(({ role }) => role === 'beforeAccept');
  must(before.length === 1, 'form', 'one beforeAccept');
  const rules = of<Rules>('rules', 256, 'rules');
  must(rules.length > 0, 'form', 'no rules');
  must(new Set(rules.map(({ text }) => text)).size === rules.length, 'form', 'the same rules twice');
  const opening = of<Tick | Gap>('opening', 256, 'tick', 'gap');
  const settling = of<Tick | Gap>('settling', 2, 'tick', 'gap');
  const form: Form = settling.length > 0 ? 'opened' : opening.length > 0 ? 'unopened' : 'late';
  must(form !== 'opened' || opening.length > 0, 'form', 'settled, and not opened');
  return {
    form,
    all,
    rules,
    beforeAccept: before[0] as Shown,
    orders: of<Orders>('orders', 1, 'orders')[0] ?? wrong('no orders'),
    opening,
    settling,
    handOvers: handOversOf(of<HandOver>('key', 64, 'key')),
  };
}

function handOversOf(shown: readonly Shown<HandOver>[]): readonly Shown<HandOver>[] {
  must(
    shown.every(({ entry }) => entry.over !== null),
    'form',
    'a hand-over is written otherwise',
  );
  return shown;
}

export function readLogged(value: Json): Logged {
  const names = ['entry', 'index', 'entryProof', 'batch', 'batchProof', 'checkpoint', 'keys'] as const;
  const { batch, batchProof, checkpoint, keys, ...carried } = members(value, ...names);
  const shown = (each: Json): Shown => {
    const { index, entry, proof } = members(each, 'index', 'entry', 'proof');
    return readShown(index, entry, proof);
  };
  const carrier = readShown(carried.index, carried.entry, carried.entryProof);
  must(carrier.entry.type === 'orders', 'form', 'no orders');
  const handOvers = list(keys, 64).map(shown);
  handOvers.forEach(({ entry, index }, at) => {
    const before = handOvers[at - 1];
    must(entry.type === 'key' && (!before || before.index < index), 'form', 'keys');
  });
  return {
    orders: carrier as Shown<Orders>,
    batch: number(batch),
    batchProof: hashes(batchProof),
    checkpoint: string(checkpoint),
    handOvers: handOversOf(handOvers as Shown<HandOver>[]),
  };
}
