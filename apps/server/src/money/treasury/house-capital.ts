import { parseAmount } from '@fairtick/money';
import type { OfficeData, treasuryOperations } from '@fairtick/protocol/office';
import { NamedCall } from '../../platform/db/named-call.ts';
import { RefusalError } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { amountOf } from '../../platform/office-queries.ts';
import { demandRequestId } from '../requests/office-cases.ts';
import { assetOf, type TreasuryParts } from './treasury-parts.ts';

type Path = Extract<keyof typeof treasuryOperations, `capital/${string}`>;
type Change = OfficeData<'capital/changes'>['items'][number];

const CHANGES = {
  columns: `r.state as status, a.code as asset, ${amountOf(`r.content ->> 'amount'`)} as amount, r.content ->> 'evidence' as evidence,
    r.content ->> 'note' as note`,
  joins: `join ledger.assets a on a.id = (r.content ->> 'asset')::smallint`,
};

/** Capital of the house, by two. */
export function capitalHandlers(parts: TreasuryParts): OfficeHandlers<Path> {
  const { pool } = parts;
  const proposals = new OfficeProposals<Change>(pool, ['house_capital'], CHANGES);
  return {
    'capital/changes': (filter) => proposals.list(filter),
    'capital/propose': async ({ evidence, note, ...input }, { session }) => {
      const asset = assetOf(parts, input.asset);
      const amount = parseAmount(input.amount, asset.scale);
      if (amount === null) throw new RefusalError('INVALID_AMOUNT', { fields: { amount: 'INVALID_AMOUNT' } });
      const { rows } = await pool.query<{ result: string }>(
        PROPOSE.with({ staff: session.staffId, asset: asset.id, amount, evidence, note }),
      );
      return { id: (rows[0] as { result: string }).result };
    },
    'capital/decide': ({ id, verdict }, { session }) =>
      proposals.decide(session.staffId, demandRequestId(id), verdict),
  };
}

const PROPOSE = new NamedCall('house_capital_propose', {
  staff: 'bigint',
  asset: 'smallint',
  amount: 'bigint',
  evidence: 'text',
  note: 'text',
});
