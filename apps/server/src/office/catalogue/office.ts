import type { catalogueOperations, OfficeData, OfficeInput } from '@fairtick/protocol/office';
import type { ProductRules } from '@fairtick/trading';
import { RuleBook } from '../../market/rule-book.ts';
import { call, callRow, perform } from '../../platform/db/call.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { ms, who } from '../../platform/office-queries.ts';
import type { CatalogueParts } from './catalogue-parts.ts';
import { checkSourcesAgain, listsOf, proposeProduct, valuesOfNew } from './new-product.ts';
import { namingPart, outOfBounds } from './out-of-bounds.ts';
import { listProducts, readProduct } from './product-queries.ts';
import { differencesOf, groupDifferences } from './rules-differences.ts';

type Path = keyof typeof catalogueOperations;
type Area<Prefix extends string> = OfficeHandlers<Extract<Path, `${Prefix}/${string}`>>;
type Change = OfficeData<'catalogue/changes'>['items'][number];

const RULES = {
  columns: `r.kind, rules_standing(r) as state, r.content ->> 'note' as note, (r.content ->> 'effectiveMs')::float8 as "effectiveAt",
    encode(r.content_hash, 'hex') as content, case when r.kind = 'product_new' then 1 else
    (select count(*)::int from rules_change_products p where p.proposal_id = r.id) end as products`,
};

/** Products, rule changes and halts. The database decides what may be proposed and how many must agree (`schema/office/rules-changes.sql`). */
export function catalogueHandlers(wiring: Omit<CatalogueParts, 'rules'>): OfficeHandlers<Path> {
  const parts = { ...wiring, rules: new RuleBook(wiring.pool) };
  return { ...productHandlers(parts), ...haltHandlers(parts) };
}

function productHandlers(parts: CatalogueParts): Area<'catalogue'> {
  const { pool } = parts;
  const proposals = new OfficeProposals<Change>(
    pool,
    ['payout_table', 'feed_rules', 'product_end', 'product_new'],
    RULES,
  );
  return {
    'catalogue/products': (_input, { language }) => listProducts(parts, language),
    'catalogue/product': ({ symbol }, { language }) => readProduct(parts, symbol, language),
    'catalogue/changes': (filter) =>
      proposals.list(
        filter,
        filter.state === 'open' ? `r.state = 'proposed' and rules_standing(r) = 'proposed'` : 'true',
      ),
    'catalogue/change': async ({ id }) => withDifferences(parts, await proposals.read(id)),
    'catalogue/propose': (input, { session }) => propose(parts, session.staffId, input),
    'catalogue/newProduct': async () => listsOf(parts),
    'catalogue/proposeProduct': (input, { session }) => proposeProduct(parts, session.staffId, input),
    'catalogue/approve': async ({ id, content }, { session }) => {
      const seen = { content: Buffer.from(content, 'hex') };
      await checkSourcesAgain(parts, id);
      const state = await proposals.approve(session.staffId, id, seen);
      return { state: state === 'done' ? 'approved' : 'proposed' };
    },
    'catalogue/refuse': ({ id, reason }, { session }) => proposals.refuse(session.staffId, id, reason),
  };
}

const HALTS = `select h.id::text, c.symbol, h.reason, ${who('h.halted_by')} as by, ${ms('h.halted_at')} as since,
    case when p.id is not null then json_build_object('note', p.content ->> 'note', 'by', ${who('p.proposed_by')},
      'time', ${ms('p.proposed_at')}, 'content', encode(p.content_hash, 'hex')) end as lift,
    ${who('p.decided_by')} as "liftedBy", ${ms('h.lifted_at')} as "liftedAt"
  from trading_halts h left join proposals p on p.id = h.lift_id left join products c on c.id = h.product_id`;

function haltHandlers({ pool, products }: CatalogueParts): Area<'halt'> {
  const proposals = new OfficeProposals(pool, ['halt_lift']);
  return {
    'halt/state': async () => {
      type Halts = OfficeData<'halt/state'>['past'];
      const { rows: present } = await pool.query<Halts[number]>(
        `${HALTS} where h.lifted_at is null order by c.id nulls first`,
      );
      const { rows: past } = await pool.query<Halts[number]>(
        `${HALTS} where h.lifted_at is not null order by h.id desc limit 20`,
      );
      return { present, past };
    },
    'halt/start': async ({ symbol, reason }, { session }) => {
      const product = symbol === undefined ? null : products.bySymbol(symbol);
      if (symbol !== undefined && !product) throw refusalOf('PRODUCT_NOT_FOUND', 'symbol');
      return perform(pool, 'trading_halt', { by: session.staffId, reason, product: product?.id ?? null });
    },
    'halt/proposeLift': ({ id, note }, { session }) =>
      perform(pool, 'trading_propose_lift', { by: session.staffId, id, note }),
    'halt/lift': async ({ id, content }, { session }) => {
      const proposal = await call<string>(pool, 'trading_lift_proposed', { halt: id });
      const seen = { content: Buffer.from(content, 'hex') };
      const state = await proposals.approve(session.staffId, proposal, seen);
      return { isLifted: state === 'done' };
    },
  };
}

async function withDifferences(
  { pool, products, rules }: CatalogueParts,
  change: Change | undefined,
): Promise<OfficeData<'catalogue/change'>> {
  if (!change) throw new RefusalError('CHANGE_NOT_FOUND');
  if (change.kind === 'product_new') return { ...change, differences: await valuesOfNew(pool, change.id) };
  const { rows } = await pool.query<{ product_id: number; before_id: string; rules: ProductRules }>(
    'select product_id, before_id, rules from rules_change_products where proposal_id = $1 order by product_id',
    [change.id],
  );
  const before = await rules.getMany(rows.map(({ before_id }) => Number(before_id)));
  const differences = groupDifferences(
    rows.map((row) => ({
      symbol: products.byId(row.product_id).symbol,
      differences: differencesOf(before.get(Number(row.before_id))?.rules ?? null, row.rules),
    })),
  );
  return { ...change, differences };
}

/** @throws RefusalError that names the part that is out of bounds */
async function propose(
  parts: CatalogueParts,
  staffId: string,
  input: OfficeInput<'catalogue/propose'>,
): Promise<OfficeData<'catalogue/propose'>> {
  const { kind, effectiveAt, note } = input;
  const products = productsOf(parts, input.symbols);
  try {
    const patch = JSON.stringify(parseRules(input.rules));
    const values = { by: staffId, kind, effectiveMs: effectiveAt, note, products, patch };
    const { id, content } = await callRow<{ id: string; content: Buffer }>(
      parts.pool,
      'rules_propose',
      values,
    );
    return { id, content: content.toString('hex') };
  } catch (error) {
    throw namingPart(error);
  }
}

/** The ids of the named products; of all products for an empty list. @throws RefusalError */
function productsOf({ products }: CatalogueParts, symbols: string): number[] {
  if (symbols === '') return products.all.map(({ id }) => id);
  return [...new Set(symbols.split(','))].map((symbol) => {
    const product = products.bySymbol(symbol);
    if (!product) throw refusalOf('PRODUCT_NOT_FOUND', 'symbols');
    return product.id;
  });
}

/** Text that is no JSON, or that holds a NUL character (which no text column takes), is refused as out of bounds. */
function parseRules(text: string): unknown {
  try {
    if (!text.includes('\\u0000')) return JSON.parse(text);
  } catch {
    // Refused below.
  }
  throw outOfBounds('rules');
}
