import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { Address, NETWORK } from '@scure/btc-signer';
import { addr } from 'micro-eth-signer';

/** Addresses on chains: told apart and checked alike by the server and, while somebody types, in the browser. */
export type CryptoAsset = 'USDT' | 'BTC' | 'ETH';
export type Network = 'TRC20' | 'ERC20' | 'Bitcoin' | 'Ethereum';

/** The network that an address is of, its checksum being right; null: none that this asset is sent over. */
export function networkOf(asset: CryptoAsset, address: string): Network | null {
  switch (asset) {
    case 'USDT':
      if (isTron(address)) return 'TRC20';
      return isEthereum(address) ? 'ERC20' : null;
    case 'BTC':
      return isBitcoin(address) ? 'Bitcoin' : null;
    case 'ETH':
      return isEthereum(address) ? 'Ethereum' : null;
  }
}

/** Base58 and bech32, bech32m for taproot; only what a main net's output can be. */
function isBitcoin(address: string): boolean {
  return succeeds(() => Address(NETWORK).decode(address));
}

/**
 * EIP-55: the case of the letters is the checksum, so it has to be the right one. An address written in one case throughout
 * carries none, and one wrong letter of it would go unseen.
 */
function isEthereum(address: string): boolean {
  return succeeds(() => {
    if (addr.addChecksum(address.toLowerCase()) !== address) throw new Error('another checksum');
  });
}

const base58check = createBase58check(sha256);
const TRON_PREFIX = 0x41;
const TRON_BYTES = 21;

function isTron(address: string): boolean {
  return succeeds(() => {
    const bytes = base58check.decode(address);
    if (bytes.length !== TRON_BYTES || bytes[0] !== TRON_PREFIX) throw new Error('not of Tron');
  });
}

/** The libraries say no by an error; what it is about does not matter. */
function succeeds(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
