import type { Language } from '@fairtick/protocol';
import type { OfficeData } from '@fairtick/protocol/office';
import type { GapReason, ProductRules } from '@fairtick/trading';
import { type OrderStops, readOrderStops } from '../../market/order-stops.ts';
import { closedOf } from '../../market/product-state.ts';
import type { Product } from '../../market/products.ts';
import type { LoggedRules } from '../../market/rule-book.ts';
import { TradingHours } from '../../market/trading-hours.ts';
import { RefusalError } from '../../platform/http/context.ts';
import type { CatalogueParts } from './catalogue-parts.ts';
import { differencesOf } from './rules-differences.ts';

type ListedProduct = OfficeData<'catalogue/products'>[number];
type ProductDetail = OfficeData<'catalogue/product'>;

interface StateRow {
  readonly product_id: number;
  readonly rules_id: string | null;
  readonly gap_reason: GapReason | null;
  readonly tick_ms: string | null;
  readonly orders_from_ms: string | null;
  readonly coming: number;
  readonly proposed: number;
  readonly now_ms: string;
  readonly log_ms: string;
}

const STATES = `select s.product_id, s.rules_id, s.gap_reason, s.tick_ms, s.orders_from_ms, t.now_ms, t.log_ms,
    (select count(*)::int from rules r where r.product_id = s.product_id and r.effective_ms > t.now_ms) as coming,
    (select count(*)::int from rules_change_products p join proposals c on c.id = p.proposal_id
      where p.product_id = s.product_id and c.state = 'proposed' and rules_standing(c) = 'proposed') as proposed
  from product_states s cross join (select log_now() as now_ms, time_ms as log_ms from log_head) t
  where $1::smallint is null or s.product_id = $1`;

/** How many versions of a product's rules are returned, newest first. */
const MAX_VERSIONS = 50;

export async function listProducts(parts: CatalogueParts, language: Language): Promise<ListedProduct[]> {
  const { rows } = await parts.pool.query<StateRow>(STATES, [null]);
  const states = new Map(rows.map((row) => [row.product_id, row]));
  const ids = rows.flatMap(({ rules_id }) => (rules_id === null ? [] : [Number(rules_id)]));
  const stops = await readOrderStops(parts.pool, Number(rows[0]?.now_ms ?? 0));
  const book = await parts.rules.getMany(ids);
  return parts.products.all.flatMap((product) => {
    const state = states.get(product.id);
    if (!state) return [];
    const rules = state.rules_id === null ? null : (book.get(Number(state.rules_id)) ?? null);
    return [describe(parts, { product, state, rules, stops, language })];
  });
}

function describe(
  { feed }: CatalogueParts,
  of: { product: Product; state: StateRow; rules: LoggedRules | null; stops: OrderStops; language: Language },
): ListedProduct {
  const { product, state } = of;
  const rules = of.rules?.rules ?? null;
  const nowMs = Number(state.now_ms);
  const hours = rules && TradingHours.of(rules.schedule);
  const closed = closedOf(
    {
      product,
      rules: of.rules,
      gap: state.gap_reason,
      priceMs: state.tick_ms === null ? null : Number(state.tick_ms),
      ordersFromMs: state.orders_from_ms === null ? null : Number(state.orders_from_ms),
      sourcesNow: null,
    },
    { feed, nowMs: () => nowMs, logMs: () => Number(state.log_ms), stops: () => of.stops },
  );
  const rates = (rules?.cycles ?? []).map(({ payoutRate }) => payoutRate).sort();
  return {
    symbol: product.symbol,
    name: product.names[of.language],
    assetClass: product.assetClass,
    group: product.exposureGroup,
    decimals: product.decimals,
    isOpen: closed === null || closed.because === 'full',
    closed,
    sessionEndsAt: hours?.periodAt(nowMs)?.endMs ?? null,
    gap: state.gap_reason,
    sources: rules?.sources.length ?? 0,
    quorum: rules?.quorum ?? null,
    zone: rules?.schedule.zone ?? null,
    leastRate: rates[0] ?? null,
    mostRate: rates.at(-1) ?? null,
    rulesHash: of.rules?.hash ?? null,
    since: of.rules?.effectiveMs ?? null,
    coming: state.coming,
    proposed: state.proposed,
  };
}

/** @throws RefusalError */
export async function readProduct(
  parts: CatalogueParts,
  symbol: string,
  language: Language,
): Promise<ProductDetail> {
  const product = parts.products.bySymbol(symbol);
  const found = product && (await parts.pool.query<StateRow>(STATES, [product.id])).rows[0];
  if (!product || !found) throw new RefusalError('PRODUCT_NOT_FOUND');
  const { rows } = await parts.pool.query<{ id: string; proposal_id: string | null }>(
    'select id, proposal_id::text from rules where product_id = $1 order by n desc limit $2',
    [product.id, MAX_VERSIONS],
  );
  const stops = await readOrderStops(parts.pool, Number(found.now_ms));
  const presentId = found.rules_id === null ? null : Number(found.rules_id);
  const ids = rows.map(({ id }) => Number(id));
  const book = await parts.rules.getMany(presentId === null ? ids : [...ids, presentId]);
  const present = presentId === null ? null : (book.get(presentId) ?? null);
  const versions = rows.map((row) => ({ ...row, logged: book.get(Number(row.id)) as LoggedRules }));
  return {
    ...describe(parts, { product, state: found, rules: present, stops, language }),
    rules: present && copyOf(present.rules),
    history: versions.map(({ id, proposal_id, logged }, place) => ({
      index: Number(id),
      hash: logged.hash,
      effectiveAt: logged.effectiveMs,
      state: stateOf(Number(id), presentId),
      changeId: proposal_id,
      differences: differencesToBefore(logged.rules, versions[place + 1]?.logged.rules ?? null),
    })),
  };
}

function stateOf(id: number, presentId: number | null): 'past' | 'present' | 'coming' {
  if (id === presentId) return 'present';
  return presentId === null || id > presentId ? 'coming' : 'past';
}

/** The first version has nothing to compare with, so it shows no differences. */
function differencesToBefore(rules: ProductRules, before: ProductRules | null) {
  return before === null ? [] : differencesOf(before, rules);
}

function copyOf(rules: ProductRules): NonNullable<ProductDetail['rules']> {
  return JSON.parse(JSON.stringify(rules)) as NonNullable<ProductDetail['rules']>;
}
