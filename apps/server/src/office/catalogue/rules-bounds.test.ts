import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../../platform/db/database.ts';

let clerk: string;
/** Bounds that the database enforces on proposals, whichever screen or program makes them. */
const house = forFile(() => House.open(new ManualFeed()));
beforeAll(async () => {
  clerk = await installStaff(house.db.owner, 'catalogue');
});

/** The SQLSTATE of the refusal, and the part that the database names as out of bounds; null: accepted. */
async function refusalOf(kind: string, patch: object, afterMs = 7_200_000): Promise<string | null> {
  try {
    await house.db.server.query(
      `select * from rules_propose($1, $2, $3, 'better', array[$4]::smallint[], $5)`,
      [clerk, kind, START_MS + afterMs, house.product('EUR/USD').id, JSON.stringify(patch)],
    );
    return null;
  } catch (error) {
    const state = failureOf(error);
    if (state === null) throw error;
    return state === 'RULES_OUT_OF_BOUNDS' ? `${state} ${(error as { detail: string }).detail}` : state;
  }
}

const RATES = [
  { minutes: 1, payoutRate: '0.81' },
  { minutes: 60, payoutRate: '0.93' },
];

describe('a change', () => {
  test('takes effect between 75 minutes and 14 days from now', async () => {
    // The log's time goes on while the test runs.
    const [minute, day] = [60_000, 86_400_000];
    for (const afterMs of [-day, 0, 75 * minute - 1, 14 * day + 10 * minute])
      expect([afterMs, await refusalOf('payout_table', { cycles: RATES }, afterMs)]).toEqual([
        afterMs,
        'RULES_TOO_SOON',
      ]);
    expect(await refusalOf('payout_table', { cycles: RATES }, 85 * minute)).toBeNull();
  });

  test('within the bounds is accepted', async () => {
    expect(await refusalOf('payout_table', { cycles: RATES })).toBeNull();
  });

  const limit = {
    asset: 'DEMO',
    scale: 6,
    minBalance: '10',
    minPurchase: '10',
    max: [{ upToMinutes: 60, amount: '100' }],
  };
  test.each([
    [{ cycles: [{ minutes: 1, payoutRate: '0.79' }] }, 'RULES_OUT_OF_BOUNDS payoutRate'],
    [{ cycles: [{ minutes: 1, payoutRate: '0.94' }] }, 'RULES_OUT_OF_BOUNDS payoutRate'],
    [{ cycles: [{ minutes: 1, payoutRate: '0.850' }] }, 'RULES_OUT_OF_BOUNDS payoutRate'],
    [{ cycles: [{ minutes: 1, payoutRate: 0.85 }] }, 'RULES_OUT_OF_BOUNDS cycles'],
    [{ cycles: [{ minutes: 1, payoutRate: null }] }, 'RULES_OUT_OF_BOUNDS cycles'],
    [{ cycles: [{ minutes: 1, payoutRate: '0.85', customer: 1000 }] }, 'RULES_OUT_OF_BOUNDS cycles'],
    [{ cycles: [{ minutes: 61, payoutRate: '0.85' }] }, 'RULES_OUT_OF_BOUNDS cycles'],
    [{ cycles: [RATES[1], RATES[0]] }, 'RULES_OUT_OF_BOUNDS cycles'],
    [{ cycles: [] }, 'RULES_OUT_OF_BOUNDS cycles'],
    [{ limits: [] }, 'RULES_OUT_OF_BOUNDS limits'],
    [{ limits: [{ ...limit, asset: 'DOGE' }] }, 'RULES_OUT_OF_BOUNDS limits'],
    [{ limits: [{ ...limit, scale: 2 }] }, 'RULES_OUT_OF_BOUNDS limits'],
    [{ limits: [limit, limit] }, 'RULES_OUT_OF_BOUNDS limits'],
    [{ limits: [{ ...limit, minPurchase: '-1' }] }, 'RULES_OUT_OF_BOUNDS minPurchase'],
    [{ limits: [{ ...limit, minBalance: '0' }] }, 'RULES_OUT_OF_BOUNDS minBalance'],
    [{ limits: [{ ...limit, minPurchase: '0.00000001' }] }, 'RULES_OUT_OF_BOUNDS minPurchase'],
    [{ limits: [{ ...limit, max: [{ upToMinutes: 60, amount: '9' }] }] }, 'RULES_OUT_OF_BOUNDS max'],
    [{ limits: [{ ...limit, max: [{ upToMinutes: 5, amount: '90' }] }] }, 'RULES_OUT_OF_BOUNDS max'],
    [{ levels: { bronze: 0, silver: 1, gold: 1, platinum: 1 } }, 'RULES_OUT_OF_BOUNDS levels'],
    [{ levels: { bronze: 1, silver: 1, gold: 2 } }, 'RULES_OUT_OF_BOUNDS levels'],
    [{ outlierBps: 5 }, 'RULES_OUT_OF_BOUNDS rules'],
    [{ price: '1.1' }, 'RULES_OUT_OF_BOUNDS rules'],
    [{ symbol: 'BTC/USDT' }, 'RULES_OUT_OF_BOUNDS rules'],
    [[], 'RULES_OUT_OF_BOUNDS rules'],
    [{ levels: { bronze: 1, silver: 1, gold: 2, platinum: null } }, 'NOTHING_NEW'],
  ])('of payouts is refused with %j', async (patch, code) => {
    expect(await refusalOf('payout_table', patch)).toBe(code);
  });

  const SHORT_DAY = { from: '09:00', to: '13:00' };
  const schedule = {
    zone: 'Asia/Tokyo',
    windows: [{ days: [1, 2, 3, 4, 5], from: '09:00', to: '15:30' }],
    holidays: ['2026-12-31'],
  };
  test.each([
    [{ quorum: 1 }, 'RULES_OUT_OF_BOUNDS quorum'],
    [{ quorum: 4 }, 'RULES_OUT_OF_BOUNDS quorum'],
    [{ sources: ['a', 'mine'] }, 'RULES_OUT_OF_BOUNDS sources'],
    [{ sources: ['a'], quorum: 1 }, 'RULES_OUT_OF_BOUNDS sources'],
    [{ sources: ['a', 'b'], quorum: 2 }, 'RULES_OUT_OF_BOUNDS sources'],
    [{ sources: ['c', 'a', 'b'] }, 'RULES_OUT_OF_BOUNDS sources'],
    [{ sources: [] }, 'RULES_OUT_OF_BOUNDS sources'],
    [{ quietMs: 3_600_000 }, 'RULES_OUT_OF_BOUNDS quietMs'],
    [{ quietMs: 499 }, 'RULES_OUT_OF_BOUNDS quietMs'],
    [{ waitMs: 60_001 }, 'RULES_OUT_OF_BOUNDS waitMs'],
    [{ outlierBps: '50' }, 'RULES_OUT_OF_BOUNDS outlierBps'],
    [{ delayMs: -1 }, 'RULES_OUT_OF_BOUNDS delayMs'],
    [{ delayMs: 0.5 }, 'RULES_OUT_OF_BOUNDS delayMs'],
    [{ delayMs: 999 }, 'RULES_OUT_OF_BOUNDS delayMs'],
    [{ settleBoundMs: 2_000 }, 'RULES_OUT_OF_BOUNDS rules'],
    [{ licences: { a: 'licensed' } }, 'RULES_OUT_OF_BOUNDS rules'],
    [{ schedule: { ...schedule, zone: 'Mars/Base' } }, 'RULES_OUT_OF_BOUNDS zone'],
    [
      { schedule: { ...schedule, windows: [{ days: [8], from: '09:00', to: '10:00' }] } },
      'RULES_OUT_OF_BOUNDS windows',
    ],
    [
      { schedule: { ...schedule, windows: [{ days: [1], from: '24:00', to: '10:00' }] } },
      'RULES_OUT_OF_BOUNDS windows',
    ],
    [
      { schedule: { ...schedule, windows: [{ days: [1], from: null, to: '10:00' }] } },
      'RULES_OUT_OF_BOUNDS windows',
    ],
    [{ schedule: { ...schedule, holidays: ['2026-02-30'] } }, 'RULES_OUT_OF_BOUNDS holidays'],
    [{ schedule: { ...schedule, holidays: [null] } }, 'RULES_OUT_OF_BOUNDS holidays'],
    [{ schedule: { ...schedule, until: '2027-12-31' } }, null],
    [{ schedule: { ...schedule, until: '2027-13-31' } }, 'RULES_OUT_OF_BOUNDS until'],
    [{ schedule: { ...schedule, until: null } }, 'RULES_OUT_OF_BOUNDS until'],
    [{ schedule: { ...schedule, until: 20271231 } }, 'RULES_OUT_OF_BOUNDS until'],
    [{ cycles: RATES }, 'RULES_OUT_OF_BOUNDS rules'],
  ])('of a feed is refused with %j', async (patch, code) => {
    expect(await refusalOf('feed_rules', patch)).toBe(code);
  });

  test.each([
    null,
    [{ date: '2026-12-24', windows: [] }],
    [{ date: '2026-12-24', windows: [{ from: '09:00', to: '25:00' }] }],
    [{ date: '2026-12-24', windows: [{ ...SHORT_DAY, days: [1] }] }],
    [{ date: '24.12.2026', windows: [SHORT_DAY] }],
    [{ date: '2026-12-31', windows: [SHORT_DAY] }],
    ['23', '24', '24'].map((day) => ({ date: `2026-12-${day}`, windows: [SHORT_DAY] })),
    ['2026-12-24'],
  ])('of dates with windows of their own are refused with %j', async (shortDays) => {
    const patch = { schedule: { ...schedule, shortDays } };
    expect(await refusalOf('feed_rules', patch)).toBe('RULES_OUT_OF_BOUNDS holidays');
  });
});
