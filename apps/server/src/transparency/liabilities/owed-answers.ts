import type { Data, OwedAnswer } from '@fairtick/protocol';
import type { LogReader } from '../../market/log/log-reader.ts';
import { readLoggedEntry } from '../../market/log/logged-entry.ts';
import type { Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { amountOf } from '../../platform/office-queries.ts';
import { NODE_BYTES, readNode } from './daily-liabilities.ts';

export interface OwedParts {
  readonly db: Queryable;
  readonly assets: Assets;
  readonly reader: LogReader;
}

const DAYS = 31;

/** The total owed to all customers, by day and asset. */
export async function readLiabilities({ db }: OwedParts): Promise<Data<'transparencyLiabilities'>> {
  const { rows } = await db.query<Data<'transparencyLiabilities'>[number]>(
    `select d.date::text, a.code as asset, ${amountOf('d.total')} as total, encode(d.root, 'hex') as root, d.entry_index::float8 as index
     from liability_days d join ledger.assets a on a.id = d.asset_id
     where d.date > (now() at time zone 'utc')::date - ${DAYS} order by d.date desc, d.asset_id`,
  );
  return rows;
}

/** What is held on chains, as the log has it or will. */
export async function readHoldings({ db }: OwedParts): Promise<Data<'transparencyHoldings'>> {
  const { rows } = await db.query<Data<'transparencyHoldings'>[number]>(
    `select h.date::text, a.code as asset, h.chain, chain_holdings_entry(h) as entry, h.entry_index::float8 as index
     from chain_holdings h join ledger.assets a on a.id = h.asset_id
     where h.date > (now() at time zone 'utc')::date - ${DAYS} order by h.date desc, h.chain, h.contract`,
  );
  return rows;
}

type DayRow = {
  date: string;
  asset_id: number;
  taken: number;
  total: string;
  root: Buffer;
  depth: number;
  entry_index: string | null;
  place: number | null;
  nonce: Buffer | null;
  amount: string | null;
};

/** The amounts owed to one customer on the last day with trees, each asset with its path to the root. */
export async function readOwed(parts: OwedParts, customerId: string): Promise<OwedAnswer[]> {
  const { db, assets } = parts;
  const { rows } = await db.query<DayRow>(
    `select d.date::text, d.asset_id, floor(extract(epoch from d.taken_at) * 1000)::float8 as taken, d.total, d.root, d.depth, d.entry_index,
       l.place, l.nonce, l.amount
     from liability_days d left join liability_leaves l on l.date = d.date and l.asset_id = d.asset_id and l.customer_id = $1
     where d.date = (select max(date) from liability_days) order by d.asset_id`,
    [customerId],
  );
  return Promise.all(
    rows.map(async (row): Promise<OwedAnswer> => {
      const { code, scale } = assets.byId(row.asset_id);
      return {
        asset: code,
        decimals: scale,
        date: row.date,
        takenAt: row.taken,
        total: row.total,
        root: row.root.toString('hex'),
        leaf: await readLeaf(db, customerId, row),
        logged: row.entry_index === null ? null : await readLoggedEntry(parts, Number(row.entry_index)),
      };
    }),
  );
}

async function readLeaf(db: Queryable, customerId: string, row: DayRow): Promise<OwedAnswer['leaf']> {
  const { place, nonce, amount } = row;
  if (place === null || nonce === null || amount === null) return null;
  const { rows } = await db.query<{ node: Buffer }>(
    `select substring(nodes from (((($3::int >> level) # 1)) * ${NODE_BYTES} + 1) for ${NODE_BYTES}) as node
     from liability_levels where date = $1 and asset_id = $2 and level < $4 order by level`,
    [row.date, row.asset_id, place, row.depth],
  );
  const path = rows.map(({ node }) => readNode(node));
  return { customer: customerId, nonce: nonce.toString('hex'), amount, place, path };
}
