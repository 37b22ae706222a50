import { formatDecimal } from '@fairtick/money';
import { equalBytes, parseLiabilities, type SumNode, sumTree } from '@fairtick/proof';
import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../../platform/db/database.ts';

type Kept = OfficeData<'ledger/liabilities'>[number];

const DAYS = 31;
const NODE_BYTES = 48;
/** Larger trees are not rebuilt for the office; the audit on the command line has the time. */
const MOST_LEAVES = 1 << 17;

interface KeptRow {
  readonly date: string;
  readonly code: string;
  readonly scale: number;
  readonly total: string;
  readonly root: Buffer;
  readonly ledger_head: Buffer;
  readonly customers: number;
  readonly taken: number;
  readonly entry_index: string | null;
  readonly entry: string | null;
  readonly leaves: Buffer | null;
}

/** The trees of what was owed, each rebuilt from its leaves and compared with the log. */
export async function readKeptLiabilities(db: Queryable): Promise<Kept[]> {
  const { rows } = await db.query<KeptRow & Record<string, unknown>>(
    `select d.date::text, a.code, a.scale, d.total, d.root, h.ledger_head, d.customers, floor(extract(epoch from d.taken_at) * 1000)::float8 as taken,
       d.entry_index, (select body from log_entries e where e.index = d.entry_index) as entry,
       (select nodes from liability_levels l where l.date = d.date and l.asset_id = d.asset_id and l.level = 0
         and octet_length(nodes) <= ${MOST_LEAVES * NODE_BYTES}) as leaves
     from liability_days d join ledger.assets a on a.id = d.asset_id join public_heads h on h.number = d.head
     where d.date > (now() at time zone 'utc')::date - ${DAYS} order by d.date desc, d.asset_id`,
  );
  return rows.map((row) => ({
    date: row.date,
    asset: row.code,
    total: formatDecimal(BigInt(row.total), row.scale),
    customers: row.customers,
    takenAt: row.taken,
    index: row.entry_index === null ? null : Number(row.entry_index),
    state: stateOf(row),
  }));
}

function stateOf(row: KeptRow): Kept['state'] {
  if (row.leaves !== null) {
    const [top] = sumTree(nodesOf(row.leaves)).at(-1) as [SumNode];
    if (String(top.sum) !== row.total || !equalBytes(top.hash, row.root)) return 'tree';
  }
  if (row.entry_index === null) return 'unlogged';
  // Entries that only the archive has are not compared here; monitors and customers check them.
  const said = row.entry === null ? null : parseLiabilities(row.entry);
  if (said === null) return row.entry === null ? 'right' : 'log';
  const total = formatDecimal(BigInt(row.total), row.scale);
  const isSaid = said.date === row.date && said.asset === row.code && said.total === total;
  const isOfHead = said.timeMs === row.taken && said.ledgerHead === row.ledger_head.toString('hex');
  return isSaid && isOfHead && said.root === row.root.toString('hex') ? 'right' : 'log';
}

function nodesOf(bytes: Buffer): SumNode[] {
  return Array.from({ length: bytes.length / NODE_BYTES }, (_, at) => {
    const node = bytes.subarray(at * NODE_BYTES, (at + 1) * NODE_BYTES);
    const sum = (node.readBigUInt64BE(0) << 64n) | node.readBigUInt64BE(8);
    return { sum, hash: node.subarray(16) };
  });
}
