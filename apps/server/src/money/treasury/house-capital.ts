import type { OfficeData, treasuryOperations } from '@fairtick/protocol/office';
import { readAmount } from '../../platform/amounts.ts';
import { call } from '../../platform/db/call.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { amountOf } from '../../platform/office-queries.ts';
import type { TreasuryParts } from './treasury-parts.ts';

type Path = Extract<keyof typeof treasuryOperations, `capital/${string}`>;
type Change = OfficeData<'capital/changes'>['items'][number];

const CHANGES = {
  columns: `r.state as status, a.code as asset, ${amountOf(`r.content ->> 'amount'`)} as amount, r.content ->> 'evidence' as evidence,
    r.content ->> 'note' as note`,
  joins: `join ledger.assets a on a.id = (r.content ->> 'asset')::smallint`,
};

/** Capital of the house, by two. */
export function capitalHandlers({ pool, assets }: TreasuryParts): OfficeHandlers<Path> {
  const proposals = new OfficeProposals<Change>(pool, ['house_capital'], CHANGES);
  return {
    'capital/changes': (filter) => proposals.list(filter),
    'capital/propose': async ({ evidence, note, ...input }, { session }) => {
      const asset = assets.real(input.asset);
      const values = { asset: asset.id, amount: readAmount(input.amount, asset), evidence, note };
      return { id: await call(pool, 'house_capital_propose', { staff: session.staffId, ...values }) };
    },
    'capital/decide': ({ id, verdict }, { session }) => proposals.decide(session.staffId, id, verdict),
  };
}
