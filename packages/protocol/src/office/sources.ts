import * as z from 'zod';
import { sourcedProducts, sourceFigures } from '../market/transparency-endpoints.ts';
import { officeGet } from './operation.ts';
import { ms } from './parts.ts';

const count = z.int();

const officeSources = z.object({
  /** What makes the prices; only `live` has sources here. */
  feed: z.string(),
  /** When they were counted, at most half a minute ago; null: nothing was counted since. */
  at: ms.nullable(),
  sources: z.array(
    z.object({
      ...sourceFigures,
      /** Since the feed process that leads began. */
      reconnects: count,
      gaps: count,
      /** Prices that the server did not use. */
      ignored: count,
      /** Subscriptions that the source refused, and frames that the server refused, such as prices without a signature. */
      refused: count,
      lastAt: ms.nullable(),
      /** In how many of the last minute's ticks its quote was used, stale, an outlier, or absent. */
      ticks: z.object({ use: count, stale: count, outlier: count, none: count }),
      /** The last fault, without secrets; null: none since the process began. */
      fault: z.string().nullable(),
      faultAt: ms.nullable(),
    }),
  ),
  products: z.array(
    sourcedProducts.element.extend({
      /** Time since its last current price, in its trading hours; null outside of them. */
      priceAge: ms.nullable(),
    }),
  ),
});

/** Live sources. */
export const sourceOperations = {
  'sources/state': officeGet(['catalogue', 'approver', 'auditor'], {}, officeSources, {
    summary: 'Live sources: state, lag, clock, faults, share of ticks, and the quorum of each product',
  }),
} as const;
