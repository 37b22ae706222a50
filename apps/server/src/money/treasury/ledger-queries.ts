import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../../platform/db/database.ts';
import { amountOf, ms } from '../../platform/office-queries.ts';

type Transfer = OfficeData<'ledger/transfers'>['items'][number];

/** An account's readable name; the house's accounts have a single bucket. */
const accountName = (column: string) => `case ${column} when ledger.external_account() then 'external'
  when ledger.trading_account() then 'trading' when ledger.fees_account() then 'fees'
  when ledger.earnings_account() then 'earnings'
  else 'customer ' || ${column} / 4 || ' ' || (array['available', 'held', 'earning', '?'])[(${column} % 4)::int + 1] end`;

/** The cause of a posting. Practice money and capital have no record but the movement itself. */
const CAUSE = `case when t.kind in ('reserve', 'resolve', 'amend') then 'order:' || p.ref else case t.kind when 'deposit' then 'deposit:' || p.ref when 'revert' then 'deposit:' || p.ref
  when 'hold' then 'withdrawal:' || p.ref when 'release' then 'withdrawal:' || p.ref when 'payout' then 'withdrawal:' || p.ref
  when 'legal_hold' then 'legal:' || p.ref when 'legal_release' then 'legal:' || p.ref
  when 'correction' then 'correction:' || p.ref else t.kind || ':' || t.id end end`;

/** Postings shown per transfer: a batch of orders is one transfer with a thousand postings. */
const POSTINGS_SHOWN = 100;

/** The transfers `t` in the office's format, with those of their postings `p` that match the condition. */
const transferOf = (
  condition: string,
) => `t.id::text, ${ms('t.created_at')} as time, t.kind, t.idempotency_key as key, (
    select coalesce(json_agg(json_build_object('asset', l.code, 'from', l.from, 'to', l.to, 'amount', l.amount,
      'availableAfter', l.after, 'cause', l.cause) order by l.id), '[]')
    from (
      select p.id, a.code, ${accountName('p.debit')} as from, ${accountName('p.credit')} as to, ${amountOf('p.amount')} as amount,
        ${amountOf('p.available_after')} as after, ${CAUSE} as cause
      from ledger.postings p join ledger.assets a on a.id = p.asset_id
      where p.transfer_id = t.id and ${condition} order by p.id limit ${POSTINGS_SHOWN}
    ) l
  ) as postings`;

export interface TransferFilter {
  readonly customerId?: string | undefined;
  readonly assetId: number | undefined;
  readonly kind?: string | undefined;
  /** Unix milliseconds; `to` is exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Newest first. A customer's postings are found by their owner, all others by their transfer. */
export async function readTransfers(db: Queryable, filter: TransferFilter): Promise<Transfer[]> {
  const { rows } = await db.query<Transfer>(
    `with wanted as (
       select t.id, t.created_at, t.kind, t.idempotency_key from ledger.transfers t
       where ($2::text is null or t.kind = $2) and ($3::bigint is null or t.id < $3)
         and ($6::float8 is null or t.created_at >= to_timestamp($6 / 1000))
         and ($7::float8 is null or t.created_at < to_timestamp($7 / 1000))
         and ($1::bigint is null or t.id in (
           select p.transfer_id from ledger.postings p where p.owner_id = $1 and ($5::smallint is null or p.asset_id = $5)))
         and ($1::bigint is not null or $5::smallint is null or exists (
           select from ledger.postings p where p.transfer_id = t.id and p.asset_id = $5))
       order by t.id desc limit $4
     )
     select ${transferOf('($1::bigint is null or p.owner_id = $1) and ($5::smallint is null or p.asset_id = $5)')}
     from wanted t order by t.id desc`,
    [filter.customerId, filter.kind, filter.cursor, filter.limit, filter.assetId, filter.from, filter.to],
  );
  return rows;
}

/** The movements of one cause of a customer, oldest first: an order has two, a request five at most. */
export async function readTransfersOf(
  db: Queryable,
  { customerId, ref, kinds }: { customerId: string; ref: string; kinds: readonly string[] },
): Promise<Transfer[]> {
  const { rows } = await db.query<Transfer>(
    `select ${transferOf('p.owner_id = $1 and p.ref = $2')}
     from ledger.transfers t
     where t.kind = any ($3::text[]) and t.id in (select p.transfer_id from ledger.postings p where p.owner_id = $1 and p.ref = $2)
     order by t.id limit 20`,
    [customerId, ref, kinds],
  );
  return rows;
}

/** One movement, if it is of this kind. */
export async function readTransfer(db: Queryable, id: string, kind: string): Promise<Transfer[]> {
  const { rows } = await db.query<Transfer>(
    `select ${transferOf('true')} from ledger.transfers t where t.id = $1 and t.kind = $2`,
    [id, kind],
  );
  return rows;
}

/** All accounts with their balances. */
export const TRIAL_BALANCE = `select a.code as asset, b.account, ${amountOf('b.balance')} as balance
  from trial_balance() b join ledger.assets a on a.id = b.asset_id order by a.id, b.account`;
