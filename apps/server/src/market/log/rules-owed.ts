import type { ProductRules } from '@fairtick/trading';
import canonicalize from 'canonicalize';
import type { Queryable } from '../../platform/db/database.ts';
import type { Feed } from '../feeds/feed.ts';
import type { Products } from '../products.ts';
import { RuleBook } from '../rule-book.ts';

/** Rules that must be logged, in the form of their entry. */
interface Owed {
  readonly productId: number;
  readonly scope: string;
  /** Canonical (RFC 8785). */
  readonly json: string;
}

/** `afterMs`: these rules must take effect later than this; null for the first of their scope, which take effect at once. */
type OwedByFeed = Owed & { readonly afterMs: number | null };

/**
 * The rules that a feed brings and the log does not have: all fields for a product that is new to the log, otherwise only those
 * about prices. Only two people can change payouts and limits (`schema/office/rules-changes.sql`); a new version of the program or another feed
 * can't. A feed that is new to a product starts with the standing payouts, and a feed that returns adopts them.
 */
export async function rulesOwed(db: Queryable, feed: Feed, products: Products): Promise<OwedByFeed[]> {
  const book = new RuleBook(db);
  const latest = await book.latest(feed.name, { isOwn: false });
  const own = await book.latest(feed.name, { isOwn: true });
  const standing = await readPayouts(db);
  return products.all.flatMap((product): OwedByFeed[] => {
    const brought = feed.rulesOf(product);
    if (!brought) return [];
    const owe = (rules: object, afterMs: number | null): OwedByFeed[] => [
      {
        productId: product.id,
        scope: `${feed.name}/${product.symbol}`,
        json: canonicalize(rules) as string,
        afterMs,
      },
    ];
    const payouts = standing.get(product.id);
    const [last, before] = [latest.get(product.id), own.get(product.id)];
    if (!last || !before) return owe({ ...brought, ...payouts?.now }, null);
    const newest = { ...last.rules, ...payouts?.newest };
    // Price rules that staff changed stay until the feed brings different ones, because the feed knows its sources better.
    const hasChanged = canonicalize(priceRules(before.rules)) !== canonicalize(priceRules(brought));
    if (!hasChanged && canonicalize(newest) === canonicalize(last.rules)) return [];
    const afterMs = Math.max(last.effectiveMs, (payouts?.newestMs ?? 0) - 1);
    return owe(hasChanged ? { ...newest, ...priceRules(brought) } : newest, afterMs);
  });
}

type Payouts = Pick<ProductRules, 'cycles' | 'limits' | 'levels'>;

/** The payouts and limits of each product that has rules: those in force, and those agreed on last with their effective time. */
async function readPayouts(
  db: Queryable,
): Promise<ReadonlyMap<number, { now: Payouts; newest: Payouts; newestMs: number }>> {
  const { rows } = await db.query<{
    product_id: number;
    now: Payouts;
    newest: Payouts;
    newest_ms: string;
  }>(
    `select p.id as product_id, payouts_newest_ms(p.id) as newest_ms, payouts_standing(p.id, log_now()) as now,
       payouts_standing(p.id, greatest(log_now(), payouts_newest_ms(p.id))) as newest
     from products p where exists (select from rules r where r.product_id = p.id)`,
  );
  return new Map(
    rows.map(({ product_id, now, newest, newest_ms }) => [
      product_id,
      { now, newest, newestMs: Number(newest_ms) },
    ]),
  );
}

function priceRules(rules: ProductRules): Omit<ProductRules, 'cycles' | 'limits' | 'levels'> {
  const { cycles: _cycles, limits: _limits, levels: _levels, ...rest } = rules;
  return rest;
}

/** The next approved change that is not logged: all its products, for one append. */
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
