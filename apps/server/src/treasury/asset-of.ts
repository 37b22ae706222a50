import type { Asset, Assets } from '../assets.ts';
import type { Pool } from '../db/database.ts';
import { RefusalError } from '../http/context.ts';

export interface TreasuryParts {
  readonly pool: Pool;
  readonly assets: Assets;
}

/** @throws RefusalError for an unknown asset, or for practice money */
export function assetOf({ assets }: TreasuryParts, code: string): Asset {
  const asset = assets.byCode(code);
  if (!asset || asset.isPractice)
    throw new RefusalError('ASSET_NOT_ACCEPTED', { fields: { asset: 'ASSET_NOT_ACCEPTED' } });
  return asset;
}
