import { LICENCES } from '@fairtick/trading';
import * as z from 'zod';
import { assetCode, decimal, nullable, time } from '../answers.ts';
import { CLOSED_REASONS, type Closed } from './product-state.ts';

export const ASSET_CLASSES = ['forex', 'energy', 'metal', 'index', 'stock', 'crypto'] as const;
const assetClass = z.enum(ASSET_CLASSES);
export type AssetClass = z.infer<typeof assetClass>;

export const closed: z.ZodType<Closed | null> = nullable(
  z
    .object({
      because: z
        .enum(CLOSED_REASONS)
        .describe(
          'hours: outside its trading hours; halt: staff have halted new orders; disagreement: its sources disagree with others; no_price: too few sources give a price, or did so until 15 s ago; maintenance: the log has no writer; full: the house can take not even the least stake; ended: it is closed for good, or its recording is over; no_licence: an index, which needs a licence of its maker.',
        ),
      since: nullable(time).describe(
        'Since when, if that is known; without a price the time of the last one.',
      ),
      until: nullable(time).describe('When it opens, if that is known.'),
      reason: nullable(z.string()).describe('The reason of a halt, as the public log has it.'),
      sources: nullable(z.object({ now: z.int(), all: z.int(), needed: z.int() })).describe(
        'Of no_price: how many of its sources count, of how many, and how many are needed.',
      ),
      assets: nullable(z.array(assetCode)).describe(
        'Of full: the assets in which it takes no orders. Null: all.',
      ),
    })
    .meta({ id: 'Closed' }),
).describe('Why it takes no orders; null while it takes them.');
export const sourcesNow = nullable(z.int()).describe(
  'How many of its sources count in its newest tick or gap; null: unknown.',
);

export const purchaseLimits = z
  .object({
    asset: assetCode,
    minBalance: decimal,
    minPurchase: decimal,
    maxPurchase: nullable(decimal).describe('Null: unlimited.'),
  })
  .meta({ id: 'PurchaseLimits' });
const cycle = z
  .object({
    minutes: z.int().describe('From opening to settlement.'),
    payoutRate: decimal.describe('What a win earns per unit of stake: "0.85".'),
    limits: z.array(purchaseLimits),
  })
  .meta({ id: 'Cycle' });

const VOLUME =
  'The source’s, else the number of ticks: of each 3 s the first, if a quote of use was received in the 3 s before it.';

export const product = z
  .object({
    symbol: z.string(),
    name: z.string().describe('In the language of the request.'),
    words: z
      .array(z.string())
      .optional()
      .describe('What a search finds it by beside its name; only of products that were added later.'),
    assetClass,
    decimals: z.int().describe('Decimal places of its prices.'),
    isOpen: z.boolean().describe('Whether it takes orders, at least in some asset.'),
    closed,
    n: nullable(z.int()).describe('Number of its last tick or gap in the log.'),
    sourcesNow,
    price: nullable(decimal).describe('The last known price.'),
    priceAt: nullable(time),
    dayOpen: nullable(decimal),
    change: nullable(decimal).describe('Since the day began, absolute.'),
    changeRate: nullable(decimal),
    high: nullable(decimal),
    low: nullable(decimal),
    volume: nullable(decimal).describe(`Of the day. ${VOLUME}`),
    cycles: z.array(cycle),
  })
  .meta({ id: 'Product' });
export type Product = z.infer<typeof product>;

/** Local dates with windows of their own in place of the weekly ones. */
export const shortDays = z.array(
  z.object({ date: z.string(), windows: z.array(z.object({ from: z.string(), to: z.string() })) }),
);

export const productDetail = product
  .extend({
    schedule: z
      .object({
        zone: z.string().describe('IANA time zone of the windows.'),
        windows: z.array(z.object({ days: z.array(z.int()), from: z.string(), to: z.string() })),
        holidays: z.array(z.string()),
        shortDays: shortDays
          .optional()
          .describe('Dates with windows of their own in place of the weekly ones.'),
        until: z
          .string()
          .optional()
          .describe('The last date whose holidays are known: it does not trade after it.'),
      })
      .describe('When it trades.'),
    day: z
      .object({ zone: z.string(), from: z.string() })
      .describe('The wall clock at which its trading days begin; candles of days, weeks and months follow.'),
    sessionEndsAt: nullable(time),
    sources: z.array(z.string()),
    isSimulated: z.boolean(),
    quorum: z.int().describe('So many sources that count make a price, and a fix that opens orders.'),
    quietMs: z.int().describe('A source’s record or quote older than this does not count.'),
    waitMs: z
      .int()
      .describe('How long a fix waits for every source; then those known to the end decide, if enough are.'),
    outlierBps: z.int().describe('Basis points from the median beyond which a price is left out.'),
    licences: z
      .record(z.string(), z.enum(LICENCES))
      .describe('On what terms each source’s quotes are published and settled by.'),
    pyth: z
      .object({
        feed: z.string(),
        keys: z.array(
          z.object({
            fromMs: time.describe('Of updates from this time on.'),
            untilMs: nullable(time).describe('And before this one; null: no end is known.'),
            chain: z.int(),
            emitter: z.string(),
            quorum: z.int().describe('So many of the routers must have signed.'),
            routers: z.array(z.string()),
          }),
        ),
      })
      .optional()
      .describe('Where Pyth is a source: its feed, and the keys that its updates need.'),
    delayMs: z.int().describe('D: the least time between acceptance and opening.'),
    rulesHash: nullable(z.string()).describe('Leaf hash of the log’s entry with these rules.'),
    rules: z.array(z.string()).describe('The rules of an order, in words.'),
  })
  .meta({ id: 'ProductDetail' });
export type ProductDetail = z.infer<typeof productDetail>;

export const PERIODS = ['1m', '5m', '15m', '30m', '1h', '4h', '1d', '1w', '1M'] as const;
export type Period = (typeof PERIODS)[number];

export const candle = z
  .object({
    time: time.describe('Its start, Unix milliseconds.'),
    date: z
      .string()
      .optional()
      .describe('Of days, weeks and months: the trading day, of a week its Monday, of a month its first.'),
    open: decimal,
    high: decimal,
    low: decimal,
    close: decimal,
    volume: nullable(decimal).describe(`${VOLUME} Null with a source.`),
    turnover: nullable(decimal).describe('The sum of the prices of the ticks that the volume counts.'),
    change: decimal.describe('From open to close, absolute.'),
    source: z
      .string()
      .optional()
      .describe(
        'The venue whose own history it is, from before the log. Absent: it is made of the log’s ticks.',
      ),
  })
  .meta({ id: 'Candle' });
export type Candle = z.infer<typeof candle>;

export const tickPoint = z
  .object({ time: time.describe('The log’s time of the price, Unix milliseconds.'), price: decimal })
  .meta({ id: 'TickPoint' });
export type TickPoint = z.infer<typeof tickPoint>;

export const trade = z
  .object({
    time,
    direction: z.enum(['up', 'down']),
    amount: decimal,
    asset: assetCode,
    minutes: z.int(),
  })
  .meta({ id: 'Trade' });
export type Trade = z.infer<typeof trade>;
