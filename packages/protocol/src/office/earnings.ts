import * as z from 'zod';
import * as fields from '../fields.ts';
import { officeGet, officePost } from './operation.ts';
import { decimal, decision, made, PROVED, pages, proposal } from './parts.ts';

const earningRate = z.object({
  asset: z.string(),
  /** First UTC day on which the rate applies. */
  from: z.string(),
  annualRate: decimal,
  state: z.enum(['past', 'current', 'coming']),
  /** A sample rate of a demo installation, which no member of staff approved. */
  isSample: z.boolean(),
  changeId: z.string().nullable(),
});

const earningRateChange = z.object({
  ...proposal,
  asset: z.string(),
  from: z.string(),
  annualRate: decimal,
  /** The rate that applies until then; null if there is none. */
  before: decimal.nullable(),
  note: z.string(),
});

/** The amounts owed to and already paid out from earnings, by asset. */
const earningTotal = z.object({
  asset: z.string(),
  accounts: z.int(),
  /** Customers' balances in earnings. */
  owed: decimal,
  /** All interest that the house has paid. */
  paid: decimal,
});

const READERS = ['catalogue', 'approver', 'auditor'] as const;

/** The table of interest rates of earnings, and their totals. */
export const earningOperations = {
  'earning/rates': officeGet(READERS, {}, z.array(earningRate), {
    summary: 'The table of rates, by asset, the newest first',
  }),
  'earning/totals': officeGet(
    READERS,
    {},
    z.object({
      /** The day being booked, or the next one; and whether every past day is booked. */
      day: z.string(),
      isUpToDate: z.boolean(),
      totals: z.array(earningTotal),
    }),
    { summary: 'What is in earnings, what they have cost, and how far the daily booking has come' },
  ),
  'earning/changes': pages(READERS, earningRateChange, 'Changes of rates, newest first'),
  'earning/propose': officePost(
    ['catalogue'],
    {
      asset: fields.asset,
      annualRate: z
        .string({ error: 'RATE_OUT_OF_BOUNDS' })
        .regex(/^0(\.[0-9]{1,6})?$/, { error: 'RATE_OUT_OF_BOUNDS' })
        .meta({ description: 'A year’s, from 0 to 0.2, with six places at most.', example: '0.025' }),
      from: fields.day.meta({
        description: 'From this day of UTC on: the day after tomorrow at the earliest.',
        example: '2030-01-01',
      }),
      note: fields.line(500, { description: 'Why.', example: 'Money market rates fell' }),
    },
    made,
    {
      summary: 'Proposes the next rate of an asset',
      ...PROVED,
      errors: ['RATE_TOO_SOON', 'NOTHING_NEW', 'APPROVER_TOO_NEW'],
    },
  ),
  'earning/decide': decision(['catalogue', 'approver'], 'Agrees to a rate, or drops it', ['RATE_TOO_SOON']),
};
