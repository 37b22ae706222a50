import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { XPRV, XPUB } from '@fairtick/kit/chains/keys.ts';
import { temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
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
  expect(read([CHAIN])).toEqual([{ ...CHAIN, own: [], pollMs: 2_000, mostBlocks: 1_000 }]);
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

test('addresses are those that other wallets derive below the same key', () => {
  // Computed with viem’s HDKey and publicKeyToAddress.
  expect(deriveAddress({ xpub: XPUB }, 5)).toBe('0xeC96d4bf6b8C411e0091162Cfa1e4705a560cB46');
});
