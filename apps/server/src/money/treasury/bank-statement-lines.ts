import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../../platform/db/database.ts';
import { amountOf, ms, who } from '../../platform/office-queries.ts';

type Line = OfficeData<'statement/list'>['items'][number];

const SUGGESTED = 5;
/** Whether the line's reference is one of the customer's deposits, or has FT and the customer's number as a separate word. */
const NAMES = `(coalesce(n.customer_id = r.customer_id, false) or l.reference ~* ('\\mFT' || r.customer_id || '\\M'))`;
const NAMES_DEPOSIT = 'coalesce(n.request_id = r.id, false)';
const CREDITED = `(select d.id::text from deposit_requests d
    where l.amount > 0 and d.asset_id = l.asset_id and reference_key(d.evidence) = reference_key(l.evidence) and d.status = 'success' limit 1)`;
const PAID = `(select w.id::text from withdrawal_requests w
    where l.amount < 0 and w.asset_id = l.asset_id and reference_key(w.reference) = reference_key(l.evidence) and w.status = 'success' limit 1)`;
const SHOWN = 10;
/** What staff say of the line, newest first: the one that is proposed and undecided, and those that took effect. */
const EXPLANATIONS = `(select coalesce(json_agg(json_build_object('id', x.id, 'kind', x.kind, 'note', x.note, 'status', x.status,
    'proposedBy', ${who('x.by')}, 'proposedAt', ${ms('x.at')}, 'decidedBy', ${who('x.decided_by')}) order by x.at desc), '[]')
  from (
    (select e.proposal_id::text as id, e.kind, e.note, 'done' as status, e.staff_id as by, coalesce(p.proposed_at, e.explained_at) as at, p.decided_by
    from statement_explanations e left join proposals p on p.id = e.proposal_id where e.line_id = l.id order by e.id desc limit ${SHOWN})
    union all
    select p.id::text, p.content ->> 'kind', p.content ->> 'note', 'proposed', p.proposed_by, p.proposed_at, null
    from proposals p where p.kind = 'statement_line' and p.subject = l.id::text and p.state = 'proposed'
  ) x)`;
const EXPLAINED = `(select e.kind <> 'none' from statement_explanations e where e.line_id = l.id order by e.id desc limit 1)`;

/** Newest first, each with the deposits under review that could match it; those that match by amount and reference first. */
export async function readLines(
  db: Queryable,
  filter: { isOpen: boolean; before: string | undefined; limit: number },
): Promise<Line[]> {
  const { rows } = await db.query<Line>(
    `select l.id::text, a.code as asset, l.booked_on::text as "bookedOn", ${amountOf('l.amount')} as amount, l.evidence as reference, l.counterparty,
       ${ms('i.imported_at')} as "importedAt", ${CREDITED} as "creditedAs", ${PAID} as "paidAs", ${EXPLANATIONS} as explanations, (
         select coalesce(json_agg(s), '[]') from (
           select r.id::text, c.account, ${amountOf('r.amount')} as amount, r.amount = l.amount as "sameAmount", ${NAMES} as "namesCustomer",
             ${NAMES_DEPOSIT} as "namesDeposit"
           from deposit_requests r join customers c on c.id = r.customer_id
           where r.status = 'review' and r.asset_id = l.asset_id and l.amount > 0 and ${CREDITED} is null
             and (r.amount = l.amount or ${NAMES})
             and l.booked_on between (r.submitted_at - interval '30 days')::date and (r.submitted_at + interval '30 days')::date
           order by (r.amount = l.amount and ${NAMES}) desc, ${NAMES} desc, r.id limit ${SUGGESTED}
         ) s
       ) as suggestions,
       case when g.sign is not null then json_build_object('sign', g.sign, 'id', g.case_id::text, 'account', c.account) end as sign
     from statement_lines l left join deposit_references n on n.number = l.creditor_number
     cross join lateral statement_sign(l) g left join customers c on c.id = g.customer_id join ledger.assets a on a.id = l.asset_id join statement_imports i on i.id = l.import_id
     where ($1::bigint is null or l.id < $1) and (not $2 or (${CREDITED} is null and ${PAID} is null
       and ${EXPLAINED} is not true))
     order by l.id desc limit $3`,
    [filter.before, filter.isOpen, filter.limit],
  );
  return rows;
}

type Import = OfficeData<'statement/imports'>['items'][number];

/** Newest first. */
export async function readImports(
  db: Queryable,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<Import[]> {
  const { rows } = await db.query<Import>(
    `select i.id::text, a.code as asset, ${who('i.imported_by')} as "importedBy", ${ms('i.imported_at')} as "importedAt", i.lines,
       (select min(l.booked_on)::text from statement_lines l where l.import_id = i.id) as "from",
       (select max(l.booked_on)::text from statement_lines l where l.import_id = i.id) as "to",
       ${who('i.undone_by')} as "undoneBy", ${ms('i.undone_at')} as "undoneAt"
     from statement_imports i join ledger.assets a on a.id = i.asset_id
     where $1::bigint is null or i.id < $1 order by i.id desc limit $2`,
    [before, limit],
  );
  return rows;
}
