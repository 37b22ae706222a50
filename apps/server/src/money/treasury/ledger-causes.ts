import { formatRate } from '@fairtick/money';
import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { amountOf, ms } from '../../platform/office-queries.ts';
import { readTransfer, readTransfersOf } from './ledger-queries.ts';

type Cause = OfficeData<'ledger/cause'>;
type Facts = Readonly<Record<string, string | number | null>>;
interface Row {
  readonly customerId: string;
  readonly account: string;
  readonly facts: Facts;
}

const nameOf = (id: string) => `(select f.display_name from staff f where f.id = ${id})`;
const CUSTOMER = `c.id::text as "customerId", c.account`;
const JOINS = 'join customers c on c.id = r.customer_id join ledger.assets a on a.id = r.asset_id';

/** An order as the office shows it: its terms and outcome. Prices and proofs are on the customer's own page. */
const ORDER = `select ${CUSTOMER}, json_build_object(
    'status', case r.result when 1 then 'profit' when -1 then 'loss' when 0 then 'none' else 'open' end,
    'product', p.symbol, 'direction', case r.direction when 1 then 'up' else 'down' end, 'minutes', r.minutes::text,
    'asset', a.code, 'stake', ${amountOf('r.stake')}, 'payoutRate', r.payout_rate_bps::text, 'income', ${amountOf('r.income')},
    'credited', ${amountOf('r.credited')}, 'voidReason', r.void_reason, 'acceptedAt', r.accepted_at_ms,
    'settlesAt', r.settles_at_ms, 'settledAt', r.settled_at_ms) as facts
  from orders_and_results r ${JOINS} join products p on p.id = r.product_id where r.id = $1`;

const DEPOSIT = `select ${CUSTOMER}, json_build_object('status', r.status, 'asset', a.code, 'amount', ${amountOf('r.amount')},
    'fee', ${amountOf('r.fee')}, 'found', ${amountOf('r.found_amount')}, 'evidence', r.evidence,
    'channel', r.channel_id || ' v' || r.channel_version, 'reason', r.reason, 'submittedAt', ${ms('r.submitted_at')},
    'decidedAt', ${ms('r.decided_at')}) as facts
  from deposit_requests r ${JOINS} where r.id = $1`;

const WITHDRAWAL = `select ${CUSTOMER}, json_build_object('status', r.status, 'asset', a.code, 'amount', ${amountOf('r.amount')},
    'fee', ${amountOf('r.fee')}, 'arrives', ${amountOf('r.amount - r.fee')}, 'reference', r.reference, 'reason', r.reason,
    'submittedAt', ${ms('r.submitted_at')}, 'approvedAt', ${ms('r.approved_at')}, 'decidedAt', ${ms('r.decided_at')}) as facts
  from withdrawal_requests r ${JOINS} where r.id = $1`;

const CORRECTION = `select ${CUSTOMER}, json_build_object('status', p.state, 'asset', a.code, 'amount', ${amountOf('r.amount')},
    'reason', r.reason, 'proposedBy', ${nameOf('p.proposed_by')}, 'proposedAt', ${ms('p.proposed_at')},
    'decidedBy', ${nameOf('p.decided_by')}, 'decidedAt', ${ms('p.decided_at')}) as facts
  from corrections r join proposals p on p.id = r.id ${JOINS} where r.id = $1`;

const LEGAL_HOLD = `select ${CUSTOMER}, json_build_object('asset', a.code, 'amount', ${amountOf('r.amount')}, 'authority', r.authority,
    'reference', r.reference, 'proposedBy', ${nameOf('p.proposed_by')}, 'decidedBy', ${nameOf('p.decided_by')},
    'decidedAt', ${ms('p.decided_at')}, 'liftedAt', (select ${ms('l.decided_at')} from proposals l where l.id = r.lift_id)) as facts
  from legal_holds r join proposals p on p.id = r.id ${JOINS} where r.id = $1`;

/** The query for each kind of cause, and the kinds of movements that it makes. */
const RECORDS: Readonly<Record<string, { readonly sql: string; readonly kinds: readonly string[] }>> = {
  order: { sql: ORDER, kinds: ['reserve', 'resolve', 'amend'] },
  deposit: { sql: DEPOSIT, kinds: ['deposit', 'revert'] },
  withdrawal: { sql: WITHDRAWAL, kinds: ['hold', 'release', 'payout'] },
  correction: { sql: CORRECTION, kinds: ['correction'] },
  legal: { sql: LEGAL_HOLD, kinds: ['legal_hold', 'legal_release'] },
};

/**
 * The record behind movements, such as `order:1024`, with all of its movements.
 * @throws RefusalError REQUEST_NOT_FOUND
 */
export async function readCause(db: Queryable, cause: string): Promise<Cause> {
  const [kind, id] = cause.split(':') as [string, string];
  const record = RECORDS[kind];
  if (record === undefined) return movementAlone(db, { cause, kind, id });
  const row = (await db.query<Row>(record.sql, [id])).rows[0];
  if (row === undefined) throw new RefusalError('REQUEST_NOT_FOUND');
  const { customerId, account, facts } = row;
  return {
    cause,
    customer: { id: customerId, account },
    facts: told(facts),
    transfers: await readTransfersOf(db, { customerId, ref: id, kinds: record.kinds }),
  };
}

/** Practice money, capital and earnings have no record: the transfer's key says who asked for it, its postings what it did. */
async function movementAlone(
  db: Queryable,
  { cause, kind, id }: { cause: string; kind: string; id: string },
): Promise<Cause> {
  const transfers = await readTransfer(db, id, kind);
  const [only] = transfers;
  if (only === undefined) throw new RefusalError('REQUEST_NOT_FOUND');
  const { rows } = await db.query<{ id: string; account: string }>(
    `select c.id::text, c.account from customers c
     where c.id in (select p.owner_id from ledger.postings p where p.transfer_id = $1) limit 2`,
    [id],
  );
  return {
    cause,
    // A day's interest goes to thousands of customers at once.
    customer: rows.length === 1 ? (rows[0] ?? null) : null,
    facts: told({ key: only.key, postedAt: only.time }),
    transfers,
  };
}

/** Leaves out unknown facts; formats a rate as such. */
function told(facts: Facts): Cause['facts'] {
  return Object.entries(facts).flatMap(([name, value]) => {
    if (value === null) return [];
    return [{ name, value: name === 'payoutRate' ? formatRate(Number(value)) : value }];
  });
}
