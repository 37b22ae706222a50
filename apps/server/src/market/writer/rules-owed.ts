import { NO_RULES_HASH, type RulesEntry } from '@fairtick/proof';
import type { ProductRules } from '@fairtick/trading';
import canonicalize from 'canonicalize';
import type { Queryable } from '../../platform/db/database.ts';
import type { Feed } from '../feeds/feed.ts';
import type { Products } from '../products.ts';
import { type LoggedRules, RuleBook } from '../rule-book.ts';

/** Rules that must be logged. */
export type OwedRules = Omit<RulesEntry, 'kind'> & { readonly productId: number };

/** By then all processes have taken up a product that was added, and whoever follows the log has read its rules. */
const TAKE_UP_MS = 10_000;

/**
 * The rules that a feed brings and the log does not have: all fields for a product that is new to the log, otherwise only those
 * about prices. A product that is closed for good has its last ones. Only two people can change payouts and limits (`schema/office/rules-changes.sql`); a new version of the program or
 * another feed can't.
 * @param times the first rules of a product take effect at `nowMs`, or a little later if the office added it; changed rules not before
 * `changedMs`, null: they are left out
 */
export async function rulesOwed(
  db: Queryable,
  { feed, products }: { feed: Feed; products: Products },
  { nowMs, changedMs }: { nowMs: number; changedMs: number | null },
): Promise<OwedRules[]> {
  const book = new RuleBook(db);
  const latest = await book.latest({ isOwn: false });
  const own = await book.latest({ isOwn: true });
  return products.all.flatMap((product): OwedRules[] => {
    const brought = feed.rulesOf(product);
    if (!brought || product.closesOn) return [];
    const [last, before] = [latest.get(product.id), own.get(product.id)];
    if (!last || !before)
      return [{ ...owed(product, null, brought), effectiveMs: nowMs + (product.isAdded ? TAKE_UP_MS : 0) }];
    if (changedMs === null) return [];
    // Price rules that staff changed stay until the feed brings different ones, because the feed knows its sources better.
    if (canonicalize(priceRules(before.rules)) === canonicalize(priceRules(brought))) return [];
    const { cycles, limits, levels } = last.rules;
    const rules = owed(product, last, { ...brought, cycles, limits, levels });
    return [{ ...rules, effectiveMs: Math.max(changedMs, last.effectiveMs + 1) }];
  });
}

function owed(
  { id, symbol }: { id: number; symbol: string },
  last: LoggedRules | null,
  rules: ProductRules,
): Omit<OwedRules, 'effectiveMs'> {
  return {
    productId: id,
    symbol,
    n: (last?.n ?? 0) + 1,
    previousHash: last?.hash ?? NO_RULES_HASH,
    json: canonicalize(rules) as string,
  };
}

function priceRules(rules: ProductRules): Omit<ProductRules, 'cycles' | 'limits' | 'levels'> {
  const { cycles: _cycles, limits: _limits, levels: _levels, ...rest } = rules;
  return rest;
}

/** The next approved change that is not logged: all its products, for one append. */
export async function readApproved(db: Queryable): Promise<OwedRules[]> {
  const { rows } = await db.query<{
    product_id: number;
    before_id: string;
    effective_ms: string;
    rules: ProductRules;
  }>({
    name: 'rules-due',
    text: 'select product_id, before_id, effective_ms, rules from rules_due()',
  });
  const before = await new RuleBook(db).getMany(rows.map((row) => Number(row.before_id)));
  return rows.map(({ product_id, before_id, effective_ms, rules }) => ({
    ...owed({ id: product_id, symbol: rules.symbol }, before.get(Number(before_id)) as LoggedRules, rules),
    effectiveMs: Number(effective_ms),
  }));
}
