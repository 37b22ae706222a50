import { pbkdf2Sync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BITCOIN_XPUB, ZPUB } from '@fairtick/kit/chains/fake-core.ts';
import { XPRV, XPUB } from '@fairtick/kit/chains/keys.ts';
import { temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { HDKey } from '@scure/bip32';
import { expect, test } from 'vitest';
import { deriveAddress } from '../money/chains/chain-addresses.ts';
import { readChainsFile } from './chains-file.ts';
import { readConfig } from './config.ts';

const path = join(temporaryFolder('chains'), 'chains.json');
const CHAIN = {
  chain: 'ethereum',
  kind: 'evm',
  chainId: 1,
  network: 'ERC20',
  rpc: 'https://node.example',
  xpub: XPUB,
  confirmations: 12,
  explorer: 'https://explorer.example/tx/{txid}',
  tokens: [{ asset: 'USDT', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7', decimals: 6 }],
};
const read = (value: unknown) => {
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return readChainsFile(path);
};
const faultOf = (value: unknown): string => {
  try {
    read(value);
    return '';
  } catch (error) {
    return (error as Error).message.replace(path, 'FILE');
  }
};

test('chains are read with their bounds, and npm start then watches them', () => {
  const [token] = CHAIN.tokens;
  const tokens = [{ ...token, contract: token?.contract.toLowerCase() }];
  expect(read([CHAIN])).toEqual([{ ...CHAIN, tokens, own: [], pollMs: 2_000, mostBlocks: 1_000 }]);
  expect(readConfig({ CHAINS_FILE: path }).roles).toEqual(new Set(['api', 'engine', 'feed', 'chain']));
  expect(() => readConfig({ ROLE: 'chain' })).toThrow('ROLE=chain needs CHAINS_FILE');
});

test.each([
  ['an extended private key', [{ ...CHAIN, xpub: XPRV }]],
  ['a raw key', [{ ...CHAIN, note: `0x${'ab'.repeat(32)}` }]],
  ['a phrase', [{ ...CHAIN, note: 'test test test test test test test test test test test junk' }]],
])('%s is refused with one line that does not repeat it', (_what, value) => {
  const fault = faultOf(value);
  expect(fault).toBe(
    'CHAINS_FILE FILE holds a private key: only extended public keys belong on a server. Move this key’s money',
  );
});

test.each([
  ['no JSON', '{', 'FILE is no JSON'],
  ['no key', [{ ...CHAIN, xpub: 'xpub1' }], 'FILE at 0.xpub: is no extended public key (xpub…)'],
  ['a name twice', [CHAIN, CHAIN], 'FILE at the top: names a chain twice'],
  ['another setting', [{ ...CHAIN, mnemonic: '' }], 'FILE at 0: Unrecognized key: "mnemonic"'],
])('a file with %s is refused', (_what, value, fault) => {
  expect(faultOf(value)).toBe(`CHAINS_FILE ${fault}`);
});

const BITCOIN = {
  chain: 'bitcoin',
  kind: 'bitcoin',
  network: 'Bitcoin',
  rpc: 'http://u:p@node.example:8332',
};
const TRON = { chain: 'tron', kind: 'tron', network: 'TRC20', rpc: 'https://node.example', xpub: XPUB };
const TRC20 = { asset: 'USDT', contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 };

test('Bitcoin and TRON have their own confirmations, and Bitcoin’s key may have the form of SegWit’s wallets', () => {
  expect(
    read([
      { ...BITCOIN, xpub: ZPUB },
      { ...TRON, tokens: [TRC20] },
    ]),
  ).toEqual([
    {
      ...{ ...BITCOIN, xpub: BITCOIN_XPUB, net: 'main', confirmations: 2, finalAfter: 6, pollMs: 10_000 },
      ...{ mostBlocks: 1_000, tokens: [{ asset: 'BTC', contract: '', decimals: 8 }] },
    },
    {
      ...{ ...TRON, chainId: 728_126_428, confirmations: 1, finalAfter: 20, pollMs: 3_000 },
      ...{ mostBlocks: 50, tokens: [TRC20] },
    },
  ]);
});

test.each([
  [
    'a kind that is not known',
    [{ ...TRON, kind: 'ton' }],
    "FILE at 0.kind: Invalid discriminator value. Expected 'evm' | 'bitcoin' | 'tron'",
  ],
  [
    'a key of SegWit for another chain',
    [{ ...TRON, xpub: ZPUB, tokens: [TRC20] }],
    'FILE at 0.xpub: is no extended public key (xpub…)',
  ],
  [
    'a contract with another checksum',
    [{ ...TRON, tokens: [{ ...TRC20, contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T' }] }],
    'FILE at 0.tokens.0.contract: is no address of a contract',
  ],
  [
    'a bound of Bitcoin’s without a second node',
    [{ ...BITCOIN, xpub: ZPUB, checkFrom: '1' }],
    'FILE at the top: has checkFrom without secondRpc',
  ],
  [
    'payouts on TRON without a second node',
    [{ ...TRON, tokens: [TRC20], payouts: { address: TRC20.contract, feeLimitTrx: '50' } }],
    'FILE at the top: pays on TRON without secondRpc',
  ],
  [
    'a batch on TRON that is valid for more than a day',
    [{ ...TRON, tokens: [TRC20], payouts: { address: TRC20.contract, feeLimitTrx: '50', minutes: 1_441 } }],
    'FILE at 0.payouts.minutes: Too big: expected number to be <=1440',
  ],
])('a file with %s is refused', (_what, value, fault) => {
  expect(faultOf(value)).toBe(`CHAINS_FILE ${fault}`);
});

const HOT = '0x5CbDd86a2FA8Dc4bDdd8a8f69dBa48572EeC07FB';
const PAYING = {
  ...CHAIN,
  own: [{ address: HOT, signature: `0x${'00'.repeat(65)}` }],
  payouts: { address: HOT, maxFeeGwei: '20', tipGwei: '0.5', mostFeeGwei: '60' },
};
test('the address that pays is one of the house’s own, with bounds of its fees', () => {
  const payouts = { ...PAYING.payouts, address: HOT.toLowerCase(), gas: 100_000 };
  expect(read([PAYING])).toMatchObject([{ payouts }]);
  expect(faultOf([{ ...PAYING, own: [] }])).toBe(
    'CHAINS_FILE FILE at the top: pays from an address that is not in own',
  );
  for (const tipGwei of ['0', '21'])
    expect(faultOf([{ ...PAYING, payouts: { ...PAYING.payouts, tipGwei } }])).toBe(
      'CHAINS_FILE FILE at 0.payouts: must have 0 < tipGwei <= maxFeeGwei <= mostFeeGwei',
    );
});

test('addresses are those that other wallets derive below the same key', () => {
  // Computed with viem’s HDKey and publicKeyToAddress.
  expect(deriveAddress({ kind: 'evm', xpub: XPUB }, 5)).toBe('0xeC96d4bf6b8C411e0091162Cfa1e4705a560cB46');
  // BIP 84, "Test vectors": the first receiving address. The second one is TRON’s first of the same phrase.
  const seed = pbkdf2Sync(`${'abandon '.repeat(11)}about`, 'mnemonic', 2_048, 64, 'sha512');
  const below = (path: string) => HDKey.fromMasterSeed(seed).derive(path).publicExtendedKey;
  expect(deriveAddress({ kind: 'bitcoin', net: 'main', xpub: below("m/84'/0'/0'/0") }, 0)).toBe(
    'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
  );
  expect(deriveAddress({ kind: 'tron', xpub: below("m/44'/195'/0'/0") }, 0)).toBe(
    'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
  );
});
