import type { WithdrawOptions } from '@fairtick/protocol';
import { expect, test } from 'vitest';
import {
  chooseAsset,
  EMPTY_WITHDRAWAL,
  errors,
  summarise,
  type WithdrawalFacts,
  type WithdrawalForm,
} from './withdrawal-model.ts';

const NOW = 1_000_000;
/** What the form's model does not read. */
const UNSEEN = { facts: [], lastPayout: null };
const OPTIONS: WithdrawOptions = {
  missing: [],
  destinations: [
    { id: 'b1', kind: 'bank', asset: 'USD', label: 'Bank •••• 4242', usableAt: NOW, ...UNSEEN },
    { id: 'b2', kind: 'bank', asset: 'USD', label: 'Bank •••• 1881', usableAt: NOW + 60_000, ...UNSEEN },
    { id: 'a1', kind: 'address', asset: 'USDT', label: 'TRC20 TJRabP…jRTv8', usableAt: NOW, ...UNSEEN },
  ],
  assets: [
    { asset: 'USDT', available: '100.000000', min: '10.000000', max: '50000.000000', fee: '1.000000' },
    { asset: 'USD', available: '70000.00', min: '50.00', max: '20000.00', fee: '5.00' },
    { asset: 'BTC', available: '2.00000000', min: '0.00050000', max: null, fee: '0.00010000' },
  ],
  reviewHours: 24,
  holdSeconds: 60,
};
const facts = (
  change: Partial<WithdrawalFacts> = {},
  options: Partial<WithdrawOptions> = {},
): WithdrawalFacts => ({
  options: { ...OPTIONS, ...options },
  available: null,
  nowMs: NOW,
  isNamePending: false,
  ...change,
});
const form = (change: Partial<WithdrawalForm> = {}): WithdrawalForm => ({
  asset: 'USDT',
  destinationId: null,
  amount: '50',
  payWord: '135790',
  ...change,
});

test('a complete form has no fault; amount and withdrawal password are required (S5-15, S5-16)', () => {
  expect(errors(form(), facts())).toEqual({});
  expect(errors(form({ amount: '', payWord: '' }), facts())).toEqual({
    amount: { id: 'wallet.fault.amountRequired' },
    payWord: { id: 'withdrawal.fault.passwordRequired' },
  });
  expect(errors(form({ payWord: '12345' }), facts()).payWord).toEqual({
    id: 'withdrawal.fault.passwordFormat',
  });
  expect(errors(EMPTY_WITHDRAWAL, facts()).asset).toEqual({ id: 'withdrawal.fault.methodRequired' });
});

test.each([
  ['10', null],
  ['9.99', 'withdrawal.fault.tooSmall'],
  ['100', null],
  ['100.000001', 'withdrawal.fault.insufficient'],
  ['50001', 'withdrawal.fault.tooLarge'],
  ['0', 'wallet.fault.amountInvalid'],
  ['50,5', null],
  ['1e1', 'fault.amountUnreadable'],
  ['20.000', 'fault.amountAmbiguous'],
])('%s can be withdrawn, or has this fault: %s (S3-42)', (amount, id) => {
  expect(errors(form({ amount }), facts()).amount?.id ?? null).toBe(id);
});

test('the balance from the stream counts, not the one that came with the options (S3-41)', () => {
  expect(errors(form(), facts({ available: '49.000000' })).amount).toEqual({
    id: 'withdrawal.fault.insufficient',
  });
  expect(summarise(form(), facts({ available: '49.000000' })).all).toBe('49.000000');
});

test('an unchanged request without an answer can be sent again although its money is already held', () => {
  const held = facts({ available: '0.000000' });
  expect(errors(form(), held).amount).toEqual({ id: 'withdrawal.fault.insufficient' });
  expect(errors(form(), held, true)).toEqual({});
  expect(errors(form({ payWord: '' }), held, true).payWord).toEqual({
    id: 'withdrawal.fault.passwordRequired',
  });
});

test('“all” is the balance, or the largest possible withdrawal if that is less', () => {
  expect(summarise(form(), facts()).all).toBe('100.000000');
  expect(summarise(form({ asset: 'USD' }), facts()).all).toBe('20000.00');
  expect(summarise(form({ asset: 'BTC' }), facts()).all).toBe('2.00000000');
});

test('the arriving amount is the amount less the fee, and unknown for an invalid amount', () => {
  expect(summarise(form(), facts()).arrives).toBe('49.000000');
  expect(summarise(form({ amount: '1' }), facts()).arrives).toBeNull();
  expect(summarise(form({ amount: '' }), facts()).arrives).toBeNull();
});

test('while the name is under review the next step is the one after it, and the review itself if nothing else is left', () => {
  const next = (missing: WithdrawOptions['missing'], destinations = OPTIONS.destinations) =>
    summarise(form(), facts({ isNamePending: true }, { missing, destinations }));
  expect(next(['realName', 'payWord', 'address'], []).missing).toBe('payWord');
  expect(next(['realName', 'address'], []).missing).toBe('address');
  expect(next(['realName'])).toMatchObject({
    missing: 'realName',
    steps: [
      { step: 'realName', isDone: false, isPending: true },
      { step: 'payWord', isDone: true, isPending: false },
      { step: 'address', isDone: true, isPending: false },
    ],
  });
  // Before it is submitted, the name comes first, because its review takes longest.
  expect(summarise(form(), facts({}, { missing: ['realName', 'payWord'] })).missing).toBe('realName');
});

test('each method needs a real name, a withdrawal password and its own destination, and the first missing one is named (S5-12, S5-13, S5-14)', () => {
  const nothing = facts({}, { missing: ['payWord', 'bank', 'address', 'realName'], destinations: [] });
  expect(summarise(form({ asset: 'USD' }), nothing)).toMatchObject({
    kind: 'bank',
    missing: 'realName',
    steps: [
      { step: 'realName', isDone: false, isPending: false },
      { step: 'payWord', isDone: false, isPending: false },
      { step: 'bank', isDone: false, isPending: false },
    ],
  });
  expect(summarise(form(), facts({}, { missing: ['payWord'] })).missing).toBe('payWord');
  // An address is bound, but for another asset.
  expect(summarise(form({ asset: 'BTC' }), facts())).toMatchObject({ missing: 'address', destination: null });
  expect(summarise(form(), facts()).missing).toBeNull();
});

test('a method uses the chosen destination, or else its first one, and shows the end of a hold (S3-39, S3-40)', () => {
  expect(summarise(form({ asset: 'USD' }), facts())).toMatchObject({
    destination: { id: 'b1' },
    heldUntil: null,
  });
  expect(summarise(form({ asset: 'USD', destinationId: 'b2' }), facts())).toMatchObject({
    destination: { id: 'b2' },
    heldUntil: NOW + 60_000,
  });
  // A claim of the account holds all of them without an end.
  const { destinations } = facts().options;
  const claimed = facts({}, { destinations: destinations.map((one) => ({ ...one, usableAt: null })) });
  expect(summarise(form({ asset: 'USD' }), claimed)).toMatchObject({ heldUntil: 'claim' });
});

test('a change of method clears destination and amount and keeps the password, which has six digits', () => {
  expect(chooseAsset(form({ destinationId: 'a1' }), 'USD')).toEqual({
    ...{ asset: 'USD', destinationId: null, amount: '' },
  });
  expect(chooseAsset(form(), 'USDT')).toEqual({});
  expect(errors(form({ payWord: '246 813' }), facts())).toEqual({});
});
