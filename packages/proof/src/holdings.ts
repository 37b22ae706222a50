import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { fromHex } from './encoding.ts';
import { signerOf } from './secp256k1-signer.ts';

/** An address of the house with what it held of a token. */
export interface Holding {
  /** 0x and 40 lower-case hex digits. */
  readonly address: string;
  /** In the token's smallest unit. */
  readonly units: bigint;
  /** Of {@link ownershipText}, by the address's key: 130 hex digits. */
  readonly signature: string;
}

/**
 * What the house held of a token at a final block: the log entry
 * `holdings|4|date|timeMs|asset|chain|chainId|contract|decimals|height|blockHash|deposits|address:units:signature,…`.
 */
export interface HoldingsEntry {
  readonly date: string;
  readonly timeMs: number;
  readonly asset: string;
  readonly chain: string;
  readonly chainId: string;
  readonly contract: string;
  readonly decimals: number;
  readonly height: string;
  readonly blockHash: string;
  /** At all addresses of customers together, which sign nothing. */
  readonly deposits: bigint;
  readonly own: readonly Holding[];
}

const WHOLE = '0|[1-9]\\d{0,77}';
const OWN = `0x[0-9a-f]{40}:(?:${WHOLE}):[0-9a-f]{130}`;
const HOLDINGS = new RegExp(
  `^holdings\\|4\\|(?<date>\\d{4}-\\d{2}-\\d{2})\\|(?<timeMs>[1-9]\\d{0,14})\\|(?<asset>[A-Z]{2,8})\\|(?<chain>[a-z][a-z0-9-]{0,29})` +
    `\\|(?<chainId>[1-9]\\d{0,14})\\|(?<contract>0x[0-9a-f]{40})\\|(?<decimals>[12]?\\d|3[0-6])\\|(?<height>0|[1-9]\\d{0,14})` +
    `\\|(?<blockHash>0x[0-9a-f]{64})\\|(?<deposits>${WHOLE})\\|(?<own>(?:${OWN}(?:,${OWN}){0,19})?)$`,
);

/** Null unless exactly in the grammar, with no address twice. */
export function parseHoldings(text: string): HoldingsEntry | null {
  const fields = HOLDINGS.exec(text)?.groups;
  if (!fields) return null;
  const { timeMs, decimals, deposits, own: list, ...texts } = fields as Record<string, string>;
  const own = (list ? list.split(',') : []).map((one): Holding => {
    const [address = '', units = '', signature = ''] = one.split(':');
    return { address, units: BigInt(units), signature };
  });
  if (new Set(own.map(({ address }) => address)).size < own.length) return null;
  const numbers = { timeMs: Number(timeMs), decimals: Number(decimals), deposits: BigInt(deposits ?? '') };
  return { ...(texts as Omit<HoldingsEntry, 'timeMs' | 'decimals' | 'deposits' | 'own'>), ...numbers, own };
}

/** What the owner of an address signs, so that it counts for this house alone. The address is in lower case. */
export const ownershipText = (origin: string, address: string): string =>
  `${address.toLowerCase()} holds money of the house whose public log is ${origin}`;

/** Whether the key of the address signed {@link ownershipText} as a wallet does (EIP-191). Contracts that hold money have no key. */
export function isOwned(
  origin: string,
  { address, signature }: Pick<Holding, 'address' | 'signature'>,
): boolean {
  const bytes = fromHex(signature);
  if (bytes?.length !== 65) return false;
  const text = new TextEncoder().encode(ownershipText(origin, address));
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${text.length}`);
  const signer = signerOf(
    keccak_256(concatBytes(prefix, text)),
    bytes.subarray(0, 64),
    (bytes[64] ?? 0) - 27,
  );
  return `0x${signer}` === address.toLowerCase();
}
