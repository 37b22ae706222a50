import type { Localised } from '@fairtick/protocol/languages';
import type { DayStart } from '@fairtick/trading';
import type { Queryable } from '../platform/db/database.ts';

export type AssetClass = 'forex' | 'energy' | 'metal' | 'index' | 'stock' | 'crypto';

export interface Product {
  readonly id: number;
  readonly symbol: string;
  readonly names: Localised;
  readonly assetClass: AssetClass;
  readonly decimals: number;
  readonly exposureGroup: string;
  readonly position: number;
  readonly day: DayStart;
}

/** All products, read once: the catalogue changes only at a migration or a start. */
export class Products {
  readonly all: readonly Product[];
  readonly #byId: ReadonlyMap<number, Product>;
  readonly #bySymbol: ReadonlyMap<string, Product>;

  constructor(all: readonly Product[]) {
    this.all = all;
    this.#byId = new Map(all.map((product) => [product.id, product]));
    this.#bySymbol = new Map(all.map((product) => [product.symbol, product]));
  }

  static async load(db: Queryable): Promise<Products> {
    const { rows } = await db.query<{
      id: number;
      symbol: string;
      names: Localised;
      asset_class: AssetClass;
      decimals: number;
      exposure_group: string;
      position: number;
      day_zone: string;
      day_from: string;
    }>('select * from products order by position');
    return new Products(
      rows.map((row) => ({
        id: row.id,
        symbol: row.symbol,
        names: row.names,
        assetClass: row.asset_class,
        decimals: row.decimals,
        exposureGroup: row.exposure_group,
        position: row.position,
        day: { zone: row.day_zone, from: row.day_from },
      })),
    );
  }

  byId(id: number): Product {
    const product = this.#byId.get(id);
    if (!product) throw new Error(`no product ${id}`);
    return product;
  }

  bySymbol(symbol: string): Product | null {
    return this.#bySymbol.get(symbol) ?? null;
  }
}
