import * as z from 'zod';
import { assetCode, decimal, nullable, page, says, time } from '../answers.ts';
import { get, post } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { SOMETIMES } from '../limit.ts';

const day = z.iso.date().meta(says('A day of UTC, YYYY-MM-DD.'));

const assetEarnings = z.object({
  asset: assetCode,
  available: decimal.meta(says('What can be moved in.')),
  total: decimal,
  annualRate: nullable(decimal),
});

const earningsSummary = z
  .object({
    asset: assetCode,
    total: decimal.meta(says('What earns: all that was moved in and not out again, with its interest.')),
    available: decimal.meta(says('What can be moved in.')),
    yesterdayInterest: decimal.meta(says('What the last day that is over brought.')),
    accumulated: decimal.meta(says('All interest so far.')),
    annualRate: nullable(decimal).meta(
      says('Of a year of 365 days: "0.03"; null where the asset earns nothing.'),
    ),
    nextRate: nullable(z.object({ annualRate: decimal, from: day })).meta(
      says('The next row of the table of rates, if one is agreed on already.'),
    ),
    rates: z
      .array(z.object({ from: day, annualRate: decimal }))
      .meta(says('The newest rows of the table of rates, those to come among them; newest first.')),
    isSample: z.boolean().meta(says('The rate is a demo’s, and was agreed on by nobody.')),
    countsToday: decimal.meta(
      says('The lowest balance of today so far: what today’s interest is reckoned from.'),
    ),
    nextAccrualAt: time.meta(says('When the next interest is credited: 00:00 UTC.')),
    intro: z
      .string()
      .meta(says('Where the yield comes from and how it is reckoned, in the request’s language.')),
    assets: z.array(assetEarnings).meta(says('The same in short for every asset that can earn.')),
  })
  .meta({ id: 'EarningsSummary' });
export type EarningsSummary = z.infer<typeof earningsSummary>;

const earningsRecord = z
  .object({
    asset: assetCode,
    date: day,
    principal: decimal.meta(says('The day’s lowest balance.')),
    rate: decimal.meta(says('A year’s, as it was that day.')),
    interest: decimal.meta(says('Rounded down; what is left over counts the next day.')),
  })
  .meta({ id: 'EarningsRecord' });
export type EarningsRecord = z.infer<typeof earningsRecord>;

/** Money that earns interest. */
export const earningsEndpoints = {
  profitSummary: get('profit/summary', 'session', { asset: fields.asset.optional() }, earningsSummary, {
    summary: 'What an asset earns and has earned; USDT if none is named',
  }),
  profitTransferIn: post(
    'profit/transferIn',
    'fresh',
    { asset: fields.asset, amount: fields.amount },
    earningsSummary,
    {
      limit: SOMETIMES,
      summary: 'Moves available money into earnings',
      moves: true,
      errors: ['IDEMPOTENCY_MISMATCH', 'EARNINGS_NOT_OFFERED', 'INSUFFICIENT_BALANCE'],
    },
  ),
  profitTransferOut: post(
    'profit/transferOut',
    'fresh',
    { asset: fields.asset, amount: fields.amount },
    earningsSummary,
    {
      limit: SOMETIMES,
      summary: 'Moves money out of earnings; it is available at once',
      moves: true,
      errors: ['IDEMPOTENCY_MISMATCH', 'EARNINGS_SMALLER'],
    },
  ),
  profitRecords: get(
    'profit/records',
    'session',
    {
      asset: fields.asset.optional(),
      kind: fields.choice(['daily', 'all']).optional().meta({
        description:
          '`daily`: every day of one asset (USDT if none is named), for a chart. `all`, which is meant if absent: every credit of interest, of all assets or one.',
        example: 'all',
      }),
      limit: fields.limit,
      cursor: fields.keyCursor,
    },
    page(earningsRecord),
    { summary: 'Interest day by day, newest first' },
  ),
} as const;
