import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlState } from '../db/database.ts';

/** Bounds that the database enforces on proposals, whichever screen or program makes them. */
let house: House;
let clerk: string;
beforeAll(async () => {
  house = await House.open(new ManualFeed());
  clerk = await installStaff(house.db.owner, 'catalogue');
});
afterAll(() => house.close());

/** The SQLSTATE of the refusal, and the part that the database names as out of bounds; null: accepted. */
async function refusalOf(kind: string, patch: object): Promise<string | null> {
  try {
    await house.db.server.query(
      `select * from rules_propose($1, $2, 'manual', $3, 'better', array[$4]::smallint[], $5)`,
      [clerk, kind, START_MS + 7_200_000, house.product('EUR/USD').id, JSON.stringify(patch)],
    );
    return null;
  } catch (error) {
    const state = sqlState(error);
    if (state === null) throw error;
    return state === 'FT150' ? `${state} ${(error as { detail: string }).detail}` : state;
  }
}

const RATES = [
  { minutes: 1, payoutRate: '0.81' },
  { minutes: 60, payoutRate: '0.93' },
];

describe('a change', () => {
  test('within the bounds is taken', async () => {
    expect(await refusalOf('payout_table', { cycles: RATES })).toBeNull();
  });

  const limit = {
    asset: 'DEMO',
    minBalance: '10',
    minPurchase: '10',
    max: [{ upToMinutes: 60, amount: '100' }],
  };
  test.each([
    [{ cycles: [{ minutes: 1, payoutRate: '0.79' }] }, 'FT150 payoutRate'],
    [{ cycles: [{ minutes: 1, payoutRate: '0.94' }] }, 'FT150 payoutRate'],
    [{ cycles: [{ minutes: 1, payoutRate: '0.850' }] }, 'FT150 payoutRate'],
    [{ cycles: [{ minutes: 1, payoutRate: 0.85 }] }, 'FT150 cycles'],
    [{ cycles: [{ minutes: 1, payoutRate: null }] }, 'FT150 cycles'],
    [{ cycles: [{ minutes: 1, payoutRate: '0.85', customer: 1000 }] }, 'FT150 cycles'],
    [{ cycles: [{ minutes: 61, payoutRate: '0.85' }] }, 'FT150 cycles'],
    [{ cycles: [RATES[1], RATES[0]] }, 'FT150 cycles'],
    [{ cycles: [] }, 'FT150 cycles'],
    [{ limits: [] }, 'FT150 limits'],
    [{ limits: [{ ...limit, asset: 'DOGE' }] }, 'FT150 limits'],
    [{ limits: [limit, limit] }, 'FT150 limits'],
    [{ limits: [{ ...limit, minPurchase: '-1' }] }, 'FT150 minPurchase'],
    [{ limits: [{ ...limit, minBalance: '0' }] }, 'FT150 minBalance'],
    [{ limits: [{ ...limit, minPurchase: '0.00000001' }] }, 'FT150 minPurchase'],
    [{ limits: [{ ...limit, max: [{ upToMinutes: 60, amount: '9' }] }] }, 'FT150 max'],
    [{ limits: [{ ...limit, max: [{ upToMinutes: 5, amount: '90' }] }] }, 'FT150 max'],
    [{ levels: { bronze: 0, silver: 1, gold: 1, platinum: 1 } }, 'FT150 levels'],
    [{ levels: { bronze: 1, silver: 1, gold: 2 } }, 'FT150 levels'],
    [{ outlierBps: 5 }, 'FT150 rules'],
    [{ price: '1.1' }, 'FT150 rules'],
    [{ symbol: 'BTC/USDT' }, 'FT150 rules'],
    [[], 'FT150 rules'],
    [{ levels: { bronze: 1, silver: 1, gold: 2, platinum: null } }, 'FT109'],
  ])('of payouts may not say %j', async (patch, code) => {
    expect(await refusalOf('payout_table', patch)).toBe(code);
  });

  const schedule = {
    zone: 'Asia/Tokyo',
    windows: [{ days: [1, 2, 3, 4, 5], from: '09:00', to: '15:30' }],
    holidays: ['2026-12-31'],
  };
  test.each([
    [{ quorum: 1 }, 'FT150 quorum'],
    [{ quorum: 4 }, 'FT150 quorum'],
    [{ sources: ['a', 'mine'] }, 'FT150 sources'],
    [{ sources: ['a'], quorum: 1 }, 'FT150 sources'],
    [{ sources: ['a', 'b'], quorum: 2 }, 'FT150 sources'],
    [{ sources: ['c', 'a', 'b'] }, 'FT150 sources'],
    [{ sources: [] }, 'FT150 sources'],
    [{ staleMs: 3_600_000 }, 'FT150 staleMs'],
    [{ outlierBps: '50' }, 'FT150 outlierBps'],
    [{ delayMs: -1 }, 'FT150 delayMs'],
    [{ delayMs: 0.5 }, 'FT150 delayMs'],
    [{ settleBoundMs: null }, 'FT150 settleBoundMs'],
    [{ schedule: { ...schedule, zone: 'Mars/Base' } }, 'FT150 zone'],
    [{ schedule: { ...schedule, windows: [{ days: [8], from: '09:00', to: '10:00' }] } }, 'FT150 windows'],
    [{ schedule: { ...schedule, windows: [{ days: [1], from: '24:00', to: '10:00' }] } }, 'FT150 windows'],
    [{ schedule: { ...schedule, windows: [{ days: [1], from: null, to: '10:00' }] } }, 'FT150 windows'],
    [{ schedule: { ...schedule, holidays: ['2026-02-30'] } }, 'FT150 holidays'],
    [{ schedule: { ...schedule, holidays: [null] } }, 'FT150 holidays'],
    [{ cycles: RATES }, 'FT150 rules'],
  ])('of a feed may not say %j', async (patch, code) => {
    expect(await refusalOf('feed_rules', patch)).toBe(code);
  });
});
