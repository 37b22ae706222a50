import type { LoopDelay } from '../../platform/loop-delay.ts';

export type FromThread =
  | { readonly kind: 'started' }
  /** The work is complete: the thread ends now and is not restarted. */
  | { readonly kind: 'done' }
  | { readonly kind: 'loop'; readonly delay: LoopDelay }
  | { readonly kind: 'made'; readonly productIds: readonly number[] };

export type ToThread = { readonly kind: 'stop' } | { readonly kind: 'wanted'; readonly productId: number };
