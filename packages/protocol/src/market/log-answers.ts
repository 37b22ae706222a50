import * as z from 'zod';
import { decimal, nullable, time } from '../answers.ts';
import { closed, sourcesNow } from './product-answers.ts';

const keyRange = z
  .object({
    key: z.string(),
    from: z.int().describe('The least size of the log that it may sign, or that an acceptance may name.'),
    until: nullable(z.int()).describe('The greatest; null: it is in use.'),
  })
  .meta({ id: 'KeyRange' });

/** Answers about the public log and the stream's clock. */
export const verifierKeys = z
  .object({
    origin: z.string().describe('The log’s name in its signed notes.'),
    checkpoints: z.string().describe('Verifier key of the checkpoints.'),
    acceptances: z.string().describe('Verifier key of the acceptances.'),
    size: z.int(),
    ranges: z
      .object({ checkpoints: z.array(keyRange), acceptances: z.array(keyRange) })
      .describe('Every key that the log has had, oldest first.'),
    rotations: z
      .array(
        z.object({
          index: z.int(),
          entry: z.string().describe('`key|4|timeMs|the new key|the old key’s signature over it`'),
          oldKey: z.string(),
        }),
      )
      .describe(
        'Where in the log one key handed over to the next, oldest first; up to it the old one is valid.',
      ),
  })
  .meta({ id: 'VerifierKeys' });

const note = nullable(z.string());

export const witnesses = z
  .object({
    toCosign: note.describe('The newest checkpoint, for witnesses to cosign; null: none of the last 5 s.'),
    witnessed: note.describe(
      'The newest of the checkpoints that most witnesses have cosigned lately, with their lines.',
    ),
    witnesses: z.array(
      z.object({
        name: z.string(),
        key: z.string().describe('Verifier key, of type 0x04.'),
        size: nullable(z.int()).describe('Of the checkpoint that it cosigned last.'),
        at: nullable(time).describe('When that came.'),
      }),
    ),
  })
  .meta({ id: 'Witnesses' });

export const halts = z
  .array(
    z.object({
      symbol: nullable(z.string()).describe('Null: all products.'),
      from: time,
      until: nullable(time).describe('Null: it lasts.'),
    }),
  )
  .meta({ id: 'Halts' });

export const inclusion = z
  .object({
    size: z.int(),
    root: z.string(),
    index: nullable(z.int()),
    entry: nullable(z.string()),
    proof: z.array(z.string()).describe('That the entry is in the log of this size.'),
    fromSize: nullable(z.int()),
    consistency: z.array(z.string()).describe('That the log of `fromSize` is its beginning.'),
  })
  .meta({ id: 'LogProof' });

export const quote = z.object({
  symbol: z.string(),
  n: z.int().describe('The product’s number of this tick or gap.'),
  price: nullable(decimal).describe('Null after a gap: there is no price.'),
  time,
  closed,
  sourcesNow,
  change: nullable(decimal),
  changeRate: nullable(decimal),
});
export type Quote = z.infer<typeof quote>;

export const streamTime = z.object({
  serverTime: time,
  size: z.int().describe('The log’s size: what `seenSize` repeats.'),
  root: z.string().describe('The log’s root at that size: what `seenRoot` repeats.'),
});
export type StreamTime = z.infer<typeof streamTime>;
