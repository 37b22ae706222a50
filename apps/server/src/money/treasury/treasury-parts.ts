import type { Assets } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';

export interface TreasuryParts {
  readonly pool: Pool;
  readonly assets: Assets;
}
