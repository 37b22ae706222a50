import type { AssetClass } from '@fairtick/protocol';
import type { Localised } from '@fairtick/protocol/languages';
import type { DayStart } from '@fairtick/trading';
import type { Queryable } from '../platform/db/database.ts';
import type { Listing } from './catalogue/listing.ts';
import type { PayoutRules } from './product-rules.ts';

export interface Product {
  readonly id: number;
  readonly symbol: string;
  readonly names: Localised;
  readonly assetClass: AssetClass;
  readonly decimals: number;
  readonly exposureGroup: string;
  readonly position: number;
  readonly day: DayStart;
  readonly listing: Listing;
  /** Payouts and limits of its first rules; null: those that all products share. */
  readonly payouts: PayoutRules | null;
  /** Other names that people search for; empty where the program ships the product, and with it the words of searches. */
  readonly aliases: readonly string[];
  /** Added in the office. */
  readonly isAdded: boolean;
  /** The last date on which it trades, `YYYY-MM-DD`; null: it is not closed for good. */
  readonly closesOn: string | null;
}

/** After its last day, all that its orders wait for is known: a zone's and a night's hours, and the day in which a fix is closed. */
const ENDS_AFTER_DAYS = 4;

/** Whether the sources of a product that was closed for good are not needed any more. */
export const hasEnded = ({ closesOn }: Product, nowMs: number): boolean =>
  closesOn !== null && nowMs >= Date.parse(closesOn) + ENDS_AFTER_DAYS * 86_400_000;

/** All products. The office adds and closes some at run time: {@link refresh} reads them again. */
export class Products {
  #all: readonly Product[] = [];
  #byId: ReadonlyMap<number, Product> = new Map();
  #bySymbol: ReadonlyMap<string, Product> = new Map();
  #revision: string | null = null;
  readonly #listeners: (() => Promise<void>)[] = [];

  constructor(all: readonly Product[]) {
    this.#take(all);
  }

  static async load(db: Queryable): Promise<Products> {
    const products = new Products([]);
    await products.refresh(db);
    return products;
  }

  get all(): readonly Product[] {
    return this.#all;
  }

  /** Reads the products again if one was added or has changed. @returns whether that was so */
  async refresh(db: Queryable): Promise<boolean> {
    const { rows } = await db.query<{ revision: string }>({
      name: 'products-revision',
      text: 'select coalesce(sum(revision), 0) as revision from products',
    });
    const revision = rows[0]?.revision ?? '';
    if (revision === this.#revision) return false;
    this.#take(await read(db));
    for (const tell of this.#listeners) await tell();
    this.#revision = revision;
    return true;
  }

  /** Calls after each change, again if that fails. */
  onChange(tell: () => Promise<void>): void {
    this.#listeners.push(tell);
  }

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  byId(id: number): Product {
    const product = this.#byId.get(id);
    if (!product) throw new Error(`no product ${id}`);
    return product;
  }

  bySymbol(symbol: string): Product | null {
    return this.#bySymbol.get(symbol) ?? null;
  }

  #take(all: readonly Product[]): void {
    this.#all = all;
    this.#byId = new Map(all.map((product) => [product.id, product]));
    this.#bySymbol = new Map(all.map((product) => [product.symbol, product]));
  }
}

async function read(db: Queryable): Promise<Product[]> {
  const { rows } = await db.query<Product>(
    `select id, symbol, names, asset_class as "assetClass", decimals, exposure_group as "exposureGroup", position,
       json_build_object('zone', day_zone, 'from', day_from) as day, listing, payouts, aliases,
       proposal_id is not null as "isAdded", closes_on::text as "closesOn"
     from products order by position, id`,
  );
  return rows;
}
