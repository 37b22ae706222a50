import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { expect, test } from 'vitest';
import {
  type NoteVerifier,
  parseVerifierKey,
  type Receipt,
  type TrustedKeys,
  verifyReceipt,
} from '../../packages/proof/src/index.ts';
import {
  ACCEPTANCES_KEY,
  LOG_KEY,
  receiptOf,
  STORIES,
  type Story,
  WITNESSED,
} from '../../packages/proof/test/story.ts';

/**
 * Promise 21: 100 000 receipts are verified offline, and 10 000 mutated ones are refused. Each receipt has an order, a batch and
 * a log of its own; every mutation changes one value. RECEIPTS and MUTATIONS set the counts, SEED repeats a run.
 */
const RECEIPTS = Number(process.env.RECEIPTS ?? 100_000);
const MUTATIONS = Number(process.env.MUTATIONS ?? 10_000);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));

/** Native signatures: the portable ones give the same results (node-crypto.test.ts) and take ten times as long. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

function nativeVerifier(text: string): NoteVerifier {
  const key = parseVerifierKey(text);
  if (!key) throw new Error('no key');
  const open: KeyObject = createPublicKey({
    key: Buffer.concat([SPKI, key.publicKey]),
    format: 'der',
    type: 'spki',
  });
  return {
    name: key.name,
    keyId: key.keyId,
    verify: (message, signature) => verify(null, message, open, signature),
  };
}

const keys: TrustedKeys = {
  log: [nativeVerifier(LOG_KEY.verifierKey)],
  acceptances: [nativeVerifier(ACCEPTANCES_KEY.verifierKey)],
  witnesses: WITNESSED.witnesses,
};
const isValid = (receipt: unknown): boolean => verifyReceipt(receipt, { keys }).isValid;
const stories = Object.values(STORIES);

/** Another order of one of the stories, with its own id, key, and neighbours in the batch. */
function made(random: Random, number: number): Receipt {
  const told = stories[number % stories.length] as Story;
  const idempotencyKeyHash = createHash('sha256').update(`${SEED}/${number}`).digest('hex');
  const terms = { ...told.terms, orderId: String(number + 1), idempotencyKeyHash };
  return receiptOf({ ...told, terms, neighbours: random.whole(0, 6) });
}

/**
 * Whether the character belongs to the name or key id of a witness's line. Changed, it names another key, and the page says that
 * lines of other keys prove nothing: the receipt loses a witness and remains valid.
 */
function namesWitness(text: string, at: number): boolean {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  if (!text.startsWith('— witness.', line)) return false;
  // Four bytes of a key id reach into the sixth character of base64.
  return at < text.indexOf(' ', line + 2) + 1 + 6;
}

/** The paths of all values in a document. */
function placesOf(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  return Object.entries(value).flatMap(([key, each]) =>
    placesOf(each, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** Changes one value: a character of a text, a number or a null; or cuts off a list's end, or removes a member. */
function mutated(receipt: Receipt, random: Random): { changed: unknown; what: string } {
  const changed = JSON.parse(JSON.stringify(receipt));
  const places = placesOf(changed);
  const path = places[random.whole(0, places.length - 1)] as (string | number)[];
  const last = path.at(-1) as string | number;
  const holder = path.slice(0, -1).reduce((at, key) => at[key], changed);
  const value = holder[last];
  const kind = random.whole(0, 7);
  if (kind === 0) delete holder[last];
  else if (kind === 1 && Array.isArray(holder)) holder.splice(Number(last), 1);
  else if (typeof value === 'number') holder[last] = value + (random.whole(0, 1) === 0 ? 1 : -1);
  else if (typeof value === 'string' && value.length > 0) {
    let at: number;
    do at = random.whole(0, value.length - 1);
    while (namesWitness(value, at));
    const letter = value[at] === '0' ? '1' : '0';
    holder[last] = value.slice(0, at) + letter + value.slice(at + 1);
  } else holder[last] = value === null ? 'gap' : '0';
  return { changed, what: `${path.join('/')} (${kind})` };
}

test(`${RECEIPTS} receipts verify, and ${MUTATIONS} mutations of them are refused (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const started = performance.now();
  const refused: number[] = [];
  const taken: string[] = [];
  const every = Math.max(1, Math.floor(RECEIPTS / MUTATIONS));
  let tried = 0;
  for (let number = 0; number < RECEIPTS; number += 1) {
    const receipt = made(random, number);
    if (!isValid(JSON.parse(JSON.stringify(receipt)))) refused.push(number);
    if (number % every !== 0 || tried >= MUTATIONS) continue;
    tried += 1;
    const { changed, what } = mutated(receipt, random);
    // Both as read from a file, and as it is: with a hole where a list lost a member.
    for (const each of [JSON.parse(JSON.stringify(changed)), changed])
      if (isValid(each)) taken.push(`${number}: ${what}`);
  }
  const seconds = (performance.now() - started) / 1000;
  console.log(`${RECEIPTS} receipts and ${tried} mutations in ${seconds.toFixed(0)} s, seed ${SEED}`);
  expect(refused).toEqual([]);
  expect(taken).toEqual([]);
  expect(tried).toBe(Math.min(MUTATIONS, RECEIPTS));
});
