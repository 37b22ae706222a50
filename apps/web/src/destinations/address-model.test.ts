import { describe, expect, test } from 'vitest';
import { type Bound, errors, formOf, summarise } from './address-model.ts';

const TRON = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const ETHEREUM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const BITCOIN = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const NONE: Bound = { USDT: null, BTC: null, ETH: null };
const ALL: Bound = { USDT: TRON, BTC: BITCOIN, ETH: ETHEREUM };

describe('the form of the addresses', () => {
  test('has only optional fields (S3-34)', () => {
    const form = formOf(NONE);
    expect([errors(form, NONE), summarise(form, NONE).hasChanges]).toEqual([{}, false]);
    const one = { ...form, ETH: ETHEREUM };
    expect(errors(one, NONE)).toEqual({});
    expect(summarise(one, NONE)).toMatchObject({ fields: { ETH: ETHEREUM }, startsHold: true });
  });

  test('refuses a wrong checksum and an address of another network, with a message for each network', () => {
    const wrong = {
      USDT: `${TRON.slice(0, -1)}9`,
      BTC: `${BITCOIN.slice(0, -1)}5`,
      ETH: ETHEREUM.replace('5a', '5A'),
    };
    expect(errors(wrong, NONE)).toEqual({
      USDT: 'address.wrongUSDT',
      BTC: 'address.wrongBTC',
      ETH: 'address.wrongETH',
    });
    expect(errors({ USDT: BITCOIN, BTC: TRON, ETH: TRON }, NONE)).toEqual({
      USDT: { id: 'address.otherUSDT', values: { name: 'Bitcoin' } },
      BTC: { id: 'address.otherBTC', values: { name: 'Tron' } },
      ETH: { id: 'address.otherETH', values: { name: 'Tron' } },
    });
    const far = {
      USDT: `ethereum:${ETHEREUM}@56`,
      BTC: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
      ETH: `bnb:${ETHEREUM}`,
    };
    expect(errors(far, NONE)).toEqual({
      USDT: { id: 'address.otherUSDT', values: { name: 'BNB Smart Chain' } },
      BTC: 'address.testnet',
      ETH: { id: 'address.otherETH', values: { name: 'BNB Smart Chain' } },
    });
    const others = { USDT: 'ton://transfer/EQ', BTC: 'litecoin:LaMT348PWRnrqeeWArpwQPbuanpXDZGEUz', ETH: '' };
    expect(errors(others, NONE)).toEqual({
      USDT: { id: 'address.otherUSDT', values: { name: 'TON' } },
      BTC: { id: 'address.otherBTC', values: { name: 'Litecoin' } },
    });
  });

  test.each([
    ['BTC', BITCOIN.toUpperCase(), BITCOIN],
    ['BTC', `bitcoin:${BITCOIN}?amount=0.01&label=a`, BITCOIN],
    ['BTC', `BITCOIN:${BITCOIN.toUpperCase()}?AMOUNT=0.01`, BITCOIN],
    ['ETH', ETHEREUM.toLowerCase(), ETHEREUM],
    ['ETH', ETHEREUM.toUpperCase(), ETHEREUM],
    ['ETH', `0x${ETHEREUM.slice(2).toUpperCase()}`, ETHEREUM],
    ['ETH', `ethereum:${ETHEREUM}@1`, ETHEREUM],
    [
      'USDT',
      `ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address=${ETHEREUM}&uint256=1e6`,
      ETHEREUM,
    ],
    ['USDT', `tron:${TRON}?amount=1`, TRON],
    ['USDT', `\u200b${TRON}\u2060`, TRON],
    ['USDT', '415cbdd86a2fa8dc4bddd8a8f69dba48572eec07fb', TRON],
  ] as const)('%s understands %s and sends the form with a checksum', (asset, typed, address) => {
    const form = { ...formOf(NONE), [asset]: typed };
    expect(errors(form, NONE)).toEqual({});
    expect(summarise(form, NONE)).toMatchObject({
      fields: { [asset]: address },
      understood: { [asset]: { address } },
    });
    expect(summarise(form, { ...NONE, [asset]: address }).hasChanges).toBe(false);
  });

  test.each([
    ['USDT', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['USDT', '0xdac17f958d2ee523a2206206994597c13d831ec7'],
    ['USDT', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
    ['USDT', '410000000000000000000000000000000000000000'],
    ['ETH', '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
    ['ETH', `ethereum:0x${'0'.repeat(40)}@1`],
    ['ETH', `0x${'0'.repeat(36)}dead`],
    ['BTC', '1BitcoinEaterAddressDontSendf59kuE'],
    ['BTC', '1CounterpartyXXXXXXXXXXXXXXXUWLpVr'],
    ['BTC', '1111111111111111111114oLvT2'],
    ['USDT', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'],
    ['USDT', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKLxmGkn'],
    ['ETH', `0x${'0'.repeat(39)}1`],
    ['BTC', '31h1vYVSYuKP6AhS86fbRdMw9XHieotbST'],
    ['BTC', 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs'],
  ] as const)('refuses for %s an address that nobody owns, %s', (asset, typed) => {
    expect(errors({ ...formOf(NONE), [asset]: typed }, NONE)).toEqual({ [asset]: 'address.unowned' });
  });

  test('reads no address behind a word that is no scheme of a chain', () => {
    expect(
      errors({ USDT: `demo:${TRON}`, BTC: `pay:${BITCOIN}`, ETH: `constructor:${ETHEREUM}` }, NONE),
    ).toEqual({
      USDT: 'address.wrongUSDT',
      BTC: 'address.wrongBTC',
      ETH: 'address.wrongETH',
    });
  });

  test('names the network while the address is typed, and joins pasted groups', () => {
    const typed = { ...formOf(NONE), USDT: ` ${TRON.match(/.{1,4}/g)?.join(' ')}\n` };
    expect(summarise(typed, NONE).understood).toEqual({
      USDT: { address: TRON, network: 'TRC20' },
      BTC: null,
      ETH: null,
    });
    const other = { ...typed, USDT: ETHEREUM };
    expect(summarise(other, NONE).understood.USDT?.network).toBe('ERC20');
  });

  test('sends changed fields only, and an empty field removes its address', () => {
    expect(summarise(formOf(ALL), ALL).hasChanges).toBe(false);
    const form = { ...formOf(ALL), BTC: '' };
    expect(summarise(form, ALL)).toMatchObject({
      changes: { USDT: 'none', BTC: 'remove', ETH: 'none' },
      fields: { BTC: '' },
      startsHold: false,
    });
    const other = { ...form, USDT: ETHEREUM };
    expect(summarise(other, ALL)).toMatchObject({
      changes: { USDT: 'change', BTC: 'remove', ETH: 'none' },
      fields: { USDT: ETHEREUM, BTC: '' },
      startsHold: true,
    });
    expect(
      errors(formOf({ ...ALL, ETH: 'bound before the check' }), { ...ALL, ETH: 'bound before the check' }),
    ).toEqual({});
  });
});
