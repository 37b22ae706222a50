import * as z from 'zod';
import { assetCode, decimal, loggedEntry, nullable, time, voidReason } from '../answers.ts';
import { get } from '../endpoint.ts';

const count = z.int().min(0);
const ms = nullable(z.int());
const index = z.int().describe('Its place in the log.');

const outcomeCounts = {
  won: count,
  unpriced: count.describe(
    'Of those won: because no fix of its opening or settlement time was written within 24 hours.',
  ),
  corrected: count.describe(
    'Orders that the close of a fix made better after they were settled; the house paid what was missing.',
  ),
  lost: count,
  tied: count.describe('The price had not moved: the stake went back.'),
  void: count.describe('The stake went back.'),
  voidWon: count.describe('Voids that would have won at the fixes of their times.'),
  voidLost: count.describe('Voids that would have lost at them.'),
  voidTied: count,
};

const cycleOutcome = z
  .object({
    symbol: z.string(),
    minutes: z.int(),
    ...outcomeCounts,
    statedEdge: nullable(decimal).describe(
      'Of what was staked and won or lost: the share that the payout rates leave the house if up and down are equally likely.',
    ),
    realisedEdge: nullable(decimal).describe(
      'Of the same stakes: the share that the house kept; below zero, what it lost.',
    ),
  })
  .meta({ id: 'CycleOutcome' });
export type CycleOutcome = z.infer<typeof cycleOutcome>;

const outcomes = z.object({
  ...outcomeCounts,
  products: z.array(cycleOutcome).describe('By product and cycle, the most orders first; at most 1 000.'),
  voids: z
    .array(
      z.object({
        reason: voidReason,
        asset: assetCode,
        count,
        won: count.describe('Would have won at the fixes of their times.'),
        lost: count.describe('Would have lost.'),
        tied: count,
        returned: decimal.describe('The stakes of those that have both fixes.'),
        wouldHavePaid: decimal.describe('What these orders would have paid instead.'),
      }),
    )
    .describe('Void orders by reason and asset.'),
  losers: z.array(
    z.object({
      asset: assetCode,
      customers: count.describe('Who had an order settled in 12 months.'),
      lost: count.describe('Of them, who lost more than they won.'),
    }),
  ),
});

const delay = z.object({ count, p50: ms, p99: ms });

const publicStatistics = z
  .object({
    computedAt: time,
    countedUntil: nullable(time).describe(
      'Orders that settled before this are counted, a minute after they were; null: none yet.',
    ),
    from: time.describe('What is older than this is left out, but for the share of losing customers.'),
    outcomes,
    practice: nullable(outcomes).describe(
      'Practice money, which counts nowhere else; a demo shows it so that there is something to see. Null in live mode.',
    ),
    delays: z.object({
      fix: delay.describe('From the time of a fix to its entry, in milliseconds of the log’s time.'),
      settle: delay.describe('From the settlement time to the settlement.'),
    }),
    refusals: z
      .array(
        z.object({
          code: z.string(),
          count,
          won: count.describe('Of customers who had won with the asset in the 30 days before.'),
          lost: count.describe(
            'Of customers who had lost with it. The rest had come to nothing, or had no orders.',
          ),
        }),
      )
      .describe('Orders refused before acceptance, by reason; practice money too.'),
    gaps: z
      .array(z.object({ symbol: z.string(), reason: z.string(), count }))
      .describe('How often prices stopped, by product and reason; at most 1 000.'),
    ticks: count.describe('All ticks, for comparison.'),
    fixes: z
      .object({
        count,
        open: count.describe('With a record that nothing had closed yet.'),
        thin: count.describe('In which fewer sources than the quorum count: nothing opened at them.'),
      })
      .describe('Prices that opened and settled orders.'),
    aways: z
      .array(z.object({ source: z.string(), count, totalMs: z.int() }))
      .describe('Intervals in which a source was left out of all fixes, by source; at most 1 000.'),
    sources: z
      .array(
        z.object({
          source: z.string(),
          quotes: count.describe('Received.'),
          lagP50: ms.describe('From the source’s time to the receipt, in milliseconds; 5001: more than 5 s.'),
          lagP99: ms,
          absent: count.describe('Ticks before its first quote.'),
          stale: count.describe('Ticks in which its quote was too old.'),
          outliers: count.describe('Ticks in which its quote was too far from the others.'),
        }),
      )
      .describe('By source, over all products; at most 1 000.'),
    halts: z
      .object({ count, totalMs: z.int().describe('How long new orders were halted, in milliseconds.') })
      .describe('As the log has them.'),
    withdrawals: z.object({
      paid: count,
      p50: ms.describe('From the request to the payment, in milliseconds.'),
      p95: ms,
      pending: z.array(z.object({ asset: assetCode, count, sum: decimal, oldestAt: time })),
      rejections: z.array(z.object({ reason: z.string(), count })),
    }),
  })
  .meta({ id: 'PublicStatistics' });
export type PublicStatistics = z.infer<typeof publicStatistics>;

const publicRules = z
  .object({
    current: z
      .array(
        z.object({
          symbols: z.array(z.string()),
          quorum: z.int(),
          sources: z.int().describe('How many sources there are.'),
          quietMs: z.int(),
          waitMs: z.int(),
          outlierBps: z.int(),
          delayMs: z.int(),
          cycles: z.array(z.object({ minutes: z.int(), payoutRate: decimal })),
          limits: z
            .array(
              z.object({
                asset: assetCode,
                minBalance: decimal,
                minPurchase: decimal,
                max: z.array(z.object({ upToMinutes: z.int(), amount: decimal })),
              }),
            )
            .describe('Bounds of a stake in each asset; the maximum by length of the cycle, shortest first.'),
          levels: z
            .record(z.string(), nullable(z.number()))
            .describe('Factor on the maximum by the customer’s level; null: unlimited.'),
        }),
      )
      .describe('Products that share their rules, the most first.'),
    history: z
      .array(
        z.object({
          effectiveAt: time,
          loggedAt: nullable(time),
          firstIndex: index,
          lastIndex: index,
          products: count,
          symbols: z.array(z.string()).describe('At most ten of them.'),
          isChange: z.boolean().describe('Agreed on by two people; else brought by the feed.'),
        }),
      )
      .describe('The newest first; at most 50. Each stands in the log before it takes effect.'),
  })
  .meta({ id: 'PublicRules' });
export type PublicRules = z.infer<typeof publicRules>;

const liabilities = z
  .array(
    z.object({
      date: z.string(),
      asset: assetCode,
      total: decimal.describe('What is owed to all customers.'),
      root: z.string(),
      index: nullable(index).describe('Null: it is not in the log yet.'),
    }),
  )
  .meta({ id: 'Liabilities' });

const holdings = z
  .array(
    z.object({
      date: z.string(),
      asset: assetCode,
      chain: z.string(),
      entry: z.string().describe('As the log has it: docs/receipt-format.md.'),
      index: nullable(index).describe('Null: it is not in the log yet.'),
    }),
  )
  .meta({ id: 'Holdings' });

const owedProof = z
  .object({
    asset: assetCode,
    decimals: z.int(),
    date: z.string(),
    takenAt: time,
    total: z.string().describe('Of all customers, in the smallest unit.'),
    root: z.string(),
    leaf: nullable(
      z.object({
        customer: z.string(),
        nonce: z.string(),
        amount: z.string().describe('What is owed, in the smallest unit.'),
        place: z.int(),
        path: z.array(z.object({ sum: z.string(), hash: z.string() })),
      }),
    ).describe('Null: nothing was owed.'),
    logged: nullable(loggedEntry).describe('That the root stands in the log; null: not yet.'),
  })
  .meta({ id: 'OwedProof' });
export type OwedAnswer = z.infer<typeof owedProof>;

/** Figures of one live source over the last minute. */
export const sourceFigures = {
  source: z.string(),
  state: z
    .enum(['sends', 'quiet', 'lost'])
    .describe('`quiet`: connected, without a price in the last minute; `lost`: not connected.'),
  quotesPerSecond: z.number().min(0).describe('Prices that were taken, over the last minute.'),
  lagP50: ms.describe(
    'From the source’s time to the receipt, in milliseconds, over the last minute, 10 000 at most; null: the source names no time.',
  ),
  lagP99: ms,
  clockMs: ms.describe(
    'The smallest lag of the last minute, in milliseconds: our clock is ahead of the source’s by this at most. Below zero our clock is behind it by at least as much.',
  ),
};

/** The products with live sources, in the order of the catalogue. */
export const sourcedProducts = z.array(
  z.object({
    symbol: z.string(),
    isOpen: z.boolean().describe('Whether its trading hours are now.'),
    sources: count.describe('How many it has.'),
    priced: count.describe('How many of them have a price now.'),
    quorum: count.describe('How many its price needs.'),
  }),
);

const liveSources = z
  .object({
    feed: z
      .string()
      .describe('What makes the prices: `live`, or `simulated` and `replay`, which have no live sources.'),
    at: nullable(time).describe(
      'When they were counted, at most half a minute ago; null: nothing was counted since.',
    ),
    sources: z.array(z.object(sourceFigures)),
    products: sourcedProducts,
  })
  .meta({ id: 'LiveSources' });
export type LiveSources = z.infer<typeof liveSources>;

/** Data that the operator publishes, and data that each customer can check about their own account. */
export const transparencyEndpoints = {
  transparencyStats: get('transparency/stats', 'public', {}, publicStatistics, {
    summary: 'What the house publishes of itself: outcomes, edge, delays, refusals, gaps, withdrawals',
  }),
  transparencyRules: get('transparency/rules', 'public', {}, publicRules, {
    summary: 'Rules in force and their history, as the log has them',
  }),
  transparencySources: get('transparency/sources', 'public', {}, liveSources, {
    summary: 'Live sources now: state, lag, prices a second, clock, and the quorum of each product',
  }),
  transparencyLiabilities: get('transparency/liabilities', 'public', {}, liabilities, {
    summary: 'What was owed to all customers on each of the last 31 days, the newest first',
  }),
  transparencyHoldings: get('transparency/holdings', 'public', {}, holdings, {
    summary: 'What the house held on chains on each of the last 31 days, the newest first',
  }),
  fundOwed: get('fund/owed', 'session', {}, z.array(owedProof), {
    summary: 'What was owed to the customer on the last day, with the way up to what the log says of all',
  }),
};
