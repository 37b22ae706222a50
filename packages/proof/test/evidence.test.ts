/** What a customer holds soon after the acceptance, and what it shows when a receipt says otherwise later. */
import { describe, expect, test } from 'vitest';
import { contradictionOf, readLogged, verifyLogged, verifyReceipt } from '../src/index.ts';
import { refusedAnswers } from './refused-answers.ts';
import {
  ACCEPTANCES_KEY,
  AT,
  carriedAgain,
  LOG_KEY,
  loggedAt,
  loggedOf,
  logOf,
  NONCE,
  receiptOf,
  SIGNED_MS,
  STORIES,
  type Story,
  story,
  TRUSTED,
  WITNESSED,
  withMore,
} from './story.ts';

const won = story('won');
const { acceptance } = receiptOf(won);
const judged = (answer: unknown, held = acceptance, keys = TRUSTED) => verifyLogged(held, answer, { keys });

describe('the answer about an acceptance', () => {
  test('is valid as soon as a checkpoint covers the entry that carries it', () => {
    const report = judged(loggedOf(won));
    expect(report).toMatchObject({ isValid: true, fault: null });
    expect(report.found).toMatchObject({ index: 5, timeMs: AT.logged, isInTime: true, witnesses: [] });
    expect(report.found?.checkpoint).toMatchObject({ size: 6 });
    expect(judged(loggedOf({ ...won, held: { size: won.log.length, timeMs: SIGNED_MS } })).isValid).toBe(
      true,
    );
    for (const told of Object.values(STORIES))
      expect(judged(loggedOf(told), receiptOf(told).acceptance).fault).toBe(null);
  });

  test('names the witnesses that cosigned it before the order opens', () => {
    const told = story('won, witnessed before it opened');
    const { found } = judged(loggedOf(told), receiptOf(told).acceptance, WITNESSED);
    expect(found?.witnesses).toEqual(['witness.example/6', 'witness.example/7']);
    expect(found?.witnessedBefore).toEqual(['witness.example/6', 'witness.example/7']);
    const late = { ...told, held: { cosignedMs: [AT.opens, AT.before - 5_000] } };
    expect(judged(loggedOf(late), receiptOf(told).acceptance, WITNESSED).found).toMatchObject({
      witnesses: ['witness.example/6'],
      witnessedBefore: [],
    });
  });

  test('says so when the entry came too late', () => {
    const late = story('void, logged too late');
    expect(judged(loggedOf(late), receiptOf(late).acceptance).found?.isInTime).toBe(false);
    const justInTime = loggedAt(won, 6, AT.deadline);
    expect(judged(loggedOf(justInTime), receiptOf(justInTime).acceptance).found?.isInTime).toBe(true);
  });

  test.each(Object.entries(refusedAnswers(loggedOf(won))))('is refused where %s', (_, { answer, fault }) => {
    const { found, refusedBy, fault: said, isValid } = judged(answer);
    expect([isValid, `${refusedBy}: ${said}`, found]).toEqual([false, fault, null]);
  });

  test('is refused for another acceptance, and for one that no trusted key signed', () => {
    const other = receiptOf({ ...won, terms: { orderId: '8' } }).acceptance;
    expect(judged(loggedOf(won), other).fault).toBe('the batch is not under the root of the orders entry');
    expect(judged(loggedOf(won), { ...acceptance, signed: 'x' }).fault).toMatch(/not signed by a key/);
    expect(judged(loggedOf(won), { ...acceptance, text: acceptance.text.replace('up', 'down') }).fault).toBe(
      'the acceptance is not in the batch that was signed',
    );
    const strange = { ...TRUSTED, log: TRUSTED.acceptances };
    expect(judged(loggedOf(won), acceptance, strange).isValid).toBe(false);
  });

  test('follows the keys that were handed over', () => {
    const told = story('won, signed with keys that followed');
    const answer = loggedOf(told);
    expect(judged(answer, receiptOf(told).acceptance)).toMatchObject({ isValid: true });
    expect(judged({ ...answer, keys: [] }, receiptOf(told).acceptance).fault).toMatch(/not signed by a key/);
    expect(judged({ ...answer, keys: answer.keys.toReversed() }, receiptOf(told).acceptance).fault).toBe(
      'the entry at 2 stands in the wrong place',
    );
    expect(LOG_KEY.verifierKey).not.toBe(ACCEPTANCES_KEY.verifierKey);
  });

  test('is read strictly', () => {
    expect(readLogged(loggedOf(won))).not.toBe(null);
    expect(readLogged({ ...loggedOf(won), checkpoint: 5 })).toBe(null);
    expect(readLogged([])).toBe(null);
  });
});

describe('a receipt', () => {
  const held = { acceptanceText: acceptance.text, logged: loggedOf(won) };

  test('of the same order agrees with what is held', () => {
    expect(contradictionOf(held, receiptOf(won))).toBe(null);
    for (const told of Object.values(STORIES)) {
      const receipt = receiptOf(told);
      const own = { acceptanceText: receipt.acceptance.text, logged: loggedOf(told) };
      expect(contradictionOf(own, receipt)).toBe(null);
    }
  });

  test('that voids a win by carrying its batch again is valid by itself, and contradicts what is held', () => {
    const receipt = receiptOf(carriedAgain());
    expect(verifyReceipt(receipt, { keys: TRUSTED }).isValid).toBe(true);
    expect(contradictionOf(held, receipt)).toBe('orders');
    const kept = held;
    const report = verifyReceipt(receipt, { keys: TRUSTED, kept });
    expect(report.steps.find(({ state }) => state === 'refuted')).toMatchObject({ id: 'kept' });
    expect(report.isValid).toBe(false);
    expect(verifyReceipt(receiptOf(won), { keys: TRUSTED, kept }).isValid).toBe(true);
    // The evidence alone is enough.
    expect(verifyReceipt(receipt, { keys: TRUSTED, kept: { logged: kept.logged } }).isValid).toBe(false);
  });

  test('that starts from another log than the held one contradicts it, though it is valid by itself', () => {
    const receipt = receiptOf({ ...won, held: { size: 7 } });
    const kept = held;
    expect(verifyReceipt(receipt, { keys: TRUSTED }).isValid).toBe(true);
    expect(contradictionOf(held, receipt)).toBe('checkpoint');
    const report = verifyReceipt(receipt, { keys: TRUSTED, kept });
    expect(report.steps.find(({ state }) => state === 'refuted')?.fault).toBe(
      'it does not show that its log continues the one that was kept',
    );
    const fork = { log: won.log.with(2, won.log[1] as string) };
    const { checkpoint } = loggedOf({ ...won, held: fork });
    expect(contradictionOf({ ...held, logged: { ...held.logged, checkpoint } }, receiptOf(won))).toBe(
      'checkpoint',
    );
    // Another time or other cosignatures make no other log.
    const same = receiptOf({ ...won, held: { timeMs: AT.opens, cosignedMs: [AT.opens] } });
    expect(contradictionOf(held, same)).toBe(null);
  });

  test('agrees with the nonce of what was asked for, and with no other', () => {
    const faultWith = (told: Story, nonce: string) => {
      const report = verifyReceipt(receiptOf(told), { keys: TRUSTED, kept: { nonce } });
      return report.steps.find(({ state }) => state === 'refuted')?.fault ?? null;
    };
    const wrong = 'the acceptance does not name what was asked for with this nonce';
    const { asked } = logOf(won).terms;
    expect(faultWith(won, NONCE)).toBe(null);
    expect(faultWith(won, NONCE.replace('0', '1'))).toBe(wrong);
    expect(faultWith(story('won, the server chose the opening time'), NONCE)).toBe(wrong);
    // It names the hash of what was asked for, and another time.
    const moved = { ...story('won, opened at the latest time that may be named') };
    expect(faultWith(moved, NONCE)).toBe(null);
    expect(faultWith({ ...moved, terms: { ...moved.terms, asked } }, NONCE)).toBe(wrong);
  });

  test('with other terms contradicts, and one of another order does not', () => {
    expect(contradictionOf(held, receiptOf({ ...won, terms: { amount: '1.000000' } }))).toBe('acceptance');
    expect(contradictionOf(held, receiptOf({ ...won, terms: { orderId: '8' } }))).toBe(null);
    expect(contradictionOf({ acceptanceText: held.acceptanceText }, receiptOf(withMore(won, 12)))).toBe(null);
  });
});
