import type { dashboardOperations, OfficeData } from '@fairtick/protocol/office';
import type { Products } from '../../market/products.ts';
import type { Assets } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { ms } from '../../platform/office-queries.ts';
import { readExposure, readLogHealth, readSettlement, readVoids, turnoverDays } from './house-queries.ts';
import { Turnover } from './turnover.ts';

type House = OfficeData<'dashboard/house'>;

/** The house's figures are read at most once in this time, ms, however many people look. */
const KEEP_MS = 2_000;
/** A day of orders is counted at most once in this time, ms. */
const VOIDS_KEEP_MS = 60_000;

/** Open items of each queue, from its own table. */
const QUEUES = `select queue, count(at)::int as waiting, ${ms('min(at)')} as "oldestAt" from (
    select 'deposits' as queue, 1 as place, submitted_at as at from deposit_requests where status = 'review'
    union all select 'withdrawals', 2, submitted_at from withdrawal_requests where status = 'review'
    union all select 'payouts', 3, approved_at from withdrawal_requests where status = 'approved'
    union all select 'identities', 4, submitted_at from verifications where state = 'pending'
    union all select 'corrections', 5, proposed_at from proposals where kind = 'correction' and state = 'proposed'
    union all select 'channels', 6, proposed_at from proposals where kind in ('channel', 'withdrawal_terms') and state = 'proposed'
    union all select 'rules', 7, proposed_at from proposals p
      where kind in ('payout_table', 'feed_rules') and state = 'proposed' and rules_standing(p) = 'proposed'
    union all select 'staff', 8, proposed_at from proposals where kind = 'staff_change' and state = 'proposed'
    union all select q, p, null from unnest(array['deposits', 'withdrawals', 'payouts', 'identities', 'corrections', 'channels', 'rules',
      'staff'], array[1, 2, 3, 4, 5, 6, 7, 8]) as every (q, p)
  ) waiting group by queue, place order by place`;

export async function readQueues(db: Pool): Promise<OfficeData<'dashboard/queues'>> {
  const { rows } = await db.query<OfficeData<'dashboard/queues'>[number]>(QUEUES);
  return rows;
}

/** The figures of the start page; no decision depends on them. */
export function dashboardHandlers(parts: {
  pool: Pool;
  products: Products;
  assets: Assets;
}): OfficeHandlers<keyof typeof dashboardOperations> {
  const { pool, assets } = parts;
  const turnover = new Turnover(pool);
  const voids = kept(VOIDS_KEEP_MS, () => readVoids(pool));
  const house = kept(KEEP_MS, async (): Promise<House> => {
    const { time, ...log } = await readLogHealth(pool);
    return {
      time,
      log,
      turnover: turnoverDays(await turnover.read(time), assets),
      exposure: await readExposure(pool, parts),
      settlement: { ...(await readSettlement(pool)), voids: await voids() },
    };
  });
  return {
    'dashboard/queues': () => readQueues(pool),
    'dashboard/house': () => house(),
  };
}

/** Caches the result of `read` for `keepMs`; concurrent callers share one read. A failed read is not kept. */
function kept<T>(keepMs: number, read: () => Promise<T>): () => Promise<T> {
  let last: { readonly atMs: number; readonly answer: Promise<T> } | null = null;
  return () => {
    if (last !== null && performance.now() - last.atMs <= keepMs) return last.answer;
    const answer = read();
    answer.catch(() => {
      last = null;
    });
    last = { atMs: performance.now(), answer };
    return answer;
  };
}
