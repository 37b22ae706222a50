import { formatDecimal } from '@fairtick/money';
import { fieldIn, inEachLanguage } from '@fairtick/protocol/languages';
import type { OfficeData, OfficeInput } from '@fairtick/protocol/office';
import { PYTH_SOURCE } from '@fairtick/trading';
import { type PriceModel, termsOf } from '../../market/catalogue/catalogue-product.ts';
import { DRIVERS, isHoursName, type Listing, pairOf } from '../../market/catalogue/listing.ts';
import { dayStartOf, HOURS } from '../../market/catalogue/schedules.ts';
import { askMarkets, unfitSource } from '../../market/feeds/live/ask-markets.ts';
import { usableSources } from '../../market/feeds/live/live-products.ts';
import { marketsOf } from '../../market/feeds/live/program-listing.ts';
import { historyOf } from '../../market/feeds/live/record-history.ts';
import { accessOf, readSourcesFile } from '../../market/feeds/live/sources-file.ts';
import { VENUES } from '../../market/feeds/live/venues.ts';
import type { PayoutRules } from '../../market/product-rules.ts';
import type { Product } from '../../market/products.ts';
import { callRow } from '../../platform/db/call.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { refusalOf } from '../../platform/http/context.ts';
import type { CatalogueParts } from './catalogue-parts.ts';
import { namingPart, outOfBounds } from './out-of-bounds.ts';
import { type Difference, payoutValues } from './rules-differences.ts';

type Input = OfficeInput<'catalogue/proposeProduct'>;

/** A product as its proposal has it (`schema/market/products.sql`). */
interface NewProduct
  extends Pick<Product, 'symbol' | 'names' | 'assetClass' | 'decimals' | 'day' | 'aliases' | 'listing'> {
  readonly group: string;
  readonly payouts: PayoutRules;
}

/** The longest of {@link Product.aliases}. */
const MOST_ALIAS = 40;

const settles = (source: string): boolean =>
  historyOf(source, { access: { url: '', key: '', account: '' }, keys: [] }) !== null;

/** The choices of the form of a new product, and the sources that the operator has. */
export function listsOf({ feed, products, sourcesFile }: CatalogueParts): OfficeData<'catalogue/newProduct'> {
  const file = feed === 'live' ? readSourcesFile(sourcesFile) : {};
  const had = feed === 'live' ? VENUES.filter((venue) => accessOf(venue, file) !== null) : [];
  const sources = had.map(({ source }) => source);
  return {
    feed,
    hours: Object.keys(HOURS),
    groups: [...new Set(products.all.map(({ exposureGroup }) => exposureGroup))].sort(),
    markets: [...DRIVERS.keys()].sort(),
    sources: sources.filter(settles),
    guards: sources.filter((source) => !settles(source)),
  };
}

/** @throws RefusalError that names the part that is out of bounds, or the source that does not have the product */
export async function proposeProduct(
  parts: CatalogueParts,
  staffId: string,
  input: Input,
): Promise<OfficeData<'catalogue/proposeProduct'>> {
  const product = await newProduct(parts, input);
  const found = await askSources(parts, product);
  try {
    const { id, content } = await callRow<{ id: string; content: Buffer }>(parts.pool, 'product_propose', {
      by: staffId,
      note: input.note,
      product,
      found,
    });
    return { id, content: content.toString('hex') };
  } catch (error) {
    throw namingPart(error);
  }
}

/** Asks the sources of a proposed product once more before it is approved; other proposals have none. @throws RefusalError */
export async function checkSourcesAgain(parts: CatalogueParts, id: string): Promise<void> {
  const product = await readProposed(parts.pool, id);
  if (product) await askSources(parts, product.product);
}

/** All values of a proposed product, as differences to nothing. */
export async function valuesOfNew(
  db: Queryable,
  id: string,
): Promise<(Difference & { readonly symbols: string[] })[]> {
  const proposed = await readProposed(db, id);
  if (!proposed) return [];
  const { product, found } = proposed;
  const { names, assetClass, decimals, group, aliases, listing, payouts } = product;
  const values: readonly (readonly [path: string, value: string])[] = [
    ...Object.entries(names).map(([language, name]) => [`names.${language}`, name] as const),
    ...(aliases.length > 0 ? [['aliases', aliases.join(', ')] as const] : []),
    ['assetClass', assetClass],
    ['decimals', String(decimals)],
    ['group', group],
    ['hours', listing.hours],
    ...Object.entries({ ...listing.sources, ...listing.guards }).map(
      ([source, market]) =>
        [
          `${Object.hasOwn(listing.guards, source) ? 'guards' : 'sources'}.${source}`,
          `${market} (${found[source]})`,
        ] as const,
    ),
    ...(listing.model ? [['model', modelText(listing.model)] as const] : []),
    ...payoutValues(payouts),
  ];
  return values.map(([path, after]) => ({ path, before: null, after, symbols: [product.symbol] }));
}

const modelText = (model: PriceModel): string =>
  model.kind === 'pair'
    ? `${model.base} / ${model.quote}`
    : `${model.reference}, ${Math.round(model.volatility * 100)} %, ${model.market}`;

async function readProposed(
  db: Queryable,
  id: string,
): Promise<{ product: NewProduct; found: Readonly<Record<string, string>> } | null> {
  const { rows } = await db.query<{ product: NewProduct; found: Record<string, string> }>(
    `select content -> 'product' as product, content -> 'found' as found from proposals where id = $1 and kind = 'product_new'`,
    [id],
  );
  return rows[0] ?? null;
}

async function newProduct(parts: CatalogueParts, input: Input): Promise<NewProduct> {
  const { symbol, assetClass, decimals, group, hours } = input;
  if (!isHoursName(hours)) throw outOfBounds('hours');
  return {
    symbol,
    names: inEachLanguage((language) => input[fieldIn('name', language)]),
    assetClass,
    decimals,
    group,
    day: dayStartOf(assetClass, HOURS[hours]),
    aliases: listed(input.aliases).map((alias) => alias.slice(0, MOST_ALIAS)),
    listing: {
      hours,
      liveHours: hours,
      ...termsOf(assetClass),
      ...(parts.feed === 'live'
        ? { model: null, ...marketsNamed(parts, input) }
        : { model: parts.feed === 'simulated' ? modelNamed(input) : null, sources: {}, guards: {} }),
    },
    payouts: await payoutsOf(parts, input.like),
  };
}

const listed = (text = ''): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

function marketsNamed(parts: CatalogueParts, input: Input): Pick<Listing, 'sources' | 'guards'> {
  const [sources, guards] = [listed(input.sources), listed(input.guards)];
  const known = listsOf(parts);
  if (!sources.every((source) => known.sources.includes(source))) throw outOfBounds('sources');
  if (!guards.every((source) => known.guards.includes(source))) throw outOfBounds('guards');
  const feed = input.pythFeed ?? '';
  const isTaken = parts.products.all.some(({ listing }) => listing.sources[PYTH_SOURCE] === feed);
  if (sources.includes(PYTH_SOURCE) !== (feed !== '') || (feed !== '' && isTaken))
    throw outOfBounds('pythFeed');
  const markets = marketsOf(input.symbol, sources);
  return {
    sources: feed === '' ? markets : { ...markets, [PYTH_SOURCE]: feed },
    guards: marketsOf(input.symbol, guards),
  };
}

function modelNamed({ symbol, reference, volatility, follows, decimals }: Input): PriceModel {
  const pair = pairOf(symbol);
  if (pair && !reference && !volatility && !follows) return pair;
  const [price, moves] = [Number(reference), Number(volatility) / 100];
  // A price of fewer points would stand still for minutes; more than this the log can't state.
  const points = price * 10 ** decimals;
  if (!(points >= 1_000 && points <= 1e13)) throw outOfBounds('reference');
  if (!(moves > 0 && moves <= 3)) throw outOfBounds('volatility');
  if (!follows || !DRIVERS.has(follows)) throw outOfBounds('follows');
  return { kind: 'listed', reference: price, volatility: moves, market: follows, beta: 1 };
}

async function payoutsOf({ pool, products, rules }: CatalogueParts, like: string): Promise<PayoutRules> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from rules where product_id = $1 order by n desc limit 1',
    [products.bySymbol(like)?.id ?? 0],
  );
  if (!rows[0]) throw refusalOf('PRODUCT_NOT_FOUND', 'like');
  const { cycles, limits, levels } = (await rules.get(Number(rows[0].id))).rules;
  return { cycles, limits, levels };
}

/**
 * The price that each source gives of a product now, with live prices.
 * @throws RefusalError for one that gives none or that does not fit, and for sources that are too few to be used
 */
async function askSources(
  { feed, mode, sourcesFile }: CatalogueParts,
  product: Pick<NewProduct, 'symbol' | 'decimals' | 'listing'>,
): Promise<Readonly<Record<string, string>>> {
  if (feed !== 'live') return {};
  const file = readSourcesFile(sourcesFile);
  if (usableSources(product, file, mode).length === 0) throw outOfBounds('sources');
  const prices = await askMarkets(product, file);
  const unfit = unfitSource(prices);
  if (unfit !== null) throw refusalOf('SOURCE_UNFIT', null, { source: unfit });
  return Object.fromEntries(
    [...prices].map(([source, price]) => [
      source,
      price === null ? '' : formatDecimal(price, product.decimals),
    ]),
  );
}
