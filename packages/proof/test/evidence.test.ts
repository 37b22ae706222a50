/** What a customer holds soon after the acceptance, and what it shows when a receipt says otherwise later. */
import { describe, expect, test } from 'vitest';
import { contradictionOf, readLogged, verifyLogged, verifyReceipt } from '../src/index.ts';
import {
  ACCEPTANCES_KEY,
  AT,
  carriedAgain,
  LOG_KEY,
  loggedOf,
  receiptOf,
  STORIES,
  story,
  TRUSTED,
  withMore,
} from './story.ts';

const won = story('won');
const { acceptance } = receiptOf(won);
const judged = (answer: unknown, held = acceptance, delayMs = 1000) =>
  verifyLogged(held, answer, { keys: TRUSTED, delayMs });

describe('the answer about an acceptance', () => {
  test('is valid as soon as a checkpoint covers the entry that carries it', () => {
    const report = judged(loggedOf(won, 6));
    expect(report).toMatchObject({ isValid: true, fault: null });
    expect(report.found).toMatchObject({ index: 5, timeMs: AT.logged, isInTime: true, witnesses: [] });
    expect(report.found?.checkpoint).toMatchObject({ size: 6 });
    expect(judged(loggedOf(won, won.log.length)).isValid).toBe(true);
  });

  test('says so when the entry came too late', () => {
    const late = story('void, logged too late');
    expect(judged(loggedOf(late, 11), receiptOf(late).acceptance).found?.isInTime).toBe(false);
    expect(judged(loggedOf(won, 6), acceptance, 150).found?.isInTime).toBe(false);
  });

  test.each<[string, (answer: ReturnType<typeof loggedOf>) => unknown, string]>([
    ['is null', () => null, 'this is no answer about an acceptance'],
    ['has a member more', (answer) => ({ ...answer, more: 1 }), 'this is no answer about an acceptance'],
    [
      'names another place',
      (answer) => ({ ...answer, index: 4 }),
      'the entry at 4 is not in the log of the checkpoint',
    ],
    [
      'shows another entry',
      (answer) => ({ ...answer, entry: won.log[4] }),
      'the entry at 5 is no orders entry',
    ],
    [
      'has the proof of another batch',
      (answer) => ({ ...answer, batchProof: answer.batchProof.slice(1) }),
      'the batch is not under the root of the orders entry',
    ],
    [
      'has a checkpoint that another key signed',
      (answer) => ({ ...answer, checkpoint: acceptance.signed }),
      'the checkpoint is not signed by the key of its log',
    ],
    [
      'shows an entry that hands over no key',
      ({ entryProof: proof, ...answer }) => ({
        ...answer,
        entryProof: proof,
        keys: [{ index: answer.index, entry: answer.entry, proof }],
      }),
      'the key at 5 is of another log',
    ],
  ])('is refused where it %s', (_, change, fault) => {
    expect(judged(change(loggedOf(won, 8)))).toEqual({ isValid: false, fault, found: null });
  });

  test('is refused for another acceptance, and for one that no trusted key signed', () => {
    const other = receiptOf({ ...won, terms: { orderId: '8' } }).acceptance;
    expect(judged(loggedOf(won, 6), other).fault).toBe('the batch is not under the root of the orders entry');
    expect(judged(loggedOf(won, 6), { ...acceptance, signed: 'x' }).fault).toMatch(/not signed by a key/);
    expect(
      judged(loggedOf(won, 6), { ...acceptance, text: acceptance.text.replace('up', 'down') }).fault,
    ).toBe('the acceptance is not in the batch that was signed');
    const strange = { ...TRUSTED, log: TRUSTED.acceptances };
    expect(verifyLogged(acceptance, loggedOf(won, 6), { keys: strange, delayMs: 1000 }).isValid).toBe(false);
  });

  test('follows the keys that were handed over', () => {
    const told = story('won, signed with keys that followed');
    const answer = { ...loggedOf(told, told.log.length), checkpoint: receiptOf(told).checkpoint };
    expect(judged(answer, receiptOf(told).acceptance)).toMatchObject({ isValid: true });
    expect(judged({ ...answer, keys: [] }, receiptOf(told).acceptance).fault).toMatch(/not signed by a key/);
    expect(judged({ ...answer, keys: answer.keys.toReversed() }, receiptOf(told).acceptance).fault).toBe(
      'the keys are not entries of a log',
    );
    expect(LOG_KEY.verifierKey).not.toBe(ACCEPTANCES_KEY.verifierKey);
  });

  test('is read strictly', () => {
    expect(readLogged(loggedOf(won, 6))).not.toBe(null);
    expect(readLogged({ ...loggedOf(won, 6), checkpoint: 5 })).toBe(null);
    expect(readLogged([])).toBe(null);
  });
});

describe('a receipt', () => {
  const held = { acceptanceText: acceptance.text, orders: loggedOf(won, 6) };

  test('of the same order agrees with what is held', () => {
    expect(contradictionOf(held, receiptOf(won))).toBe(null);
    for (const told of Object.values(STORIES)) {
      const receipt = receiptOf(told);
      const own = { acceptanceText: receipt.acceptance.text, orders: loggedOf(told, told.log.length) };
      expect(contradictionOf(own, receipt)).toBe(null);
    }
  });

  test('that voids a win by carrying its batch again is valid by itself, and contradicts what is held', () => {
    const receipt = receiptOf(carriedAgain());
    expect(verifyReceipt(receipt, { keys: TRUSTED }).isValid).toBe(true);
    expect(contradictionOf(held, receipt)).toBe('orders');
    const kept = { acceptanceText: held.acceptanceText, orders: held.orders };
    const report = verifyReceipt(receipt, { keys: TRUSTED, kept });
    expect(report.steps.find(({ state }) => state === 'refuted')).toMatchObject({ id: 'kept' });
    expect(report.isValid).toBe(false);
    expect(verifyReceipt(receiptOf(won), { keys: TRUSTED, kept }).isValid).toBe(true);
  });

  test('with other terms contradicts, and one of another order does not', () => {
    expect(contradictionOf(held, receiptOf({ ...won, terms: { amount: '1.000000' } }))).toBe('acceptance');
    expect(contradictionOf(held, receiptOf({ ...won, terms: { orderId: '8' } }))).toBe(null);
    expect(contradictionOf({ acceptanceText: held.acceptanceText }, receiptOf(withMore(won, 12)))).toBe(null);
  });
});
