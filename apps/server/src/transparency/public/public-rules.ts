import type { PublicRules } from '@fairtick/protocol';
import type { ProductRules } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';

const MOST_CHANGES = 50;
const MOST_SYMBOLS = 10;

/** The rules in force, with products of equal rules together, and every change as logged. */
export async function readPublicRules(db: Queryable): Promise<PublicRules> {
  const { rows } = await db.query<{ entry: string }>(
    'select r.entry from product_states s join rules r on r.id = s.rules_id join products p on p.id = s.product_id order by p.position, p.id',
  );
  const groups = new Map<string, PublicRules['current'][number]>();
  for (const { entry } of rows) {
    const rules = JSON.parse(entry.slice(entry.indexOf('{'))) as ProductRules;
    const { quorum, quietMs, waitMs, outlierBps, delayMs, cycles, limits, levels } = rules;
    const own = {
      quorum,
      sources: rules.sources.length,
      quietMs,
      waitMs,
      outlierBps,
      delayMs,
      cycles: cycles.map(({ minutes, payoutRate }) => ({ minutes, payoutRate })),
      limits: limits.map(({ asset, minBalance, minPurchase, max }) => ({
        asset,
        minBalance,
        minPurchase,
        max: max.map((step) => ({ ...step })),
      })),
      levels,
    };
    const key = JSON.stringify(own);
    const known = groups.get(key);
    if (known) known.symbols.push(rules.symbol);
    else groups.set(key, { symbols: [rules.symbol], ...own });
  }
  const current = [...groups.values()].sort((a, b) => b.symbols.length - a.symbols.length);
  return { current, history: await readHistory(db) };
}

async function readHistory(db: Queryable): Promise<PublicRules['history']> {
  const { rows } = await db.query<PublicRules['history'][number]>(
    `select effective_ms::float8 as "effectiveAt", (select time_ms::float8 from log_entries l where l.index = g.first) as "loggedAt",
       first::float8 as "firstIndex", last::float8 as "lastIndex", products, symbols, is_change as "isChange" from (
       select r.effective_ms, r.proposal_id is not null as is_change, min(r.id) as first, max(r.id) as last, count(*)::int as products,
         (array_agg(p.symbol order by p.position))[1:${MOST_SYMBOLS}] as symbols
       from rules r join products p on p.id = r.product_id group by r.effective_ms, r.proposal_id
       order by max(r.id) desc limit ${MOST_CHANGES}
     ) g order by g.last desc`,
  );
  return rows;
}
