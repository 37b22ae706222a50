import * as z from 'zod';
import { page } from '../answers.ts';
import * as fields from '../fields.ts';
import { statusesOf } from '../lifecycles.ts';
import { officeGet, officePost } from './operation.ts';

const ms = z.int();
const decimal = z.string();
const who = z.object({ id: z.string(), name: z.string() });

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
  id: z.string(),
  asset: z.string(),
  from: z.string(),
  annualRate: decimal,
  /** The rate that applies until then; null if there is none. */
  before: decimal.nullable(),
  note: z.string(),
  status: z.enum(statusesOf('proposal')),
  proposedBy: who,
  proposedAt: ms,
  decidedBy: who.nullable(),
  decidedAt: ms.nullable(),
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
  'earning/changes': officeGet(
    READERS,
    { limit: fields.limit, cursor: fields.cursor },
    page(earningRateChange),
    { summary: 'Changes of rates, newest first', errors: ['INVALID_CURSOR'] },
  ),
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
    z.object({ id: z.string() }),
    {
      summary: 'Proposes the next rate of an asset',
      needsProof: true,
      errors: [
        'ASSET_NOT_ACCEPTED',
        'RATE_OUT_OF_BOUNDS',
        'RATE_TOO_SOON',
        'DATE_INVALID',
        'NOTHING_NEW',
        'APPROVER_TOO_NEW',
      ],
    },
  ),
  'earning/decide': officePost(
    ['catalogue', 'approver'],
    { id: fields.id, verdict: fields.choice(['agree', 'refuse']) },
    z.object({ status: earningRateChange.shape.status }),
    {
      summary: 'Agrees to a rate, or drops it',
      needsProof: true,
      errors: [
        'REQUEST_NOT_FOUND',
        'REQUEST_CLOSED',
        'ROLE_MISSING',
        'OWN_EDIT',
        'APPROVER_TOO_NEW',
        'RATE_TOO_SOON',
      ],
    },
  ),
};
