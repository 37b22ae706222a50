import { readFileSync } from 'node:fs';
import { Random } from '@fairtick/kit/hostile/random.ts';
import {
  type NoteVerifier,
  nobleVerifier,
  parseReceipt,
  verifyLogged,
  verifyReceipt,
  witnessVerifier,
} from '@fairtick/proof';
import { expect, test } from 'vitest';
import { readKey, readWitness } from '../reading.ts';
import { verify, verifyEvidence } from '../verify.ts';

/**
 * Random changes of valid receipts, and of evidence; `mutations.ts` makes others by rule. Each has to be refused, whatever it changes,
 * and by packages/proof at the same check. Signed updates and witnesses' lines alone may be left out: then the verdict claims less.
 */
const MUTATIONS = Number(process.env.MUTATIONS ?? 12_000);
const EVIDENCE = MUTATIONS / 3;
const FILE = new URL('../../../docs/receipt-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(FILE, 'utf8'));
// With the witnesses pinned: lines of other keys prove nothing, and may be changed.
const keys = {
  log: readKey(vectors.keys.log),
  acceptances: readKey(vectors.keys.acceptances),
  witnesses: vectors.witnesses.map(readWitness),
};

const published = {
  log: [nobleVerifier(vectors.keys.log) as NoteVerifier],
  acceptances: [nobleVerifier(vectors.keys.acceptances) as NoteVerifier],
  witnesses: vectors.witnesses.map((key: string) => witnessVerifier(key) as NoteVerifier),
};
function checkBy(text: string): string {
  const { steps, isValid } = verifyReceipt(parseReceipt(text), { keys: published });
  return isValid ? 'valid' : (steps.find(({ state }) => state === 'refuted')?.id ?? 'none');
}

type Path = readonly (string | number)[];
function* walk(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (value === null || typeof value !== 'object') return;
  for (const [name, part] of Object.entries(value))
    yield* walk(part, [...path, Array.isArray(value) ? Number(name) : name]);
}

const SIGNS = '0123456789abcdefABCDEF|;,.-+= \n/fixcloseuse';
function changedText(random: Random, text: string): string {
  const at = random.whole(0, text.length);
  const to = at + random.whole(0, 4);
  const other = random.of([...SIGNS]);
  switch (random.whole(0, 5)) {
    case 0:
      return text.slice(0, at) + other + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(to);
    case 2:
      return text.slice(0, at) + text.slice(at, to) + text.slice(at);
    case 3:
      return text.replace(/[0-9]+/, (digits) => String(BigInt(digits) + BigInt(random.whole(-300, 300))));
    case 4:
      return text.slice(0, at) + [...text.slice(at, to)].reverse().join('') + text.slice(to);
    default:
      return text.slice(0, at) + other + text.slice(at + 1);
  }
}

function mutated(random: Random, receipt: unknown, other: unknown): string {
  const copy: any = structuredClone(receipt);
  const places = [...walk(copy)];
  const path = random.of(places);
  const last = path.at(-1) as string | number;
  const holder = path.slice(0, -1).reduce((at, name) => at[name], copy);
  const value = holder[last];
  const list: unknown[] | null = Array.isArray(holder) ? holder : null;
  const kind = random.whole(0, 9);
  if (kind === 0 && list) list.splice(Number(last), 1);
  else if (kind === 1 && list) list.splice(Number(last), 0, structuredClone(value));
  else if (kind === 2 && list)
    list.splice(random.whole(0, list.length - 1), 1, ...list.splice(Number(last), 1));
  else if (kind === 3) holder[last] = path.reduce((at: any, name) => at?.[name], other) ?? null;
  else if (kind === 4) delete holder[last];
  else if (typeof value === 'number') holder[last] = value + random.whole(-3, 3);
  else if (typeof value === 'string') holder[last] = changedText(random, value);
  else if (value === null) holder[last] = random.of(['no_price', 'not_logged', '1.1', {}, 0]);
  else holder[last] = random.of([null, [], {}, '', 0]);
  return JSON.stringify(copy);
}

/** Lines of notes that witnesses sign, in the text of a receipt. */
const WITNESS_LINES = /— (?!example\.com)[^\\"]*(?:\\n)?/g;

/**
 * A receipt less what proves nothing in it: a witness's line of a time after the opening, as a stranger's, and the opening of an order whose
 * settlement has no fix, because it wins in full as well if the fix of its opening is the missing one.
 */
function proven(text: string, form: string): string {
  const receipt = JSON.parse(text.replaceAll(WITNESS_LINES, ''));
  const isProof = ({ role }: { role: string }) => !(form === 'unfixed' && role === 'opening');
  return JSON.stringify({ ...receipt, entries: receipt.entries.filter(isProof) });
}

test(`${MUTATIONS} random changes of valid receipts are refused`, { timeout: 600_000 }, () => {
  const random = new Random(27);
  const receipts = Object.values<any>(vectors.receipts).map(({ receipt }) => receipt);
  /** Witnesses, less what is not proved. */
  const claim = (verdict: ReturnType<typeof verify>): number =>
    verdict.valid ? verdict.witnesses + verdict.witnessedBefore - verdict.limits.length : 0;
  const claims = new Map(receipts.map((receipt) => [receipt, claim(verify(JSON.stringify(receipt), keys))]));
  // A true line of another receipt with the same checkpoint proves more, and rightly so.
  const genuine = new Set(receipts.flatMap((receipt) => JSON.stringify(receipt).match(WITNESS_LINES) ?? []));
  const valid = new Set(receipts.map((receipt) => JSON.stringify(receipt)));
  const taken: string[] = [];
  const otherwise: string[] = [];
  const checks = new Map<string, number>();
  for (let count = 0; count < MUTATIONS; ) {
    const receipt = random.of(receipts);
    const text = mutated(random, receipt, random.of(receipts));
    if (valid.has(text)) continue;
    count += 1;
    const verdict = verify(text, keys);
    if (verdict.valid) {
      const before = claims.get(receipt) ?? 0;
      const isSame = proven(text, verdict.form) === proven(JSON.stringify(receipt), verdict.form);
      const isForged = (text.match(WITNESS_LINES) ?? []).some((line) => !genuine.has(line));
      if (isSame ? isForged && claim(verdict) > before : claim(verdict) >= before) taken.push(text);
      else expect(checkBy(text)).toBe('valid');
    } else {
      const other = checkBy(text);
      if (other !== verdict.refusedBy)
        otherwise.push(`${verdict.refusedBy}: ${verdict.why}, ${other}: ${text.slice(0, 3000)}`);
      checks.set(verdict.refusedBy, (checks.get(verdict.refusedBy) ?? 0) + 1);
    }
  }
  console.log(JSON.stringify(Object.fromEntries(checks)));
  expect(taken).toEqual([]);
  expect(otherwise).toEqual([]);
});

test(`${EVIDENCE} random changes of evidence are refused`, { timeout: 600_000 }, () => {
  const random = new Random(28);
  const all = Object.values<any>(vectors.evidence);
  const valid = new Set(all.map(({ answer, acceptance }) => JSON.stringify([answer, acceptance])));
  const taken: string[] = [];
  const otherwise: string[] = [];
  const checks = new Map<string, number>();
  for (let count = 0; count < EVIDENCE; ) {
    const { answer, acceptance } = random.of(all);
    const isOfAcceptance = random.isLikely(0.1);
    const text = changedText(random, acceptance.text);
    const own = isOfAcceptance ? { ...acceptance, text } : acceptance;
    const made = isOfAcceptance ? JSON.stringify(answer) : mutated(random, answer, random.of(all).answer);
    if (valid.has(`[${made},${JSON.stringify(own)}]`)) continue;
    count += 1;
    const second = verifyEvidence(made, JSON.stringify(own), keys);
    const { refusedBy } = verifyLogged(own, JSON.parse(made), { keys: published });
    const by = second.valid ? null : second.refusedBy;
    if (second.valid) taken.push(`${made.slice(0, 3000)} ${own.text}`);
    if (by !== refusedBy) otherwise.push(`${by}, ${refusedBy}: ${made.slice(0, 3000)} ${own.text}`);
    checks.set(by ?? 'valid', (checks.get(by ?? 'valid') ?? 0) + 1);
  }
  console.log(JSON.stringify(Object.fromEntries(checks)));
  expect(taken).toEqual([]);
  expect(otherwise).toEqual([]);
  expect(checks.size).toBe(8);
});
