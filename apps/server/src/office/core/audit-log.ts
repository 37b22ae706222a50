import type { OfficeData } from '@fairtick/protocol/office';
import { Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { type PageFilter, readPage } from '../../platform/paging.ts';
import { readableFacts } from './audit-facts.ts';

const CHAIN_PAGE = 1_000;

export interface AuditFilter extends PageFilter {
  readonly staffId?: string | undefined;
  readonly subject?: string | undefined;
  readonly action?: string | undefined;
}

interface Row extends Omit<OfficeData<'audit/list'>['items'][number], 'seq'> {
  /** Its number. */
  readonly id: string;
  readonly looked_up: Readonly<Record<string, unknown>>;
}

/**
 * What an entry is about, so that its reader sees values and not hashes alone: the terms of a request, which never change, and the
 * content that was approved, where it still has the hash that the entry names. Texts that may name a person are left out.
 */
const VALUES = `select coalesce((select jsonb_build_object('customer', r.customer_id, 'asset', r.asset_id, 'amount', r.amount, 'fee', r.fee)
      from withdrawal_requests r where s.kind = 'withdrawal' and r.id = s.id), '{}')
    || coalesce((select jsonb_build_object('customer', r.customer_id, 'asset', r.asset_id, 'claimed', r.amount, 'found', (
          select f.entry::jsonb #> '{facts,found}' from audit_log f where s.content is not null and f.subject = 'deposit:' || r.id
            and f.action = 'deposit.find' and f.seq < l.seq order by f.seq desc limit 1))
      from deposit_requests r where s.kind in ('deposit', 'deposit_differing') and r.id = s.id), '{}')
    || coalesce((select p.content - '{how,half,key,products,halt,withdrawal,product,found}'::text[]
      from proposals p where p.kind = s.kind and p.id = s.id and encode(p.content_hash, 'hex') = s.content), '{}')
    || coalesce((select jsonb_build_object('products', jsonb_agg(c.symbol order by c.symbol)) from (
        select p.symbol from rules_change_products c join products p on p.id = c.product_id
        where s.kind in ('rules', 'payout_table', 'feed_rules', 'product_end') and c.proposal_id = s.id limit 20) c having count(*) > 0), '{}') as looked_up
  from (select split_part(l.subject, ':', 1) as kind, l.entry::jsonb #>> '{facts,content}' as content,
    case when l.subject ~ '^[a-z_]+:[0-9]{1,18}$' then split_part(l.subject, ':', 2)::bigint end as id) s`;

/** The audit log, newest first. */
export async function listAudit(db: Queryable, filter: AuditFilter): Promise<OfficeData<'audit/list'>> {
  const { items, nextCursor } = await readPage(filter, async (limit) => {
    const { rows } = await db.query<Row>(
      `select l.seq::text as id, l.at_ms::float8 as time, l.staff_id::text as "staffId", f.account, l.action, l.subject,
         l.entry::jsonb -> 'facts' as facts, v.looked_up
       from audit_log l left join staff f on f.id = l.staff_id cross join lateral (${VALUES}) v
       where ($1::bigint is null or l.seq < $1) and ($2::bigint is null or l.staff_id = $2)
         and ($3::text is null or l.subject = $3) and ($4::text is null or l.action = $4)
       order by l.seq desc limit $5`,
      [filter.cursor, filter.staffId, filter.subject || null, filter.action || null, limit],
    );
    return rows;
  });
  const assets = await Assets.load(db);
  return {
    items: items.map(({ id, looked_up, ...row }) => ({
      ...row,
      seq: Number(id),
      facts: readableFacts({ ...looked_up, ...row.facts, ...productsOf(looked_up) }, assets),
    })),
    nextCursor,
  };
}

/** The names of products instead of their number. */
const productsOf = ({ products }: Row['looked_up']) => (products === undefined ? {} : { products });

/** The texts that the chain's hashes are made of, from an entry's number on, with the head at the same moment. */
export async function readChain(db: Queryable, from: number): Promise<OfficeData<'audit/chain'>> {
  const { rows } = await db.query<OfficeData<'audit/chain'>>(
    `select h.size::float8 as size, encode(h.hash, 'hex') as head,
       coalesce((select jsonb_agg(jsonb_build_object('seq', l.seq, 'entry', l.entry, 'hash', encode(l.hash, 'hex')) order by l.seq)
         from (select * from audit_log where seq >= $1 order by seq limit ${CHAIN_PAGE}) l), '[]') as items
     from audit_head h`,
    [from],
  );
  const row = rows[0];
  if (!row) throw new Error('the audit log has no head');
  return row;
}
