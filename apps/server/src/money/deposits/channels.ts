import type { DepositChannel } from '@fairtick/protocol';
import { amountText } from '../../platform/amounts.ts';
import type { Asset, Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';

interface BankDetails {
  readonly bank: string;
  readonly branch: string;
  readonly holder: string;
  readonly accountNumber: string;
}

interface ChannelRow {
  readonly id: string;
  readonly asset_id: number;
  readonly network: string;
  readonly address: string | null;
  readonly bank: BankDetails | null;
  readonly min: string;
  readonly max: string;
  readonly presets: string[];
  readonly fee: string;
}

/**
 * Prefix of demo addresses and accounts. They can't be paid to: the prefix is part of no valid address, so wallets and banks
 * refuse the whole text; the rest has a wrong checksum, so they refuse it without the prefix too.
 */
export const DEMO_MARK = 'DEMO-';

/** The open channels for one customer: a bank transfer's reference names the customer. */
export async function readChannels(
  db: Queryable,
  assets: Assets,
  customerId: string,
): Promise<DepositChannel[]> {
  const { rows } = await db.query<ChannelRow>(
    `select id, asset_id, network, address, bank, min, max, presets, fee from current_channels() where is_enabled
     order by asset_id, id`,
  );
  return rows.map((row) => {
    const asset = assets.byId(row.asset_id);
    return {
      id: row.id,
      asset: asset.code,
      network: row.network,
      address: row.address,
      bank: row.bank === null ? null : { ...row.bank, reference: referenceOf(customerId) },
      qr: row.address,
      ...bounds(row, asset),
      isDemo: (row.address ?? row.bank?.accountNumber ?? '').startsWith(DEMO_MARK),
    };
  });
}

function bounds(row: ChannelRow, asset: Asset) {
  return {
    min: amountText(row.min, asset),
    max: amountText(row.max, asset),
    presets: row.presets.map((preset) => amountText(preset, asset)),
    fee: amountText(row.fee, asset),
  };
}

/** The bounds of an open channel; null when there is none. */
export async function findTerms(
  db: Queryable,
  assets: Assets,
  id: number,
): Promise<{ id: string; asset: Asset; min: string; max: string } | null> {
  const { rows } = await db.query<ChannelRow>(
    'select id, asset_id, min, max from current_channels() where id = $1 and is_enabled',
    [id],
  );
  const row = rows[0];
  return row ? { id: row.id, asset: assets.byId(row.asset_id), min: row.min, max: row.max } : null;
}

/** The reference for a customer's bank transfers, by which bank statements are matched. */
export function referenceOf(customerId: string): string {
  return `FT${customerId}`;
}
