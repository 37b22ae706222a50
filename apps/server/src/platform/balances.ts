import { formatDecimal } from '@fairtick/money';
import type { Balance } from '@fairtick/protocol';
import type { Assets } from './assets.ts';
import type { Queryable } from './db/database.ts';

export async function readBalances(db: Queryable, assets: Assets, customerId: string): Promise<Balance[]> {
  const { rows } = await db.query<{ asset_id: number; available: string; held: string; earning: string }>({
    name: 'customer-balances',
    text: 'select asset_id, available, held, earning from ledger.balances where owner_id = $1 order by asset_id',
    values: [customerId],
  });
  return rows.map((row) => {
    const { code, scale } = assets.byId(row.asset_id);
    const amount = (text: string) => formatDecimal(BigInt(text), scale);
    return {
      asset: code,
      available: amount(row.available),
      held: amount(row.held),
      earning: amount(row.earning),
    };
  });
}
