import type { OfficeData, requestOperations } from '@fairtick/protocol/office';
import type { ChainSettings } from '../../config/chains-file.ts';
import { recordView } from '../../customers/personal-data/views.ts';
import { readAmount } from '../../platform/amounts.ts';
import type { Asset, Assets } from '../../platform/assets.ts';
import { call, perform } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { OfficeFile, type OfficeHandlers } from '../../platform/office-area.ts';
import { amountOf, ms, queueCondition, who } from '../../platform/office-queries.ts';
import { readPage } from '../../platform/paging.ts';
import type { Uploads } from '../../platform/uploads/uploads.ts';
import { CHAIN_DEPOSIT, CHAIN_JOINS, ofChain } from '../chains/chain-deposits.ts';
import type { ChainConfirmations } from '../requests/confirmations.ts';
import { CLAIM, claimCase, demandText, readCase, releaseCase } from '../requests/office-cases.ts';
import { DEPOSIT_REASONS, WITHDRAWAL_REASONS } from '../requests/reasons.ts';
import { referenceOf } from './channels.ts';

export interface DepositOfficeParts {
  readonly pool: Pool;
  readonly assets: Assets;
  readonly uploads: Uploads;
  readonly confirmations: ChainConfirmations;
  readonly chains: readonly ChainSettings[];
}

type Path = Extract<keyof typeof requestOperations, `deposit/${string}` | 'request/reasons'>;
type Deposit = OfficeData<'deposit/queue'>['items'][number];

/** `$1`: the member of staff who asks. */
const DEPOSITS = `select r.id::text, r.customer_id::text as "customerId", c.account, c.level,
    c.real_status as "realStatus", a.code as asset, h.network,
    ${amountOf('r.amount')} as amount, ${amountOf('r.fee')} as fee, r.status, ${ms('r.submitted_at')} as "submittedAt",
    ${CLAIM} as claim, ${who('r.edited_by')} as "editedBy", r.revision, encode(s.content, 'hex') as content, s.needed,
    s.given::int as given, ${ms('r.decided_at')} as "decidedAt", r.reason, r.reason_text as "reasonText",
    ${amountOf('r.found_amount')} as found, r.evidence,
    ${amountOf(`amount_before('deposit', r.asset_id, r.customer_id, $1::bigint, r.id, null)`)} as "countsBefore",
    json_build_object(
      'isFirst', not exists (select from deposit_requests o where o.customer_id = r.customer_id and o.status = 'success' and o.id < r.id),
      'lastDay', (select count(*) from deposit_requests o where o.customer_id = r.customer_id
        and o.submitted_at > r.submitted_at - interval '1 day' and o.submitted_at <= r.submitted_at),
      'earlierFailures', (select count(*) from deposit_requests o where o.customer_id = r.customer_id and o.id < r.id
        and o.status = 'failure')) as risk
  from deposit_requests r join customers c on c.id = r.customer_id join ledger.assets a on a.id = r.asset_id
  join deposit_channels h on h.id = r.channel_id and h.version = r.channel_version
  left join lateral (select * from deposit_standing(r.id)) s on true`;

/** Operations of staff on deposits. Functions of the database decide who may act and how many must agree. */
export function depositOfficeHandlers(parts: DepositOfficeParts): OfficeHandlers<Path> {
  const { pool } = parts;
  return {
    'deposit/queue': (filter, { session }) =>
      readPage(filter, async (limit) => {
        const values = [session.staffId, filter.cursor, limit];
        return (await pool.query<Deposit>(`${DEPOSITS} where ${queueCondition(filter)}`, values)).rows;
      }),
    'deposit/onChain': (filter) => readPage(filter, (limit) => readOnChain(parts, filter.cursor, limit)),
    'deposit/detail': ({ id }, { session }) => readDetail(parts, session.staffId, id),
    'deposit/proof': async ({ id }, { session }) => {
      const { rows } = await pool.query<{ customer_id: string; proof_id: string | null }>(
        'select customer_id, proof_id from deposit_requests where id = $1',
        [id],
      );
      const row = rows[0];
      if (!row) throw new RefusalError('REQUEST_NOT_FOUND');
      const { customer_id: customerId, proof_id: subjectId } = row;
      if (subjectId === null) throw new RefusalError('DOCUMENT_NOT_FOUND');
      await recordView(pool, { staffId: session.staffId, customerId, what: 'proof', subjectId });
      const picture = await parts.uploads.read(pool, customerId, subjectId);
      if (!picture) throw new RefusalError('DOCUMENT_NOT_FOUND');
      return new OfficeFile('image/jpeg', picture.full);
    },
    'deposit/claim': ({ id }, { session }) => claimCase(pool, 'deposit', session.staffId, id),
    'deposit/release': ({ id }, { session }) => releaseCase(pool, 'deposit', session.staffId, id),
    'deposit/find': async ({ id, amount, evidence }, { session }) => {
      const found = readAmount(amount, await assetOf(parts, id));
      return { status: await call(pool, 'deposit_find', { staff: session.staffId, id, found, evidence }) };
    },
    'deposit/approve': async ({ id, content }, { session }) => {
      const seen = { id, content: Buffer.from(content, 'hex') };
      return { status: await call(pool, 'deposit_approve', { staff: session.staffId, ...seen }) };
    },
    'deposit/refuse': async ({ id, status, reason, text }, { session }) => {
      demandText({ reason, text });
      return perform(pool, 'deposit_refuse', { staff: session.staffId, id, status, reason, text });
    },
    'request/reasons': async () => ({
      deposit: Object.entries(DEPOSIT_REASONS).map(([reason, words]) => ({ reason, ...words })),
      withdrawal: Object.entries(WITHDRAWAL_REASONS).map(([reason, words]) => ({ reason, ...words })),
    }),
  };
}

type OnChain = OfficeData<'deposit/onChain'>['items'][number];

/** Payments on chains that need staff, newest first. */
async function readOnChain(
  { pool, chains }: DepositOfficeParts,
  cursor: string | undefined,
  limit: number,
): Promise<OnChain[]> {
  const { rows } = await pool.query<OnChain & { readonly chain: string }>(
    `select ${CHAIN_DEPOSIT}, d.value::text, d.contract, d.address, c.id::text as "customerId", c.account
     from ${CHAIN_JOINS} join customers c on c.id = o.customer_id
     where d.state in ('unmatched', 'held', 'reverted') and (d.state <> 'reverted' or d.request_id is not null)
       and ($1::bigint is null or d.id < $1) order by d.id desc limit $2`,
    [cursor, limit],
  );
  return rows.map(({ chain, ...row }) => ({ ...row, ...ofChain(chains, { chain, txid: row.txid }) }));
}

async function readDetail(
  parts: DepositOfficeParts,
  staffId: string,
  id: string,
): Promise<OfficeData<'deposit/detail'>> {
  const { pool } = parts;
  const { rows } = await pool.query<Deposit>(`${DEPOSITS} where r.id = $2`, [staffId, id]);
  const deposit = rows[0];
  if (!deposit) throw new RefusalError('REQUEST_NOT_FOUND');
  return {
    ...deposit,
    ...(await readCase(pool, 'deposit', deposit)),
    confirmations: await confirmationsOf(parts, deposit),
    matches: await readMatches(pool, id, referenceOf(deposit.customerId)),
  };
}

async function confirmationsOf(
  { confirmations }: DepositOfficeParts,
  { asset, network, evidence }: Deposit,
): Promise<number | null> {
  return evidence === null ? null : confirmations.count({ asset, network, reference: evidence });
}

/** Statement lines that could be this deposit: of its amount, or naming its customer; those with both first. */
async function readMatches(
  pool: Pool,
  id: string,
  reference: string,
): Promise<OfficeData<'deposit/detail'>['matches']> {
  const { rows } = await pool.query<OfficeData<'deposit/detail'>['matches'][number]>(
    `select l.id::text, l.booked_on::text as "bookedOn", ${amountOf('l.amount')} as amount, l.evidence as reference, l.counterparty,
       l.amount = r.amount as "sameAmount", m.names as "namesCustomer", m.names_deposit as "namesDeposit"
     from deposit_requests r join statement_lines l on l.asset_id = r.asset_id and l.amount > 0
     join ledger.assets a on a.id = r.asset_id
     left join deposit_references n on n.number = l.creditor_number
     cross join lateral (select coalesce(n.request_id = r.id, false) as names_deposit,
       coalesce(n.customer_id = r.customer_id, false) or l.reference ~* ('\\m' || $2 || '\\M') as names) m
     where r.id = $1 and (l.amount = r.amount or m.names)
       and l.booked_on between (r.submitted_at - interval '30 days')::date and (r.submitted_at + interval '30 days')::date
       and not exists (select from deposit_requests o where o.asset_id = l.asset_id and reference_key(o.evidence) = reference_key(l.evidence) and o.status = 'success')
     order by m.names_deposit desc, (l.amount = r.amount and m.names) desc, m.names desc, l.id desc limit 20`,
    [id, reference],
  );
  return rows;
}

async function assetOf({ pool, assets }: DepositOfficeParts, id: string): Promise<Asset> {
  const { rows } = await pool.query<{ asset_id: number }>(
    'select asset_id from deposit_requests where id = $1',
    [id],
  );
  if (!rows[0]) throw new RefusalError('REQUEST_NOT_FOUND');
  return assets.byId(rows[0].asset_id);
}
