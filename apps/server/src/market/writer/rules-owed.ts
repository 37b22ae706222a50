import { NO_RULES_HASH } from '@fairtick/proof';
import type { ProductRules } from '@fairtick/trading';
import canonicalize from 'canonicalize';
import type { Queryable } from '../../platform/db/database.ts';
import type { Feed } from '../feeds/feed.ts';
import type { Products } from '../products.ts';
import { type LoggedRules, RuleBook } from '../rule-book.ts';

/** Rules that must be logged, in the form of their entry. */
interface Owed {
  readonly productId: number;
  readonly symbol: string;
  /** The number among the product's rules, and the leaf hash of those before; 64 zeros for the first. */
  readonly n: number;
  readonly previousHash: string;
  /** Canonical (RFC 8785). */
  readonly json: string;
}

/** `afterMs`: these rules must take effect later than this; null for the first of their product, which take effect at once. */
export type OwedByFeed = Owed & { readonly afterMs: number | null };

/**
 * The rules that a feed brings and the log does not have: all fields for a product that is new to the log, otherwise only those
 * about prices. Only two people can change payouts and limits (`schema/office/rules-changes.sql`); a new version of the program or
 * another feed can't.
 */
export async function rulesOwed(db: Queryable, feed: Feed, products: Products): Promise<OwedByFeed[]> {
  const book = new RuleBook(db);
  const latest = await book.latest({ isOwn: false });
  const own = await book.latest({ isOwn: true });
  return products.all.flatMap((product): OwedByFeed[] => {
    const brought = feed.rulesOf(product);
    if (!brought) return [];
    const [last, before] = [latest.get(product.id), own.get(product.id)];
    if (!last || !before) return [{ ...owed(product, null, brought), afterMs: null }];
    // Price rules that staff changed stay until the feed brings different ones, because the feed knows its sources better.
    if (canonicalize(priceRules(before.rules)) === canonicalize(priceRules(brought))) return [];
    const { cycles, limits, levels } = last.rules;
    return [{ ...owed(product, last, { ...brought, cycles, limits, levels }), afterMs: last.effectiveMs }];
  });
}

function owed(
  { id, symbol }: { id: number; symbol: string },
  last: LoggedRules | null,
  rules: ProductRules,
): Owed {
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
export async function readApproved(db: Queryable): Promise<(Owed & { readonly effectiveMs: number })[]> {
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
