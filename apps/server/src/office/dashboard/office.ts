import { type dashboardOperations, type OfficeData, WAITING_QUEUES } from '@fairtick/protocol/office';
import type { PriceAges } from '../../market/price-ages.ts';
import type { Products } from '../../market/products.ts';
import type { Assets } from '../../platform/assets.ts';
import { cached } from '../../platform/cached.ts';
import type { Pool } from '../../platform/db/database.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { ms } from '../../platform/office-queries.ts';
import {
  oldestPrice,
  readCustomerExposure,
  readExposure,
  readLogHealth,
  readSettlement,
  readVoids,
  turnoverDays,
} from './house-queries.ts';
import { type HouseFacts, readHouseSteps } from './house-steps.ts';
import { MoneyDays } from './money-days.ts';
import { Turnover } from './turnover.ts';

type House = OfficeData<'dashboard/house'>;

/** The house's figures are read at most once in this time, ms, however many people look. */
const KEEP_MS = 2_000;
/** Days of orders are counted at most once in this time, ms. */
const DAYS_KEEP_MS = 60_000;

/** Open items of each queue, from its own table. */
const QUEUES = `with waiting (queue, at) as (
    select 'deposits', submitted_at from deposit_requests where status = 'review'
    union all select case status when 'review' then 'withdrawals' else 'payouts' end,
      case status when 'review' then submitted_at else approved_at end from withdrawal_requests where decided_at is null
    union all select 'identities', submitted_at from verifications where state = 'pending'
    union all select 'chats', waiting_since from chats where waiting_since is not null
    union all select 'tasks', found_at from flag_tasks where closed_at is null
    union all select 'tasks', found_at from screening_hits where state = 'open'
    union all select 'recoveries', at from recovery_requests where decided_at is null
    union all select case kind when 'correction' then 'corrections' when 'statement_line' then 'statements' when 'earning_rate' then 'earnings' when 'house_capital' then 'capital' when 'staff_change' then 'staff'
        when 'channel' then 'channels' when 'withdrawal_terms' then 'channels' when 'payout_table' then 'rules' when 'feed_rules' then 'rules'
          when 'product_end' then 'rules' when 'product_new' then 'rules'
          when 'freeze' then 'restrictions' when 'legal_hold' then 'restrictions' when 'flag_rule' then 'tasks' when 'screening' then 'tasks' end,
      proposed_at from proposals p where state = 'proposed' and (kind not in ('payout_table', 'feed_rules', 'product_end') or rules_standing(p) = 'proposed')
  )
  select queue, count(at)::int as waiting, ${ms('min(at)')} as "oldestAt"
  from unnest($1::text[]) with ordinality as every (queue, place) left join waiting using (queue) group by queue, place order by place`;

export async function readQueues(db: Pool): Promise<OfficeData<'dashboard/queues'>> {
  const { rows } = await db.query<OfficeData<'dashboard/queues'>[number]>(QUEUES, [WAITING_QUEUES]);
  return rows;
}

/** The figures of the start page; no decision depends on them. */
export function dashboardHandlers(parts: {
  pool: Pool;
  products: Products;
  assets: Assets;
  ages: PriceAges;
  facts: () => HouseFacts;
}): OfficeHandlers<keyof typeof dashboardOperations> {
  const { pool, assets, ages } = parts;
  const turnover = new Turnover(pool);
  const voids = cached(DAYS_KEEP_MS, () => readVoids(pool));
  const moneyDays = new MoneyDays(pool, assets);
  const money = cached(DAYS_KEEP_MS, async () => moneyDays.read((await readLogHealth(pool)).time));
  const house = cached(KEEP_MS, async (): Promise<House> => {
    const { time, ...log } = await readLogHealth(pool);
    return {
      time,
      log: { ...log, oldestPrice: oldestPrice(await ages()) },
      turnover: turnoverDays(await turnover.read(time), assets),
      exposure: await readExposure(pool, parts),
      customers: await readCustomerExposure(pool, assets),
      money: [...(await money())],
      settlement: { ...(await readSettlement(pool)), voids: await voids() },
    };
  });
  return {
    'dashboard/queues': () => readQueues(pool),
    'dashboard/house': house,
    'dashboard/steps': () => readHouseSteps(pool, parts.facts()),
  };
}
