import type { DepositChannel } from '@fairtick/protocol';
import { expect, test } from 'vitest';
import { chooseChannel, type DepositForm, EMPTY_DEPOSIT, errors, summarise } from './deposit-model.ts';

const channel = (change: Partial<DepositChannel>): DepositChannel => ({
  id: '1',
  asset: 'USDT',
  network: 'TRC20',
  address: 'DEMO-T',
  bank: null,
  qr: 'DEMO-T',
  min: '10.000000',
  max: '50000.000000',
  presets: ['100.000000', '500.000000'],
  fee: '1.000000',
  confirmations: null,
  isDemo: true,
  ...change,
});
const CHANNELS = [
  channel({}),
  channel({ id: '2', network: 'ERC20' }),
  channel({ id: '3', asset: 'BTC', min: '0.00050000', max: '1.00000000', presets: [], fee: '0.00000000' }),
];
const PROOF = { name: 'paid.png' };
const form = (change: Partial<DepositForm>): DepositForm => ({
  channelId: '1',
  amount: '100',
  proof: PROOF,
  ...change,
});
const faultOf = (change: Partial<DepositForm>) => errors(form(change), CHANNELS);

test('an empty form lacks a channel, an amount and a proof (S5-07, S5-08, S5-09)', () => {
  expect(errors(EMPTY_DEPOSIT, CHANNELS)).toEqual({
    channelId: { id: 'wallet.fault.channelRequired' },
    amount: { id: 'wallet.fault.amountRequired' },
    proof: { id: 'wallet.fault.proofRequired' },
  });
  expect(errors(form({}), CHANNELS)).toEqual({});
});

test.each([
  ['10', null],
  ['9.999999', 'wallet.fault.depositTooSmall'],
  ['50000', null],
  ['50000.000001', 'wallet.fault.depositTooLarge'],
  ['0', 'wallet.fault.amountInvalid'],
  ['1.0000001', 'wallet.fault.amountInvalid'],
  ['20.', null],
  ['1,234.5', null],
  ['1,234.5x', 'fault.amountUnreadable'],
  ['1,234', 'fault.amountAmbiguous'],
])('%s is an amount within the limits, or has this fault: %s (S5-10, S9-07)', (amount, id) => {
  expect(faultOf({ amount }).amount?.id ?? null).toBe(id);
});

test('a message shows a limit without trailing zeros and with its asset (S5-10)', () => {
  expect(faultOf({ amount: '1' }).amount?.values).toEqual({ bound: '10 USDT' });
  expect(faultOf({ channelId: '3', amount: '0.0001' }).amount?.values).toEqual({ bound: '0.0005 BTC' });
});

test('the credited amount is the amount less the fee, and an amount that equals a preset selects it (S3-44, S3-45)', () => {
  expect(summarise(form({ amount: '100.00' }), CHANNELS)).toMatchObject({
    credited: '99.000000',
    preset: '100.000000',
  });
  expect(summarise(form({ amount: '1' }), CHANNELS)).toMatchObject({ credited: null, preset: null });
  expect(summarise(form({ amount: '' }), CHANNELS).credited).toBeNull();
});

test('a channel of the same asset keeps the amount, a channel of another clears it, and both keep the proof (S3-46)', () => {
  const to = (id: string) => ({ ...form({}), ...chooseChannel(form({}), id, CHANNELS) });
  expect(to('2')).toEqual(form({ channelId: '2' }));
  expect(to('3')).toEqual(form({ channelId: '3', amount: '' }));
  expect(chooseChannel({ ...EMPTY_DEPOSIT, amount: '5' }, '3', CHANNELS)).toEqual({
    channelId: '3',
    amount: '5',
  });
});
