import * as z from 'zod';
import { assetCode, decimal, nullable, says, time } from '../answers.ts';

/** Building blocks of the answers about a customer's own limits, price alerts and statistics. */
export const LIMIT_KINDS = ['deposit', 'stake', 'loss'] as const;
export const LIMIT_PERIODS = ['day', 'week', 'month'] as const;

const usedLimit = z
  .object({
    asset: assetCode,
    kind: z.enum(LIMIT_KINDS),
    per: z.enum(LIMIT_PERIODS).meta(says('Of UTC; weeks begin on Monday.')),
    amount: decimal,
    used: decimal.meta(says('Of a loss limit: what was lost less what was won, open orders as lost.')),
    left: decimal,
    resetsAt: time,
    later: nullable(
      z.object({
        amount: nullable(decimal).meta(says('Null: no limit any more.')),
        at: time,
      }),
    ).meta(says('A loosening that was asked for and counts a day later.')),
  })
  .meta({ id: 'UsedLimit' });
export type UsedLimit = z.infer<typeof usedLimit>;

export const protection = z
  .object({
    limits: z.array(usedLimit),
    pause: nullable(
      z.object({
        kind: z.enum(['break', 'exclusion']),
        from: time,
        until: nullable(time).meta(says('Null: for good.')),
      }),
    ).meta(says('No orders and no deposits meanwhile; null: there is none.')),
    reminder: z.object({
      minutes: nullable(z.int()).meta(says('Minutes of use between two reminders; null: none.')),
      later: nullable(z.object({ minutes: nullable(z.int()), at: time })),
    }),
  })
  .meta({ id: 'Protection' });
export type Protection = z.infer<typeof protection>;

export const priceAlert = z
  .object({
    id: z.string(),
    symbol: z.string(),
    direction: z.enum(['up', 'down']).meta(says('`up`: the price rises to it or above.')),
    price: decimal,
    createdAt: time,
    fired: nullable(
      z.object({
        price: decimal,
        time: time.meta(says('The log’s time of the tick.')),
        index: z.int().meta(says('Where that tick stands in the log.')),
      }),
    ).meta(says('The first tick that reached it; null: it waits.')),
  })
  .meta({ id: 'PriceAlert' });
export type PriceAlert = z.infer<typeof priceAlert>;

export const priceAlerts = z.object({
  waiting: z.array(priceAlert),
  fired: z.array(priceAlert).meta(says('The newest 50, newest first.')),
  most: z.int().meta(says('So many can wait at once.')),
});
export type PriceAlerts = z.infer<typeof priceAlerts>;

const tally = z.object({
  orders: z.int().meta(says('Settled orders.')),
  won: z.int(),
  lost: z.int(),
  none: z.int().meta(says('The price did not move, or the order was void.')),
  staked: decimal.meta(says('On those that were won or lost.')),
  result: decimal.meta(says('What was paid back less what was staked.')),
  winRate: nullable(decimal).meta(says('Won of those that were won or lost; null: there are none.')),
  breakEven: nullable(decimal).meta(
    says('The share that would have to be won to come out even, by these payouts.'),
  ),
});
export type Tally = z.infer<typeof tally>;

export const statistics = tally
  .extend({
    asset: assetCode,
    from: time,
    to: time,
    open: z.int().meta(says('Orders that are not settled yet; they are in none of the figures.')),
    isPartial: z.boolean().meta(says('There were more orders than are counted: only the newest ones are.')),
    byProduct: z.array(tally.extend({ symbol: z.string() })),
    byCycle: z.array(tally.extend({ minutes: z.int() })),
  })
  .meta({ id: 'Statistics' });
export type Statistics = z.infer<typeof statistics>;
