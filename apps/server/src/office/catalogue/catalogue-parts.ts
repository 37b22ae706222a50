import type { Products } from '../../market/products.ts';
import type { RuleBook } from '../../market/rule-book.ts';
import type { Pool } from '../../platform/db/database.ts';

export interface CatalogueParts {
  readonly pool: Pool;
  readonly products: Products;
  readonly rules: RuleBook;
  /** The feed's name in the setting `FEED`. */
  readonly feed: string;
  readonly mode: 'demo' | 'live';
  /** `SOURCES_FILE` of live prices. */
  readonly sourcesFile: string | null;
}
