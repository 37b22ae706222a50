import type { DepositRequest, Language } from '@fairtick/protocol';
import { canTake, type StatusOf } from '@fairtick/protocol/lifecycles';
import { endingOf } from '@fairtick/protocol/request-states';
import { amountText } from '../../platform/amounts.ts';
import type { Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { filterValues, type RequestFilter } from '../requests/own-requests.ts';
import { reasonText } from '../requests/reasons.ts';

interface DepositRow {
  readonly id: string;
  readonly channel_id: string;
  readonly network: string;
  readonly asset_id: number;
  readonly amount: string;
  readonly fee: string;
  readonly status: StatusOf<'deposit'>;
  readonly found_amount: string | null;
  readonly reason: string | null;
  readonly reason_text: string | null;
  readonly submitted_ms: string;
  readonly decided_ms: string | null;
  readonly lapses_ms: string | null;
}

/** A customer's deposits in wire format, newest first. */
export async function readDeposits(
  db: Queryable,
  assets: Assets,
  filter: RequestFilter,
  language: Language,
): Promise<DepositRequest[]> {
  const { rows } = await db.query<DepositRow>(
    `select r.id, r.channel_id, c.network, r.asset_id, r.amount, r.fee, r.status, r.found_amount, r.reason, r.reason_text,
       floor(extract(epoch from r.submitted_at) * 1000)::bigint as submitted_ms,
       floor(extract(epoch from r.decided_at) * 1000)::bigint as decided_ms,
       floor(extract(epoch from request_lapses_at('deposit', r.id)) * 1000)::bigint as lapses_ms
     from deposit_requests r join deposit_channels c on c.id = r.channel_id and c.version = r.channel_version
     where r.customer_id = $1 and ($2::bigint is null or r.id = $2) and ($3::bytea is null or r.key_hash = $3)
       and ($4::text is null or r.status = $4) and ($5::bigint is null or r.id < $5)
     order by r.id desc limit $6`,
    filterValues(filter),
  );
  return rows.map((row) => present(row, assets, language));
}

function present(row: DepositRow, assets: Assets, language: Language): DepositRequest {
  const asset = assets.byId(row.asset_id);
  // Findings under review are for staff to check and not shown to the customer.
  const found = row.status === 'success' ? row.found_amount : null;
  return {
    id: row.id,
    channelId: row.channel_id,
    asset: asset.code,
    network: row.network,
    amount: amountText(row.amount, asset),
    fee: amountText(row.fee, asset),
    found: found === null ? null : amountText(found, asset),
    credited: found === null ? null : amountText(String(BigInt(found) - BigInt(row.fee)), asset),
    status: row.status,
    submittedAt: Number(row.submitted_ms),
    decidedAt: row.decided_ms === null ? null : Number(row.decided_ms),
    ending: endingOf(row.reason),
    reason: row.reason === null ? null : reasonText(row.reason, row.reason_text, language),
    lapsesAt: row.lapses_ms === null ? null : Number(row.lapses_ms),
    canCancel: canTake('deposit', row.status, 'cancelled'),
  };
}
