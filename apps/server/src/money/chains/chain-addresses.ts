import { tronAddressOf } from '@fairtick/protocol/base58check';
import { HDKey } from '@scure/bip32';
import { NETWORK, p2wpkh } from '@scure/btc-signer';
import { addr } from 'micro-eth-signer';
import type { BitcoinSettings, ChainSettings } from '../../config/chains-file.ts';
import type { Queryable } from '../../platform/db/database.ts';

type Key = Pick<ChainSettings, 'kind' | 'xpub'> & Partial<Pick<BitcoinSettings, 'net'>>;

/** Decoding a key costs more than deriving from it. */
const keys = new Map<string, HDKey>();
const REGTEST = { ...NETWORK, bech32: 'bcrt' };

/** The address of a number below an extended public key. Only its owner has the private keys. */
export function deriveAddress({ kind, xpub, net }: Key, number: number): string {
  const key = keys.get(xpub) ?? HDKey.fromExtendedKey(xpub);
  keys.set(xpub, key);
  const { publicKey } = key.deriveChild(number);
  if (publicKey === null) throw new Error('no public key');
  if (kind === 'bitcoin') return p2wpkh(publicKey, net === 'regtest' ? REGTEST : NETWORK).address as string;
  const address = addr.fromPublicKey(publicKey);
  return kind === 'tron' ? tronAddressOf(address.slice(2).toLowerCase()) : address;
}

/** A customer's addresses by chain. The first call takes a number from the sequence; it is never another customer's. */
export async function chainAddresses(
  db: Queryable,
  chains: readonly ChainSettings[],
  customerId: string,
): Promise<ReadonlyMap<string, string>> {
  const read = async () =>
    new Map(
      (
        await db.query<{ chain: string; address: string }>(
          `select a.chain, a.address from chain_customers c join chain_addresses a using (number) where c.customer_id = $1`,
          [customerId],
        )
      ).rows.map(({ chain, address }) => [chain, address] as const),
    );
  const known = await read();
  const missing = chains.filter(({ chain }) => !known.has(chain));
  if (missing.length === 0) return known;
  const { rows } = await db.query<{ number: number }>(
    `with new as (
       insert into chain_customers (customer_id) select $1
       where not exists (select from chain_customers where customer_id = $1) on conflict do nothing returning number
     ) select number from new union all select number from chain_customers where customer_id = $1`,
    [customerId],
  );
  // Another request took the number at the same time: the next one reads it.
  const number = rows[0]?.number;
  if (number === undefined) return known;
  for (const chain of missing)
    await db.query(
      'insert into chain_addresses (chain, number, address) values ($1, $2, $3) on conflict do nothing',
      [chain.chain, number, deriveAddress(chain, number)],
    );
  return read();
}
