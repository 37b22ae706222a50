import { Address, NETWORK, TEST_NETWORK } from '@scure/btc-signer';
import { addr } from 'micro-eth-signer';
import { tronAccountOf, tronAddressOf } from './base58check.ts';

/**
 * Addresses on blockchains as people paste them: with invisible characters, as the URI of a QR code, in the letters' case of
 * another program. The server and the browser's form read them by the same rules.
 */
export type CryptoAsset = 'USDT' | 'BTC' | 'ETH';
export type Network = 'TRC20' | 'ERC20' | 'Bitcoin' | 'Ethereum';
type Chain = 'Bitcoin' | 'Ethereum' | 'Tron';

export type TypedAddress =
  /** In the form that has a checksum. Equal addresses have equal forms. */
  | { readonly address: string; readonly network: Network }
  | { readonly fault: 'wrong' | 'testnet' | 'unowned' }
  | { readonly fault: 'network'; readonly name: string };

const NETWORKS: Readonly<Record<CryptoAsset, Partial<Record<string, Network>>>> = {
  USDT: { Tron: 'TRC20', Ethereum: 'ERC20' },
  BTC: { Bitcoin: 'Bitcoin' },
  ETH: { Ethereum: 'Ethereum' },
};

/** Longer than any address with its URI: decoding takes the square of the length. */
const LONGEST = 500;

/** Reads an address to which the asset is to be sent. `name` of a fault is the other network that the address belongs to. */
export function readAddress(asset: CryptoAsset, typed: string): TypedAddress {
  const { text, chain } = takeApart(typed);
  const found = onAnyChain(text);
  if (chain !== null && !NETWORKS[asset][chain]) return { fault: 'network', name: chain };
  const network = found && NETWORKS[asset][found.chain];
  if (found && network && (chain ?? found.chain) === found.chain) {
    const { address } = found;
    return UNOWNED.has(address) || NEARLY_ZERO.test(address) ? { fault: 'unowned' } : { address, network };
  }
  if (isOfTestnet(text)) return { fault: 'testnet' };
  const name = found?.chain ?? OTHERS.find(([, form]) => form.test(text))?.[0];
  return name === undefined ? { fault: 'wrong' } : { fault: 'network', name };
}

/** The form with a checksum of an address on any chain, for a search. Text that is no address stays. */
export function anyAddress(typed: string): string {
  const { text } = takeApart(typed);
  return onAnyChain(text)?.address ?? text;
}

/** Ethereum's sister chains have the same addresses; a URI names them by number. */
const SISTERS: Readonly<Record<string, string>> = {
  1: 'Ethereum',
  10: 'Optimism',
  56: 'BNB Smart Chain',
  137: 'Polygon',
  8453: 'Base',
  42161: 'Arbitrum',
};

/**
 * The schemes of payment URIs, with the chain of each: BIP 321 (before: BIP 21), EIP-681, CashAddr, BEP-64, Solana Pay, XLS-32 and
 * docs.ton.org; Tron, Litecoin, Dogecoin and `ripple:` as wallets write them after the model of BIP 21. Any other word before a
 * colon makes the text no address.
 */
const SCHEMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bitcoin: 'Bitcoin',
    ethereum: 'Ethereum',
    tron: 'Tron',
    litecoin: 'Litecoin',
    dogecoin: 'Dogecoin',
    bitcoincash: 'Bitcoin Cash',
    bnb: 'BNB Smart Chain',
    ton: 'TON',
    ripple: 'XRP',
    xrpl: 'XRP',
    solana: 'Solana',
  }),
);

/** Addresses without an owner, in the form with a checksum. What is sent to them is lost, whatever the asset. */
const UNOWNED: ReadonlySet<string> = new Set([
  // Contracts of USDT and of wrapped ether: github.com/trustwallet/assets (info.json of each).
  'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  // Burn addresses: Tron's "Blackhole" of the genesis block (github.com/tronprotocol/java-tron, config.conf), and one of Ethereum.
  'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy',
  '0xdEAD000000000000000042069420694206942069',
  // Bitcoin: words with a checksum, the hash of an empty key, and the largest hash (burned.money; bitcoin.stackexchange.com/q/89554).
  '1BitcoinEaterAddressDontSendf59kuE',
  '1CounterpartyXXXXXXXXXXXXXXXUWLpVr',
  '1ChancecoinXXXXXXXXXXXXXXXXXZELUFD',
  '1HT7xU2Ngenf7D4yocz2SAcnNLW7rK8d4E',
  '1QLbz7JHiBTspS962RLKV8GndWFwi5j6Qr',
]);

/**
 * Addresses whose bytes are zero but for the last two, in each form: zero addresses, Ethereum's 0x…dEaD and precompiled
 * contracts. No key can be found that has such a hash.
 */
const NEARLY_ZERO = /^(0x0{36}|T9yD14Nj9j7xAB4dbGeiX9h8u|1{19}|31h1vYVSYuKP6AhS86fbRdMw9|bc1q{29})/;

/** Other networks' addresses by their form, to name them. */
const OTHERS: readonly (readonly [name: string, form: RegExp])[] = [
  ['Litecoin', /^(ltc1[0-9a-z]{20,}|[LM][1-9A-HJ-NP-Za-km-z]{33})$/i],
  ['Dogecoin', /^D[1-9A-HJ-NP-Za-km-z]{33}$/],
  ['Bitcoin Cash', /^[qp][0-9a-z]{41}$/i],
  ['TON', /^[EU]Q[\w-]{46}$/],
  ['XRP', /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/],
  ['Solana', /^[1-9A-HJ-NP-Za-km-z]{43,44}$/],
];

/**
 * Takes the address out of a payment URI: BIP 321 (`bitcoin:…?amount=`), EIP-681 (`ethereum:…@1`), and those like them. Of a
 * token's transfer the path is the token's contract, and the parameter `address` the payee.
 */
function takeApart(typed: string): { text: string; chain: string | null } {
  const text = typed
    .slice(0, LONGEST)
    .replaceAll(/[\s\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .normalize('NFKC');
  const uri =
    /^([a-z][a-z\d+.-]*):(?:\/\/)?(?:pay-|transfer\/)?([^?#@/]*)(?:@(\d+))?(\/transfer)?(?:\?([^#]*))?$/i.exec(
      text,
    );
  if (!uri) return { text, chain: null };
  const [, scheme = '', path = '', number, isTransfer, query] = uri;
  const chain = SCHEMES.get(scheme.toLowerCase());
  if (chain === undefined) return { text, chain: null };
  return {
    text: isTransfer ? (new URLSearchParams(query).get('address') ?? '') : path,
    chain: chain === 'Ethereum' ? (SISTERS[number ?? '1'] ?? `Ethereum ${number}`) : chain,
  };
}

const onAnyChain = (text: string): { address: string; chain: Chain } | null =>
  attempt(() => ({ address: bitcoin(text), chain: 'Bitcoin' as const })) ??
  attempt(() => ({ address: ethereum(text), chain: 'Ethereum' as const })) ??
  attempt(() => ({ address: tron(text), chain: 'Tron' as const }));

/** Base58, bech32, and bech32m for taproot; main net only. QR codes have bech32 in capitals. */
function bitcoin(text: string): string {
  const address = /^BC1[0-9A-Z]+$/.test(text) ? text.toLowerCase() : text;
  Address(NETWORK).decode(address);
  return address;
}

/** EIP-55: mixed case is a checksum and must match. An address in one case has none; it is shown with one, to be compared. */
function ethereum(text: string): string {
  const [, digits] = /^0x([0-9a-f]{40})$/i.exec(text) ?? [];
  if (digits === undefined) throw new Error('not of Ethereum');
  const address = addr.addChecksum(`0x${digits.toLowerCase()}`);
  const isMixed = /[a-f]/.test(digits) && /[A-F]/.test(digits);
  if (isMixed && address !== `0x${digits}`) throw new Error('another checksum');
  return address;
}

/** Base58, or the hexadecimal form of nodes and explorers. */
function tron(text: string): string {
  const [, digits] = /^(?:0x)?41([0-9a-f]{40})$/i.exec(text) ?? [];
  const account = digits?.toLowerCase() ?? tronAccountOf(text);
  if (account === null) throw new Error('not of Tron');
  return tronAddressOf(account);
}

const isOfTestnet = (text: string): boolean =>
  /^(tb|bcrt)1/i.test(text) || attempt(() => Address(TEST_NETWORK).decode(text)) !== null;

/** The libraries report an invalid address by throwing; the reason does not matter. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
