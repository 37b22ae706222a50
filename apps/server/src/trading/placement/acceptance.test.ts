import { createHash } from 'node:crypto';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { keysOf, readTexts, rootOfTexts } from '@fairtick/kit/installation/writers.ts';
import {
  leafHash,
  type NoteVerifier,
  nobleVerifier,
  openNote,
  parseCheckpoint,
  rootOf,
  toHex,
  verifyAcceptance,
} from '@fairtick/proof';
import { beforeAll, describe, expect, test } from 'vitest';
import { batchOf } from '../order-terms.ts';

let acceptances: NoteVerifier;
let checkpoints: NoteVerifier;
const still = forFile(() => pricedHouse());
beforeAll(async () => {
  const { verifierKeys } = keysOf(still.house);
  acceptances = nobleVerifier(verifierKeys.acceptances) as NoteVerifier;
  checkpoints = nobleVerifier(verifierKeys.checkpoints) as NoteVerifier;
});

const NONCE = '00112233445566778899aabbccddeeff';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('an acceptance', () => {
  test('is signed and states the terms, the time and the log’s head', async () => {
    const customer = await still.house.customer();
    const texts = await readTexts(still.house);
    const seen = { size: texts.length - 3, root: rootOfTexts(texts.slice(0, -3)) };
    const request = still.house.request(customer, {
      symbol: 'EUR/USD',
      amount: '250.5',
      direction: 'down',
      minutes: 5,
      key: 'a key of mine',
    });
    const opensAt = Math.ceil((still.nowMs + 3_500) / 1_000) * 1_000;
    const named = { opensAtMs: opensAt, nonce: NONCE };
    const [answer] = await still.place([{ ...request, seen, named }]);
    const orderId = answer?.kind === 'accepted' ? answer.orderId : 0;
    const { acceptance } = await still.shown(customer, orderId);
    const rules = texts.find((text) => text.startsWith('rules|4|EUR/USD|')) as string;
    expect(verifyAcceptance(acceptance, [acceptances])).toEqual({
      orderId: String(orderId),
      batch: batchOf(orderId),
      asked: sha256(`fairtick-asked/4\nEUR/USD\ndown\n5\nDEMO\n250.500000\n${opensAt}\n${NONCE}`),
      symbol: 'EUR/USD',
      direction: 'down',
      minutes: 5,
      asset: 'DEMO',
      amount: '250.500000',
      payoutRate: '0.85',
      rulesHash: toHex(leafHash(rules)),
      acceptedAt: still.nowMs,
      opensAt,
      settlesAt: opensAt + 300_000,
      logSize: texts.length,
      logRoot: rootOfTexts(texts),
      seenSize: seen.size,
      seenRoot: seen.root,
    });
  });

  test('leaves what the customer saw and asked for empty if the customer names nothing', async () => {
    const customer = await still.house.customer();
    const orderId = await still.buy(customer, { symbol: 'EUR/USD', amount: '10' });
    const { acceptance } = await still.shown(customer, orderId);
    expect(verifyAcceptance(acceptance, [acceptances])).toMatchObject({
      asked: null,
      opensAt: Math.ceil((still.nowMs + 2_000) / 1_000) * 1_000,
      seenSize: null,
      seenRoot: null,
    });
    const lines = acceptance.text.split('\n');
    expect([lines[3], lines[16], lines[17], lines.length]).toEqual(['', '', '', 18]);
  });

  test('does not verify under another key, with a changed word or at another place', async () => {
    const customers = await still.customers(3);
    const answers = await still.place(
      customers.map((customer) => still.house.request(customer, { symbol: 'EUR/USD', amount: '10' })),
    );
    const ids = answers.map((answer) => (answer.kind === 'accepted' ? answer.orderId : 0));
    const { acceptance } = await still.shown(customers[1] as string, ids[1] as number);
    expect(verifyAcceptance(acceptance, [acceptances])).not.toBeNull();
    expect(verifyAcceptance(acceptance, [checkpoints])).toBeNull();
    const text = acceptance.text.replace('\nup\n', '\ndown\n');
    expect(verifyAcceptance({ ...acceptance, text }, [acceptances])).toBeNull();
    expect(verifyAcceptance({ ...acceptance, index: 0 }, [acceptances])).toBeNull();
    const other = await still.shown(customers[2] as string, ids[2] as number);
    expect(verifyAcceptance({ ...acceptance, proof: other.acceptance.proof }, [acceptances])).toBeNull();
  });
});

describe('a batch', () => {
  test.each([1, 2, 7, 64])('of %i is under one signature, each order at its own place', async (size) => {
    const customers = await still.customers(size);
    const answers = await still.place(
      customers.map((customer) => still.house.request(customer, { symbol: 'EUR/USD', amount: '10' })),
    );
    const notes = new Set<string>();
    for (const [place, answer] of answers.entries()) {
      if (answer.kind !== 'accepted') throw new Error('not accepted');
      const { acceptance } = await still.shown(customers[place] as string, answer.orderId);
      expect(acceptance).toMatchObject({ index: place, size });
      expect(verifyAcceptance(acceptance, [acceptances])).toMatchObject({ orderId: String(answer.orderId) });
      notes.add(acceptance.signed);
    }
    expect(notes.size).toBe(1);
  });

  test('is logged under the root that its customers hold, in one entry with the other batches', async () => {
    await still.stepBy(250);
    await still.tick('EUR/USD', '1.08400');
    const [ann, bob] = (await still.customers(2)) as [string, string];
    const logged = (await readTexts(still.house)).length;
    const boughtMs = still.nowMs;
    const orders = [
      { customer: ann, id: await still.buy(ann, { symbol: 'EUR/USD', amount: '10' }) },
      { customer: bob, id: await still.buy(bob, { symbol: 'EUR/USD', amount: '10' }) },
    ];
    // A batch in which every order is refused has no number.
    const [refused] = await still.place([still.house.request(ann, { symbol: 'EUR/USD', amount: '1' })]);
    expect(refused).toMatchObject({ code: 'AMOUNT_TOO_SMALL' });
    await still.stepBy(250);
    const entries = (await readTexts(still.house)).slice(logged).filter((text) => text.startsWith('orders|'));
    expect(entries).toHaveLength(1);
    const [, , timeMs, first, last, firstMs, lastMs, root] = (entries[0] as string).split('|');
    const roots: Uint8Array[] = [];
    for (const { customer, id } of orders) {
      const { acceptance } = await still.shown(customer, id);
      const note = openNote(acceptance.signed, [acceptances]);
      const checkpoint = note && parseCheckpoint(note.text);
      expect(checkpoint?.origin).toBe('test.invalid/api/transparency/acceptances');
      roots.push(checkpoint?.root as Uint8Array);
    }
    expect(toHex(rootOf(roots.map((one) => leafHash(one))))).toBe(root);
    expect([Number(first), Number(last)]).toEqual([
      batchOf(orders[0]?.id as number),
      batchOf(orders[1]?.id as number),
    ]);
    expect([firstMs, lastMs]).toEqual([String(boughtMs), String(boughtMs)]);
    expect(Number(timeMs)).toBe(still.nowMs);
  });
});
