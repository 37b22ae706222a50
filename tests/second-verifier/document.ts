import { type Entry, type Gap, type Orders, type Rules, readEntry, type Tick } from './entries.ts';
import { type Acceptance, DECIMAL, HASH, type Json, leafOf, Refused, readAcceptance } from './reading.ts';

/** The receipt's document: its members, their types, and the entries allowed in each role. */
export interface Outcome {
  readonly openPrice: string | null;
  readonly settlePrice: string | null;
  readonly result: 'profit' | 'loss' | 'none';
  readonly payout: string;
  readonly voidReason: string | null;
}
export type Form = 'opened' | 'unopened' | 'late' | 'unlogged';
export interface Shown<E extends Entry = Entry> {
  readonly role: string;
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
export interface Receipt {
  readonly form: Form;
  readonly text: string;
  readonly acceptance: Acceptance;
  readonly index: number;
  readonly size: number;
  readonly proof: readonly Buffer[];
  readonly signed: string;
  readonly batch: { readonly number: number; readonly proof: readonly Buffer[] } | null;
  readonly rules: readonly Shown<Rules>[];
  readonly beforeAccept: Shown;
  readonly orders: Shown<Orders> | null;
  readonly opening: readonly Move[];
  readonly open: Move | null;
  readonly settling: readonly Move[];
  readonly settle: Shown<Tick> | null;
  readonly head: Shown<Tick | Gap | Orders> | null;
  readonly handOvers: readonly Shown[];
  readonly all: readonly Shown[];
  readonly checkpoint: string;
  readonly consistency: Proof;
  readonly seen: Proof | null;
  readonly outcome: Outcome;
}

export const fail = (check: string, why: string): never => {
  throw new Refused(check, why);
};
export const must = (holds: boolean, check: string, why: string): void => {
  if (!holds) fail(check, why);
};

type Members = { readonly [name: string]: Json };

function members(value: Json | undefined, ...names: readonly string[]): Members {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return fail('form', 'no object');
  const here = Object.keys(value).sort();
  must(here.join() === [...names].sort().join(), 'form', `members ${here} and not ${names}`);
  return value;
}
const number = (value: Json | undefined): number =>
  typeof value === 'number' ? value : fail('form', 'no number');
const string = (value: Json | undefined): string =>
  typeof value === 'string' ? value : fail('form', 'no text');
const list = (value: Json | undefined, most: number): Json[] =>
  Array.isArray(value) && value.length <= most ? value : fail('form', 'no list, or too long a one');
function hash(value: Json | undefined): Buffer {
  const text = string(value);
  return HASH.test(text) ? Buffer.from(text, 'hex') : fail('form', 'no hash');
}
const hashes = (value: Json | undefined): Buffer[] => list(value, 54).map(hash);
function decimal(value: Json | undefined): string {
  const text = string(value);
  return DECIMAL.test(text) ? text : fail('form', 'no decimal');
}
function oneOf<T extends string>(value: Json | undefined, ...all: readonly T[]): T {
  return all.find((each) => each === value) ?? fail('form', `none of ${all}`);
}
const orNull = <T>(value: Json | undefined, read: (value: Json | undefined) => T): T | null =>
  value === null ? null : read(value);

function readProof(value: Json | undefined): Proof {
  const { fromSize, fromRoot, proof } = members(value, 'fromSize', 'fromRoot', 'proof');
  return { fromSize: number(fromSize), fromRoot: hash(fromRoot), proof: hashes(proof) };
}

function readOutcome(value: Json | undefined): Outcome {
  const names = ['openPrice', 'settlePrice', 'result', 'payout', 'voidReason'] as const;
  const read = members(value, ...names);
  return {
    openPrice: orNull(read.openPrice, decimal),
    settlePrice: orNull(read.settlePrice, decimal),
    result: oneOf(read.result, 'profit', 'loss', 'none'),
    payout: decimal(read.payout),
    voidReason: orNull(read.voidReason, (text) => oneOf(text, 'not_logged', 'no_open', 'gap', 'stale')),
  };
}

const ROLES = [
  'rules',
  'beforeAccept',
  'orders',
  'beforeOpen',
  'open',
  'beforeSettle',
  'settle',
  'afterSettle',
  'head',
  'key',
];
const SEVERAL = ['rules', 'beforeOpen', 'beforeSettle', 'afterSettle', 'key'];

function readShown(value: Json): Shown {
  const { role, index, entry, proof } = members(value, 'role', 'index', 'entry', 'proof');
  const text = string(entry);
  return {
    role: oneOf(role, ...ROLES),
    index: number(index),
    text,
    leaf: leafOf(text),
    proof: hashes(proof),
    entry: readEntry(text),
  };
}

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
  must(top.version === 1, 'form', 'another version');
  const own = members(top.acceptance, 'text', 'index', 'size', 'proof', 'signed');
  const acceptance = readAcceptance(string(own.text));
  const batch = orNull(top.batch, (each) => {
    const read = members(each, 'number', 'proof');
    return { number: number(read.number), proof: hashes(read.proof) };
  });
  const all = list(top.entries, 256).map(readShown);
  return {
    text: string(own.text),
    acceptance,
    index: number(own.index),
    size: number(own.size),
    proof: hashes(own.proof),
    signed: string(own.signed),
    batch,
    ...byRole(all, acceptance.symbol, batch === null),
    all,
    checkpoint: string(top.checkpoint),
    consistency: readProof(top.consistency),
    seen: orNull(top.seen, readProof),
    outcome: readOutcome(top.outcome),
  };
}

function byRole(all: readonly Shown[], symbol: string, unlogged: boolean) {
  all.forEach(({ role, index }, at) => {
    const before = all[at - 1];
    if (!before) return;
    const step = ROLES.indexOf(role) - ROLES.indexOf(before.role);
    must(
      step > 0 || (step === 0 && SEVERAL.includes(role) && index > before.index),
      'form',
      'order of roles',
    );
  });
  const of = <E extends Entry>(role: string, ...types: readonly E['type'][]): Shown<E>[] =>
    all
      .filter((each) => each.role === role)
      .map((each) =>
        types.some((type) => type === each.entry.type) ? each : fail('form', `type of ${role}`),
      )
      .map((each) => each as Shown<E>);
  const moves = (role: string) =>
    of<Tick | Gap>(role, 'tick', 'gap').map((each) =>
      each.entry.symbol === symbol ? each : fail('form', `${role} of another product`),
    );
  const [before = [], open = [], after = []] = ['beforeOpen', 'open', 'afterSettle'].map(moves);
  const beforeSettle = moves('beforeSettle');
  const settle = moves('settle').map((each) =>
    each.entry.type === 'tick' ? (each as Shown<Tick>) : fail('form', 'settled by no tick'),
  );
  const parts = {
    rules: of<Rules>('rules', 'rules'),
    beforeAccept: all.find(({ role }) => role === 'beforeAccept') ?? fail('form', 'no beforeAccept'),
    orders: of<Orders>('orders', 'orders')[0] ?? null,
    opening: [...before, ...open],
    open: open[0] ?? null,
    settling: [...beforeSettle, ...settle, ...after],
    settle: settle[0] ?? null,
    head: of<Tick | Gap | Orders>('head', 'tick', 'gap', 'orders')[0] ?? null,
    handOvers: all.filter(({ role }) => role === 'key'),
  };
  must(parts.rules.length > 0, 'form', 'no rules');
  must(new Set(parts.rules.map(({ text }) => text)).size === parts.rules.length, 'form', 'rules twice');
  const ofProduct = parts.head !== null && 'symbol' in parts.head.entry && parts.head.entry.symbol === symbol;
  must(unlogged || !ofProduct, 'form', 'head of the product whose silence it is to show');
  const has = (role: string) => all.some((each) => each.role === role);
  const runs = ROLES.slice(2).filter((role) => role !== 'head' && role !== 'key' && has(role));
  const form = unlogged ? 'unlogged' : runs.length === 1 ? 'late' : has('settle') ? 'opened' : 'unopened';
  const wanted: Record<Form, boolean> = {
    opened: runs.length === 6,
    unopened: runs.join() === (has('head') ? 'orders,beforeOpen' : 'orders,beforeOpen,open'),
    late: runs.join() === 'orders' && !has('head'),
    unlogged: runs.length === 0 && has('head'),
  };
  must(wanted[form], 'form', `roles of ${form}`);
  return { form: form as Form, ...parts };
}
