import type { Queryable } from './db/database.ts';
import { refusalOf } from './http/context.ts';

export interface Asset {
  readonly id: number;
  readonly code: string;
  readonly scale: number;
  readonly isPractice: boolean;
}

/** Read once, because a new asset comes only with a migration. */
export class Assets {
  readonly all: readonly Asset[];
  readonly #byId: ReadonlyMap<number, Asset>;
  readonly #byCode: ReadonlyMap<string, Asset>;

  constructor(all: readonly Asset[]) {
    this.all = all;
    this.#byId = new Map(all.map((asset) => [asset.id, asset]));
    this.#byCode = new Map(all.map((asset) => [asset.code, asset]));
  }

  static async load(db: Queryable): Promise<Assets> {
    const { rows } = await db.query<{ id: number; code: string; scale: number; is_practice: boolean }>(
      'select id, code, scale, is_practice from ledger.assets order by id',
    );
    return new Assets(
      rows.map((row) => ({ id: row.id, code: row.code, scale: row.scale, isPractice: row.is_practice })),
    );
  }

  byId(id: number): Asset {
    const asset = this.#byId.get(id);
    if (!asset) throw new Error(`no asset ${id}`);
    return asset;
  }

  byCode(code: string): Asset | null {
    return this.#byCode.get(code) ?? null;
  }

  /** The asset of a form's field. @throws RefusalError */
  named(code: string): Asset {
    const asset = this.byCode(code);
    if (!asset) throw refusalOf('ASSET_NOT_ACCEPTED', 'asset');
    return asset;
  }

  /** The same for money that is no practice money. @throws RefusalError */
  real(code: string): Asset {
    const asset = this.named(code);
    if (asset.isPractice) throw refusalOf('ASSET_NOT_ACCEPTED', 'asset');
    return asset;
  }
}
