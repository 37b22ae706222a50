import type { LoopDelay } from '../../platform/loop-delay.ts';

/** Messages from a thread to its starter. */
export type FromThread =
  | { readonly kind: 'started' }
  /** The work is complete: the thread ends now and is not restarted. */
  | { readonly kind: 'done' }
  | { readonly kind: 'loop'; readonly delay: LoopDelay }
  /** The simulated past of these products is made. */
  | { readonly kind: 'made'; readonly productIds: readonly number[] };

/** Messages to a thread. */
export type ToThread =
  | { readonly kind: 'stop' }
  /** A client waits for the simulated past of this product. */
  | { readonly kind: 'wanted'; readonly productId: number };
