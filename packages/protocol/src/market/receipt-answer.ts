import * as z from 'zod';
import { acceptance, decimal, nullable, voidReason } from '../answers.ts';

const shown = {
  index: z.int().describe('Its place in the log.'),
  entry: z.string().describe('Its exact text.'),
  proof: z.array(z.string()).describe('That it is in the log of the checkpoint.'),
};
const batch = z
  .object({ proof: z.array(z.string()) })
  .describe('That the batch’s root is under that of the `orders` entry.');
const checkpoint = z.string().describe('The log’s signed checkpoint.');

const growth = z
  .object({
    fromSize: z.int(),
    fromRoot: z.string().describe('Hex.'),
    proof: z.array(z.string()).describe('That the log of `fromSize` is the later one’s beginning.'),
  })
  .meta({ id: 'LogGrowth' });

export const receipt = z
  .object({
    version: z.literal(4),
    acceptance,
    batch,
    entries: z.array(
      z.object({
        role: z.enum(['rules', 'beforeAccept', 'orders', 'opening', 'settling', 'waited', 'key']),
        ...shown,
      }),
    ),
    checkpoint,
    consistency: growth.describe('From the log that the acceptance names to the checkpoint.'),
    seen: nullable(growth).describe('From the log that the customer had seen to that of the acceptance.'),
    held: z
      .object({ checkpoint, proof: growth.shape.proof })
      .describe(
        'The first checkpoint over the `orders` entry, and that its log is the beginning of the last one’s.',
      ),
    updates: z
      .array(
        z.object({
          index: z.int().describe('The place of the fix, or of its `close`, in the log.'),
          update: z.string().describe('What the routers signed, base64.'),
          next: nullable(z.string()).describe(
            'The update of the record after it; null where the entry has none, or none is kept.',
          ),
        }),
      )
      .describe(
        'The signed updates behind Pyth’s records in the entries that opened and settled the order; missing where none is kept.',
      )
      .optional(),
    outcome: z.object({
      openPrice: nullable(decimal).describe(
        'The price of the fix of the opening time, or of its `close`; null where the order did not open.',
      ),
      settlePrice: nullable(decimal).describe(
        'The same of the settlement time; null also where no fix was written within 24 hours.',
      ),
      result: z.enum(['profit', 'loss', 'none']),
      payout: decimal.describe('What was credited, the stake included.'),
      voidReason: nullable(voidReason),
    }),
  })
  .meta({ id: 'Receipt' });

export const loggedEvidence = z
  .object({
    entry: shown.entry.describe('The `orders` entry that carries the order’s batch.'),
    index: shown.index,
    entryProof: shown.proof,
    batch: z.int().describe('The number of the batch, as the acceptance names it.'),
    batchProof: batch.shape.proof,
    rules: z.object(shown).describe('The rules that the acceptance names.'),
    beforeAccept: z.object(shown).describe('The last entry of the log that the acceptance names.'),
    consistency: growth.describe('From the log that the acceptance names to the checkpoint.'),
    checkpoint: checkpoint.describe('The first signed checkpoint that covers the entry.'),
    keys: z
      .array(z.object(shown))
      .describe('Hand-overs of the log’s keys and of those of its acceptances, up to the checkpoint.'),
  })
  .meta({ id: 'LoggedEvidence' });
