import { readFileSync } from 'node:fs';
import { sample, sized } from '@fairtick/kit/size.ts';
import {
  contradictionOf,
  type HeldLogged,
  isPlainJson,
  type NoteVerifier,
  nobleVerifier,
  parseReceipt,
  type Receipt,
  readLogged,
  verifyLogged,
} from '@fairtick/proof';
import { describe, expect, test } from 'vitest';
import { field } from './frauds/fraud.ts';
import { BEFORE, LAST, withBefore } from './frauds/log-frauds.ts';
import { mutationsOf } from './frauds/mutations.ts';
import { hashOf, LOG, Log, ORIGIN, ordersEntry, restart, rulesEntry, VERIFIER_KEYS } from './house.ts';
import { readKey } from './reading.ts';
import { Signer } from './signing.ts';
import { ACCEPTED, type Choices, END, honest, OPENS, RULES, START, tell } from './story.ts';
import { contradiction, verifyEvidence } from './verify.ts';

/** Evidence of live and of invented logs, which both verifiers have to judge alike. */
const FILE = new URL('../../docs/receipt-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(FILE, 'utf8'));
/** `npm test` judges one mutation in this many, `test:full` all. */
const EVERY = sized(8, 1);

interface Names {
  readonly log: string;
  readonly acceptances: string;
}
/** What each verifier says: the check that refuses it, or whether it is in time. */
function verdictsOf(answer: string, accepted: string, { log, acceptances }: Names): readonly string[] {
  const second = verifyEvidence(answer, accepted, { log: readKey(log), acceptances: readKey(acceptances) });
  const keys = {
    log: [nobleVerifier(log) as NoteVerifier],
    acceptances: [nobleVerifier(acceptances) as NoteVerifier],
    witnesses: [],
  };
  const ways = (isInTime: boolean | undefined): string => (isInTime ? 'in time' : 'late');
  const judged = [second.valid ? ways(second.isInTime) : second.refusedBy];
  if (!isJson(answer)) return [...judged, 'form'];
  const { refusedBy, found } = verifyLogged(JSON.parse(accepted), JSON.parse(answer), { keys });
  return [...judged, refusedBy ?? ways(found?.isInTime)];
}
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return isPlainJson(text);
}

test.each(sample(Object.keys(vectors.evidence).slice(0, 3), 1))(
  'both refuse every mutation of the evidence at the same check: %s',
  { timeout: 180_000 },
  (of) => {
    const { answer, acceptance } = vectors.evidence[of];
    const others = Object.values<any>(vectors.evidence).map((each) => each.answer);
    const wrong: string[] = [];
    let count = 0;
    for (const { name, text } of mutationsOf(answer, [others.at(-1)])) {
      count += 1;
      if (count % EVERY !== 0) continue;
      const [second, published] = verdictsOf(text, JSON.stringify(acceptance), vectors.keys);
      const isRefused = second !== 'in time' && second !== 'late';
      if (!isRefused || second !== published) wrong.push(`${name}: ${second}, ${published}`);
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(1000);
  },
);

const told = (choices: Choices = {}, edit: (evidence: any, accepted: any) => void = () => {}) => {
  const story = tell(choices);
  const { orders } = honest(story).shown;
  const evidence = new Log(story.entries, END).upTo(orders).evidence(story.order, orders);
  const accepted = structuredClone(story.order.accepted);
  edit(evidence, accepted);
  return verdictsOf(JSON.stringify(evidence), JSON.stringify(accepted), VERIFIER_KEYS);
};
const logged = (edit: (entry: string) => string): Choices => ({
  orders: (order, timeMs) => edit(ordersEntry(order, timeMs)),
});
const rules = (changes: object): Choices => ({ rules: rulesEntry(1, START, null, changes) });

describe('evidence of a house that holds its keys', () => {
  test.each<[string, Choices, string]>([
    ['in time', {}, 'in time'],
    ['a second before it opens', { ordersMs: OPENS - 1_000 }, 'in time'],
    ['a millisecond later', { ordersMs: OPENS - 999 }, 'late'],
    ['after it opens', { ordersMs: OPENS + 500 }, 'late'],
    ['no opening time named', { terms: { nonce: null } }, 'in time'],
    ['an opening that the house moved', { terms: { nonce: null, opensAt: OPENS + 1_000 } }, 'rules'],
    [
      'less than D before it opens',
      { ordersMs: OPENS - 1_500, terms: { acceptedAt: OPENS - 1_999 } },
      'rules',
    ],
    ['another settlement', { terms: { lines: { 14: String(OPENS) } } }, 'rules'],
    ['another rate', { terms: { lines: { 10: '0.7' } } }, 'rules'],
    ['rules of another symbol', rules({ symbol: 'GBP/USD' }), 'rules'],
    ['rules that begin later', { rules: rulesEntry(1, ACCEPTED + 1, null) }, 'rules'],
    ['accepted before its log', { terms: { acceptedAt: LAST - 1 } }, 'consistency'],
    [
      'accepted 501 ms after its log',
      { ordersMs: LAST + 600, terms: { acceptedAt: LAST + 501 } },
      'consistency',
    ],
    ['false times of its batch', logged((entry) => field(5, '1')(field(6, '1')(entry))), 'logged'],
    ['another root', logged(field(7, '0'.repeat(64))), 'logged'],
    ['another batch', { terms: { lines: { 3: '2' } } }, 'logged'],
    ['nothing in the open', logged(field(8, '')), 'logged'],
    ['the former fields', logged((entry) => entry.slice(0, entry.lastIndexOf('|'))), 'form'],
    ['dated forward', logged(field(2, String(OPENS))), 'late'],
    ['audited before it', withBefore('audit|4|1|x'), 'form'],
    ['of rules before it', withBefore(rulesEntry(2, OPENS, RULES)), 'form'],
    ...Object.entries(BEFORE).map(
      ([name, entry]) => [`${name} before it`, withBefore(entry), 'in time'] as [string, Choices, string],
    ),
  ])('%s', (_, choices, expected) => {
    expect(told(choices)).toEqual([expected, expected]);
  });

  const chain = Array.from({ length: 257 }, (_, at) => new Signer(ORIGIN, 1, `key ${at}`));
  /** Hand-overs before the acceptance, so that all are covered by the first checkpoint. */
  const withKeys = (count: number): readonly string[] => {
    const entries = chain.slice(0, count).map((to, at) => {
      const by = at === 0 ? LOG : (chain[at - 1] as Signer);
      return `key|4|1|${to.verifierKey}|${by.sign(to.verifierKey).toString('base64')}`;
    });
    const story = tell({ more: [[START + 500, () => entries]] });
    const { orders } = honest(story).shown;
    const first = story.entries.indexOf(entries[0] as string);
    const log = new Log(story.entries.slice(0, orders + 1), OPENS, chain[count - 1]);
    const evidence = log.evidence(story.order, orders);
    const keys = entries.map((_, at) => log.entry(first + at));
    const answer = JSON.stringify({ ...evidence, keys });
    return verdictsOf(answer, JSON.stringify(story.order.accepted), VERIFIER_KEYS);
  };
  test.each([
    [1, 'in time'],
    [65, 'in time'],
    [256, 'in time'],
    [257, 'form'],
  ])('shows %i hand-overs', (count, expected) => {
    expect(withKeys(count)).toEqual([expected, expected]);
  });

  test.each<[string, (evidence: any, accepted: any) => void, string]>([
    ['rules that are none', (it) => Object.assign(it, { rules: it.beforeAccept }), 'form'],
    ['orders that are none', (it) => Object.assign(it, { entry: it.rules.entry }), 'form'],
    ['another batch', (it) => Object.assign(it, { batch: 2 }), 'form'],
    ['a role', (it) => Object.assign(it.rules, { role: 'rules' }), 'form'],
    ['an entry twice as a key', (it) => Object.assign(it, { keys: [it.rules] }), 'form'],
    ['a checkpoint of nobody', (it) => Object.assign(it, { checkpoint: 'x' }), 'checkpoint'],
    ['an acceptance of nobody', (_, own) => Object.assign(own, { signed: 'x' }), 'acceptance'],
    ['an acceptance elsewhere in its batch', (_, own) => Object.assign(own, { index: 1 }), 'acceptance'],
  ])('with %s', (_, edit, expected) => {
    expect(told({}, edit)).toEqual([expected, expected]);
  });
});

test('both find the same contradictions between evidence and receipts of several logs', () => {
  const fork: Choices = { ordersMs: ACCEPTED + 650 };
  const choices: readonly Choices[] = [
    {},
    { ordersMs: OPENS },
    { terms: { nonce: null } },
    { terms: { lines: { 2: '8' } } },
    fork,
    { ...fork, at: (t, tick) => (t === START + 3_500 ? restart(9, t, hashOf(RULES)) : tick) },
  ];
  const stories = choices.map((each) => {
    const { entries, order } = tell(each);
    const { shown, outcome } = honest({ entries, order });
    const log = new Log(entries, END);
    const answer = log.upTo(shown.orders).evidence(order, shown.orders);
    return { answer, order, receipt: JSON.stringify(log.receipt(order, shown, outcome)) };
  });
  const found = new Set<string | null>();
  for (const { answer, order } of stories)
    for (const { receipt } of stories) {
      const second = contradiction(receipt, JSON.stringify(answer), JSON.stringify(order.accepted));
      const held = { acceptanceText: order.text, logged: readLogged(answer) as HeldLogged };
      found.add(second);
      expect(contradictionOf(held, parseReceipt(receipt) as Receipt)).toBe(second);
    }
  expect(found).toEqual(new Set([null, 'acceptance', 'orders', 'checkpoint']));
});
