import type { DepositChannel } from '@fairtick/protocol';
import type { ChainSettings } from '../../config/chains-file.ts';
import type { Asset, Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { amountOf } from '../../platform/office-queries.ts';
import { chainAddresses } from '../chains/chain-addresses.ts';

/**
 * Prefix of demo addresses and accounts. They can't be paid to: the prefix is part of no valid address, so wallets and banks
 * refuse the whole text; the rest has a wrong checksum, so they refuse it without the prefix too.
 */
export const DEMO_MARK = 'DEMO-';

type Row = Omit<DepositChannel, 'qr' | 'isDemo' | 'confirmations'>;

/**
 * The open channels for one customer: a bank transfer has the reference of their next deposit, and a chain that is watched has an address of
 * their own.
 */
export async function readChannels(
  db: Queryable,
  chains: readonly ChainSettings[],
  customerId: string,
): Promise<DepositChannel[]> {
  const own = await chainAddresses(db, chains, customerId);
  const { rows } = await db.query<Row>(
    `select c.id::text, a.code as asset, c.network, c.address,
       c.bank || jsonb_build_object('reference', deposit_reference($1, c.id)) as bank, ${amountOf('c.min')} as min, ${amountOf('c.max')} as max,
       array(select ${amountOf('p')} from unnest(c.presets) p) as presets, ${amountOf('c.fee')} as fee
     from current_channels() c join ledger.assets a on a.id = c.asset_id where c.is_enabled order by c.asset_id, c.id`,
    [customerId],
  );
  return rows.map((row) => {
    const watched = chains.find(
      ({ network, tokens }) => network === row.network && tokens.some(({ asset }) => asset === row.asset),
    );
    const address = watched && own.get(watched.chain);
    if (watched && address)
      return {
        ...row,
        address,
        qr: address,
        fee: noFee(row.fee),
        confirmations: watched.confirmations,
        bank: null,
        isDemo: false,
      };
    return {
      ...row,
      confirmations: null,
      qr: row.address,
      isDemo: (row.address ?? row.bank?.accountNumber ?? '').startsWith(DEMO_MARK),
    };
  });
}

/** Deposits that a watcher credits cost nothing. */
const noFee = (fee: string): string => fee.replace(/\d/g, '0');

/** The bounds of an open channel; null when there is none. */
export async function findTerms(
  db: Queryable,
  assets: Assets,
  id: string,
): Promise<{ id: string; asset: Asset; min: string; max: string } | null> {
  const { rows } = await db.query<{ id: string; asset_id: number; min: string; max: string }>(
    'select id, asset_id, min, max from current_channels() where id = $1 and is_enabled',
    [id],
  );
  return rows[0] ? { ...rows[0], asset: assets.byId(rows[0].asset_id) } : null;
}

/** What customers write who name themselves and not their deposit. */
export function referenceOf(customerId: string): string {
  return `FT${customerId}`;
}
