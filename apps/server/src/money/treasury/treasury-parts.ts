import type { Asset, Assets } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';

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
