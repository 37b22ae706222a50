import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { isOwned, ownershipText, parseHoldings } from './holdings.ts';

const KEY = `0x${'11'.repeat(32)}` as const;
const ORIGIN = 'fairtick.example/log';
const owner = privateKeyToAccount(KEY);
const address = owner.address.toLowerCase();
/** As a wallet signs it. */
const signed = async (origin = ORIGIN) =>
  (await owner.signMessage({ message: ownershipText(origin, address) })).slice(2);

test('a signature proves an address for one house alone', async () => {
  const signature = await signed();
  expect(isOwned(ORIGIN, { address, signature })).toBe(true);
  expect(isOwned('other.example/log', { address, signature })).toBe(false);
  expect(isOwned(ORIGIN, { address: `0x${'ab'.repeat(20)}`, signature })).toBe(false);
  for (const wrong of ['', 'zz', signature.slice(2), `${signature.slice(0, -2)}1d`, '0'.repeat(130)])
    expect(isOwned(ORIGIN, { address, signature: wrong })).toBe(false);
});

test('an entry of what is held is read strictly', async () => {
  const text = `holdings|4|2026-11-29|1795939200000|USDT|ethereum|1|0x${'da'.repeat(20)}|6|21000000|0x${'5'.repeat(64)}|12345678`;
  const own = `${address}:340282366920938463463374607431768211456:${await signed()}`;
  expect(parseHoldings(`${text}|`)).toMatchObject({ date: '2026-11-29', deposits: 12_345_678n, own: [] });
  expect(parseHoldings(`${text}|${own}`)?.own).toEqual([
    { address, units: 2n ** 128n, signature: await signed() },
  ]);
  for (const wrong of [
    text,
    `${text}|${own},${own}`,
    `${text}|${own},`,
    `${text}|${own.toUpperCase()}`,
    ` ${text}|`,
  ])
    expect(parseHoldings(wrong)).toBeNull();
});
