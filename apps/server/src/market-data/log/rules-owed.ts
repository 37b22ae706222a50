import type { ProductRules } from '@fairtick/trading';
import canonicalize from 'canonicalize';
import type { Queryable } from '../../db/database.ts';
import type { Feed } from '../feeds/feed.ts';
import type { Products } from '../products.ts';
import { RuleBook } from '../rule-book.ts';

/** Rules that have to be in the log, as their entry writes them. */
interface Owed {
  readonly productId: number;
  readonly scope: string;
  /** Canonical (RFC 8785). */
  readonly json: string;
}

type OwedByFeed = Owed & { readonly afterMs: number | null };

/**
 * What a feed itself brings and the log does not have: of products that the log has never named all of it, later only what
 * is about prices. Payouts and limits are changed by two people (migration 011) and by no new version of the program.
 * @returns with the moment of the rules before, which these may not overtake; null where there are none
 */
export async function rulesOwed(db: Queryable, feed: Feed, products: Products): Promise<OwedByFeed[]> {
  const book = new RuleBook(db);
  const latest = await book.latest(feed.name, { isOwn: false });
  const own = await book.latest(feed.name, { isOwn: true });
  return products.all.flatMap((product): OwedByFeed[] => {
    const brought = feed.rulesOf(product);
    if (!brought) return [];
    const scope = `${feed.name}/${product.symbol}`;
    const [last, before] = [latest.get(product.id), own.get(product.id)];
    if (!last || !before) {
      return [{ productId: product.id, scope, json: canonicalize(brought) as string, afterMs: null }];
    }
    // What staff changed since stays until the feed brings something else: then it knows its sources better.
    if (canonicalize(priceRules(before.rules)) === canonicalize(priceRules(brought))) return [];
    const json = canonicalize({ ...last.rules, ...priceRules(brought) }) as string;
    return [{ productId: product.id, scope, json, afterMs: last.effectiveMs }];
  });
}

function priceRules(rules: ProductRules): Omit<ProductRules, 'cycles' | 'limits' | 'levels'> {
  const { cycles: _cycles, limits: _limits, levels: _levels, ...rest } = rules;
  return rest;
}

/** The next change that staff have agreed on and the log does not have: all its products, in one append. */
export async function readApproved(
  db: Queryable,
  feed: string,
): Promise<(Owed & { readonly effectiveMs: number })[]> {
  const { rows } = await db.query<{ product_id: number; effective_ms: string; rules: ProductRules }>({
    name: 'rules-due',
    text: 'select product_id, effective_ms, rules from rules_due($1)',
    values: [feed],
  });
  return rows.map(({ product_id, effective_ms, rules }) => ({
    productId: product_id,
    scope: `${feed}/${rules.symbol}`,
    effectiveMs: Number(effective_ms),
    json: canonicalize(rules) as string,
  }));
}
