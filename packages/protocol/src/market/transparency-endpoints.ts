import * as z from 'zod';
import { assetCode, decimal, nullable, says, time, voidReason } from '../answers.ts';
import { get } from '../endpoint.ts';

const count = z.int().min(0);
const ms = nullable(z.int());
const index = z.int().meta(says('Its place in the log.'));

const outcomeCounts = {
  won: count,
  unpriced: count.meta(
    says('Of those won: because no fix of its opening or settlement time was written within 24 hours.'),
  ),
  corrected: count.meta(
    says(
      'Orders that the close of a fix made better after they were settled; the house paid what was missing.',
    ),
  ),
  lost: count,
  tied: count.meta(says('The price had not moved: the stake went back.')),
  void: count.meta(says('The stake went back.')),
  voidWon: count.meta(says('Voids that would have won at the fixes of their times.')),
  voidLost: count.meta(says('Voids that would have lost at them.')),
  voidTied: count,
};

const cycleOutcome = z
  .object({
    symbol: z.string(),
    minutes: z.int(),
    ...outcomeCounts,
    statedEdge: nullable(decimal).meta(
      says(
        'Of what was staked and won or lost: the share that the payout rates leave the house if up and down are equally likely.',
      ),
    ),
    realisedEdge: nullable(decimal).meta(
      says('Of the same stakes: the share that the house kept; below zero, what it lost.'),
    ),
  })
  .meta({ id: 'CycleOutcome' });
export type CycleOutcome = z.infer<typeof cycleOutcome>;

const outcomes = z.object({
  ...outcomeCounts,
  products: z.array(cycleOutcome).meta(says('By product and cycle, the most orders first; at most 1 000.')),
  voids: z
    .array(
      z.object({
        reason: voidReason,
        asset: assetCode,
        count,
        won: count.meta(says('Would have won at the fixes of their times.')),
        lost: count.meta(says('Would have lost.')),
        tied: count,
        returned: decimal.meta(says('The stakes of those that have both fixes.')),
        wouldHavePaid: decimal.meta(says('What these orders would have paid instead.')),
      }),
    )
    .meta(says('Void orders by reason and asset.')),
  losers: z.array(
    z.object({
      asset: assetCode,
      customers: count.meta(says('Who had an order settled in 12 months.')),
      lost: count.meta(says('Of them, who lost more than they won.')),
    }),
  ),
});

const delay = z.object({ count, p50: ms, p99: ms });

const publicStatistics = z
  .object({
    computedAt: time,
    countedUntil: nullable(time).meta(
      says('Orders that settled before this are counted, a minute after they were; null: none yet.'),
    ),
    from: time.meta(says('What is older than this is left out, but for the share of losing customers.')),
    outcomes,
    practice: nullable(outcomes).meta(
      says(
        'Practice money, which counts nowhere else; a demo shows it so that there is something to see. Null in live mode.',
      ),
    ),
    delays: z.object({
      fix: delay.meta(says('From the time of a fix to its entry, in milliseconds of the log’s time.')),
      settle: delay.meta(says('From the settlement time to the settlement.')),
    }),
    refusals: z
      .array(
        z.object({
          code: z.string(),
          count,
          won: count.meta(says('Of customers who had won with the asset in the 30 days before.')),
          lost: count.meta(
            says('Of customers who had lost with it. The rest had come to nothing, or had no orders.'),
          ),
        }),
      )
      .meta(says('Orders refused before acceptance, by reason; practice money too.')),
    gaps: z
      .array(z.object({ symbol: z.string(), reason: z.string(), count }))
      .meta(says('How often prices stopped, by product and reason; at most 1 000.')),
    ticks: count.meta(says('All ticks, for comparison.')),
    fixes: z
      .object({
        count,
        open: count.meta(says('With a record that nothing had closed yet.')),
        thin: count.meta(says('In which fewer sources than the quorum count: nothing opened at them.')),
      })
      .meta(says('Prices that opened and settled orders.')),
    aways: z
      .array(z.object({ source: z.string(), count, totalMs: z.int() }))
      .meta(says('Intervals in which a source was left out of all fixes, by source; at most 1 000.')),
    sources: z
      .array(
        z.object({
          source: z.string(),
          quotes: count.meta(says('Received.')),
          lagP50: ms.meta(
            says('From the source’s time to the receipt, in milliseconds; 5001: more than 5 s.'),
          ),
          lagP99: ms,
          absent: count.meta(says('Ticks before its first quote.')),
          stale: count.meta(says('Ticks in which its quote was too old.')),
          outliers: count.meta(says('Ticks in which its quote was too far from the others.')),
        }),
      )
      .meta(says('By source, over all products; at most 1 000.')),
    halts: z
      .object({ count, totalMs: z.int().meta(says('How long new orders were halted, in milliseconds.')) })
      .meta(says('As the log has them.')),
    withdrawals: z.object({
      paid: count,
      p50: ms.meta(says('From the request to the payment, in milliseconds.')),
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
          sources: z.int().meta(says('How many sources there are.')),
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
            .meta(
              says('Bounds of a stake in each asset; the maximum by length of the cycle, shortest first.'),
            ),
          levels: z
            .record(z.string(), nullable(z.number()))
            .meta(says('Factor on the maximum by the customer’s level; null: unlimited.')),
        }),
      )
      .meta(says('Products that share their rules, the most first.')),
    history: z
      .array(
        z.object({
          effectiveAt: time,
          loggedAt: nullable(time),
          firstIndex: index,
          lastIndex: index,
          products: count,
          symbols: z.array(z.string()).meta(says('At most ten of them.')),
          isChange: z.boolean().meta(says('Agreed on by two people; else brought by the feed.')),
        }),
      )
      .meta(says('The newest first; at most 50. Each stands in the log before it takes effect.')),
  })
  .meta({ id: 'PublicRules' });
export type PublicRules = z.infer<typeof publicRules>;

const liabilities = z
  .array(
    z.object({
      date: z.string(),
      asset: assetCode,
      total: decimal.meta(says('What is owed to all customers.')),
      root: z.string(),
      index: nullable(index).meta(says('Null: it is not in the log yet.')),
    }),
  )
  .meta({ id: 'Liabilities' });

const owedProof = z
  .object({
    asset: assetCode,
    decimals: z.int(),
    date: z.string(),
    takenAt: time,
    total: z.string().meta(says('Of all customers, in the smallest unit.')),
    root: z.string(),
    leaf: nullable(
      z.object({
        customer: z.string(),
        nonce: z.string(),
        amount: z.string().meta(says('What is owed, in the smallest unit.')),
        place: z.int(),
        path: z.array(z.object({ sum: z.string(), hash: z.string() })),
      }),
    ).meta(says('Null: nothing was owed.')),
    logged: nullable(
      z.object({
        index,
        entry: z.string(),
        proof: z.array(z.string()),
        checkpoint: z.string(),
        keys: z
          .array(z.object({ index, entry: z.string(), proof: z.array(z.string()) }))
          .meta(says('Hand-overs of the log’s keys up to the checkpoint, each with its proof.')),
      }),
    ).meta(says('That the root stands in the log; null: not yet.')),
  })
  .meta({ id: 'OwedProof' });
export type OwedAnswer = z.infer<typeof owedProof>;

/** Figures of one live source over the last minute. */
export const sourceFigures = {
  source: z.string(),
  state: z
    .enum(['sends', 'quiet', 'lost'])
    .meta(says('`quiet`: connected, without a price in the last minute; `lost`: not connected.')),
  quotesPerSecond: z.number().min(0).meta(says('Prices that were taken, over the last minute.')),
  lagP50: ms.meta(
    says(
      'From the source’s time to the receipt, in milliseconds, over the last minute, 10 000 at most; null: the source names no time.',
    ),
  ),
  lagP99: ms,
  clockMs: ms.meta(
    says(
      'The smallest lag of the last minute, in milliseconds: our clock is ahead of the source’s by this at most. Below zero our clock is behind it by at least as much.',
    ),
  ),
};

/** The products with live sources, in the order of the catalogue. */
export const sourcedProducts = z.array(
  z.object({
    symbol: z.string(),
    isOpen: z.boolean().meta(says('Whether its trading hours are now.')),
    sources: count.meta(says('How many it has.')),
    priced: count.meta(says('How many of them have a price now.')),
    quorum: count.meta(says('How many its price needs.')),
  }),
);

const liveSources = z
  .object({
    feed: z
      .string()
      .meta(says('What makes the prices: `live`, or `simulated` and `replay`, which have no live sources.')),
    at: nullable(time).meta(
      says('When they were counted, at most half a minute ago; null: nothing was counted since.'),
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
  fundOwed: get('fund/owed', 'session', {}, z.array(owedProof), {
    summary: 'What was owed to the customer on the last day, with the way up to what the log says of all',
  }),
};
