import type { Language, WithdrawalRequest } from '@fairtick/protocol';
import { canTake, isFinal, type StatusOf } from '@fairtick/protocol/lifecycles';
import { endingOf } from '@fairtick/protocol/request-states';
import { amountText } from '../../platform/amounts.ts';
import type { Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { filterValues, type RequestFilter } from '../requests/own-requests.ts';
import { reasonText } from '../requests/reasons.ts';

interface WithdrawalRow {
  readonly id: string;
  readonly asset_id: number;
  readonly amount: string;
  readonly fee: string;
  readonly kind: 'bank' | 'address';
  readonly destination_label: string;
  readonly status: StatusOf<'withdrawal'>;
  readonly revision: number;
  readonly reference: string | null;
  readonly reason: string | null;
  readonly reason_text: string | null;
  readonly submitted_ms: string;
  readonly decided_ms: string | null;
  readonly payable_ms: string | null;
  readonly waits: boolean;
  readonly lapses_ms: string | null;
}

/** A customer's withdrawals in wire format, newest first. */
export async function readWithdrawals(
  db: Queryable,
  assets: Assets,
  filter: RequestFilter,
  language: Language,
): Promise<WithdrawalRequest[]> {
  const { rows } = await db.query<WithdrawalRow>(
    `select r.id, r.asset_id, r.amount, r.fee, case a.code when 'USD' then 'bank' else 'address' end as kind, r.destination_label,
       r.status, r.revision, r.reference, r.reason, r.reason_text,
       floor(extract(epoch from r.submitted_at) * 1000)::bigint as submitted_ms,
       floor(extract(epoch from r.decided_at) * 1000)::bigint as decided_ms,
       floor(extract(epoch from request_lapses_at('withdrawal', r.id)) * 1000)::bigint as lapses_ms,
       floor(extract(epoch from case when not h.waits then h.until end) * 1000)::bigint as payable_ms, h.waits
     from withdrawal_requests r join ledger.assets a on a.id = r.asset_id
     cross join lateral (select case when r.decided_at is null then hold_until(r.customer_id, r.destination_id) end as until,
       r.decided_at is null and claim_waits(r.customer_id) as waits) h
     where r.customer_id = $1 and ($2::bigint is null or r.id = $2) and ($3::bytea is null or r.key_hash = $3)
       and ($4::text is null or case when r.status in ('approved', 'sending') then 'review' else r.status end = $4)
       and ($5::bigint is null or r.id < $5)
     order by r.id desc limit $6`,
    filterValues(filter),
  );
  return rows.map((row) => present(row, assets, language));
}

function present(row: WithdrawalRow, assets: Assets, language: Language): WithdrawalRequest {
  const asset = assets.byId(row.asset_id);
  return {
    id: row.id,
    asset: asset.code,
    amount: amountText(row.amount, asset),
    fee: amountText(row.fee, asset),
    arrives: amountText(String(BigInt(row.amount) - BigInt(row.fee)), asset),
    destination: { kind: row.kind, label: row.destination_label },
    stage: stageOf(row),
    payableAt: row.payable_ms === null ? null : Number(row.payable_ms),
    waitsForClaim: row.waits,
    reference: row.reference,
    status: row.status === 'approved' || row.status === 'sending' ? 'review' : row.status,
    submittedAt: Number(row.submitted_ms),
    decidedAt: row.decided_ms === null ? null : Number(row.decided_ms),
    ending: endingOf(row.reason),
    reason: row.reason === null ? null : reasonText(row.reason, row.reason_text, language),
    lapsesAt: row.lapses_ms === null ? null : Number(row.lapses_ms),
    canCancel: canTake('withdrawal', row.status, 'cancelled'),
  };
}

function stageOf({ status, revision }: WithdrawalRow): WithdrawalRequest['stage'] {
  if (status === 'approved' || status === 'sending') return status;
  if (isFinal('withdrawal', status)) return 'ended';
  return revision > 0 ? 'checked' : 'submitted';
}
