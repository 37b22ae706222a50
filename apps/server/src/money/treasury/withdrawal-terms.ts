import { parseDecimal } from '@fairtick/money';
import type { OfficeData, treasuryOperations } from '@fairtick/protocol/office';
import { readAmount } from '../../platform/amounts.ts';
import { call } from '../../platform/db/call.ts';
import { refusalOf } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { amountOf } from '../../platform/office-queries.ts';
import type { TreasuryParts } from './treasury-parts.ts';

type Path = Extract<keyof typeof treasuryOperations, `limit/${string}`>;
type Limit = OfficeData<'limit/list'>[number];
type Change = OfficeData<'limit/changes'>['items'][number];

const CHANGES = {
  columns: `r.state as status, json_build_object('asset', a.code, 'min', ${amountOf(`r.content ->> 'min'`)},
    'max', ${amountOf(`r.content ->> 'max'`)}, 'fee', ${amountOf(`r.content ->> 'fee'`)}) as terms`,
  joins: `join ledger.assets a on a.id = (r.content ->> 'asset')::smallint`,
};

const wrong = (field: string) => refusalOf('INVALID_AMOUNT', field);

/** Bounds and fee of withdrawals. Values that the table would refuse are refused here, with the wrong field. */
export function withdrawalTermsHandlers(parts: TreasuryParts): OfficeHandlers<Path> {
  const { pool } = parts;
  const proposals = new OfficeProposals<Change>(pool, ['withdrawal_terms'], CHANGES);
  return {
    'limit/list': async () =>
      (
        await pool.query<Limit>(
          `select a.code as asset, ${amountOf('w.min')} as min, ${amountOf('w.max')} as max, ${amountOf('w.fee')} as fee
           from withdrawal_terms w join ledger.assets a on a.id = w.asset_id order by a.id`,
        )
      ).rows,
    'limit/changes': (filter) => proposals.list(filter),
    'limit/propose': async (input, { session }) => {
      const asset = parts.assets.real(input.asset);
      const min = readAmount(input.min, asset, 'min');
      const max = readAmount(input.max, asset, 'max');
      if (max < min) throw wrong('max');
      const fee = parseDecimal(input.fee, asset.scale);
      // The table's constraints: the fee is at most a fifth of the minimum, and the minimum is at most withdrawal_min_cap.
      if (fee === null || fee * 5n > min) throw wrong('fee');
      const cap = await call<string | null>(pool, 'withdrawal_min_cap', { asset: asset.id });
      if (min > BigInt(cap ?? min)) throw wrong('min');
      const values = { staff: session.staffId, asset: asset.id, min, max, fee };
      return { id: await call(pool, 'withdrawal_terms_propose', values) };
    },
    'limit/decide': ({ id, verdict }, { session }) => proposals.decide(session.staffId, id, verdict),
  };
}
