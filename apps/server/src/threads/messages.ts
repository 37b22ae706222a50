import type { LoopDelay } from '../loop-delay.ts';

/** What a thread tells whoever started it. */
export type FromThread =
  | { readonly kind: 'started' }
  /** Nothing is left to do: the thread ends now, and is not missed. */
  | { readonly kind: 'done' }
  | { readonly kind: 'loop'; readonly delay: LoopDelay }
  /** The simulated past of these products is there. */
  | { readonly kind: 'made'; readonly productIds: readonly number[] };

/** What a thread is told. */
export type ToThread =
  | { readonly kind: 'stop' }
  /** Somebody waits for the simulated past of this product. */
  | { readonly kind: 'wanted'; readonly productId: number };
