import * as z from 'zod';
import { acceptance, decimal, nullable, says } from './answers.ts';

const growth = z
  .object({
    fromSize: z.int(),
    fromRoot: z.string().meta(says('Hex.')),
    proof: z.array(z.string()).meta(says('That the log of `fromSize` is the later one’s beginning.')),
  })
  .meta({ id: 'LogGrowth' });

export const receipt = z
  .object({
    version: z.literal(1),
    acceptance,
    batch: nullable(z.object({ number: z.int(), proof: z.array(z.string()) })).meta(
      says('That the batch’s root is under the `orders` entry; null where the log has none.'),
    ),
    entries: z.array(
      z.object({
        role: z.enum([
          'rules',
          'beforeAccept',
          'orders',
          'beforeOpen',
          'open',
          'beforeSettle',
          'settle',
          'afterSettle',
          'head',
          'key',
        ]),
        index: z.int().meta(says('Its place in the log.')),
        entry: z.string().meta(says('Its exact text.')),
        proof: z.array(z.string()).meta(says('That it is in the log of the checkpoint.')),
      }),
    ),
    checkpoint: z.string().meta(says('The log’s signed checkpoint.')),
    consistency: growth.meta(says('From the log that the acceptance names to the checkpoint.')),
    seen: nullable(growth).meta(says('From the log that the customer had seen to that of the acceptance.')),
    outcome: z.object({
      openPrice: nullable(decimal),
      settlePrice: nullable(decimal),
      result: z.enum(['profit', 'loss', 'none']),
      payout: decimal.meta(says('What was credited, the stake included.')),
      voidReason: nullable(z.enum(['not_logged', 'no_open', 'gap', 'stale'])),
    }),
  })
  .meta({ id: 'Receipt' });
