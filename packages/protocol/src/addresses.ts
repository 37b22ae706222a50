import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { Address, NETWORK } from '@scure/btc-signer';
import { addr } from 'micro-eth-signer';

/** Addresses on blockchains. The server and the browser's form use the same recognition and checksum rules. */
export type CryptoAsset = 'USDT' | 'BTC' | 'ETH';
export type Network = 'TRC20' | 'ERC20' | 'Bitcoin' | 'Ethereum';

/** The network of an address with a valid checksum; null if this asset is not sent over any matching network. */
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

/** Base58, bech32, and bech32m for taproot; main net addresses only. */
function isBitcoin(address: string): boolean {
  return succeeds(() => Address(NETWORK).decode(address));
}

/**
 * EIP-55: the case of the letters is the checksum, so it must match. An address in a single case has no checksum, and a wrong
 * letter in it would go undetected; it is refused.
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

/** The libraries report an invalid address by throwing; the reason does not matter. */
function succeeds(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
