import type { Minor } from '@fairtick/money';
import type { NoteSigner } from '@fairtick/proof';
import type { Direction, PlacementRefusal } from '@fairtick/trading';
import type { Products } from '../../market/products.ts';
import type { RuleBook } from '../../market/rule-book.ts';
import type { Assets } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import type { PlacedOrder } from '../order-terms.ts';

/** One customer's order request, checked for form. Ids are those of our tables; the stake is in minor units. */
export interface OrderRequest {
  readonly customerId: string;
  /** SHA-256 of the token of the customer's session. */
  readonly tokenHash: Uint8Array;
  /** SHA-256 of the Idempotency-Key and of the request's fields. */
  readonly keyHash: Uint8Array;
  readonly inputHash: Uint8Array;
  readonly productId: number;
  readonly assetId: number;
  readonly direction: Direction;
  readonly minutes: number;
  readonly stake: Minor;
  readonly notAfterMs: number | null;
  /** The opening time that the customer named, and the customer's nonce; null: the server chooses. */
  readonly named: { readonly opensAtMs: number; readonly nonce: string } | null;
  /** The log's size and root as the customer saw them, already compared with the log. */
  readonly seen: { readonly size: number; readonly root: string } | null;
}

export type PlacementAnswer =
  | { readonly kind: 'accepted'; readonly orderId: number; readonly placed: PlacedOrder }
  /** The key was used before: by the same request, or by another one (then `orderId` may be 0, because that was no order). */
  | { readonly kind: 'known'; readonly orderId: number; readonly isSame: boolean }
  | {
      readonly kind: 'refused';
      readonly code: PlacementRefusal | 'REAUTH_REQUIRED';
      readonly bound?: Minor;
    };

export interface PlacementParts {
  readonly pool: Pool;
  readonly assets: Assets;
  readonly products: Products;
  readonly rules: RuleBook;
  readonly signer: NoteSigner;
}
