import { describe, expect, test } from 'vitest';
import { differencesOf, draftOf, patchOf } from './propose-model.ts';
import type { Rules } from './queries.ts';

const RULES: Rules = {
  symbol: 'EUR/USD',
  decimals: 5,
  sources: ['a', 'b', 'c'],
  licences: { a: 'public', b: 'public', c: 'licensed' },
  quorum: 2,
  quietMs: 5_000,
  waitMs: 3_000,
  outlierBps: 100,
  delayMs: 1_000,
  schedule: {
    zone: 'Asia/Tokyo',
    windows: [{ days: [1, 2, 3], from: '09:00', to: '15:30' }],
    holidays: ['2026-12-31'],
  },
  cycles: [
    { minutes: 1, payoutRate: '0.8' },
    { minutes: 5, payoutRate: '0.85' },
  ],
  limits: [
    {
      asset: 'USDT',
      scale: 6,
      minBalance: '10',
      minPurchase: '10',
      max: [{ upToMinutes: 60, amount: '5000' }],
    },
  ],
  levels: { bronze: 1, platinum: null },
};
const draft = draftOf(RULES);
const payouts = (changes: Partial<typeof draft>) => patchOf('payout_table', { ...draft, ...changes }, RULES);
const feed = (changes: Partial<typeof draft>) => patchOf('feed_rules', { ...draft, ...changes }, RULES);

describe('a proposal', () => {
  test('is empty when no value changes', () => {
    expect(payouts({})).toEqual({ kind: 'nothing' });
    expect(feed({})).toEqual({ kind: 'nothing' });
    // The database writes the names of a limit in another order.
    const limits = RULES.limits.map(({ max, ...limit }) => ({ max, ...limit }));
    expect(patchOf('payout_table', draft, { ...RULES, limits })).toEqual({ kind: 'nothing' });
    // The same values, written differently.
    expect(payouts({ cycles: [{ minutes: ' 1', percent: '80.0' }, ...draft.cycles.slice(1)] })).toEqual({
      kind: 'nothing',
    });
  });

  test('to close a product has its hours up to its last day, whole days if it had none', () => {
    const end = (lastDay: string, rules: Rules = RULES) =>
      patchOf('product_end', { ...draft, lastDay }, rules);
    expect(end('')).toEqual({ kind: 'fault', part: 'lastDay' });
    const until = '2026-12-01';
    expect(end(until)).toEqual({ kind: 'patch', rules: { schedule: { ...RULES.schedule, until } } });
    const always = { zone: 'UTC', windows: [], holidays: [] };
    expect(end(until, { ...RULES, schedule: always })).toMatchObject({
      rules: {
        schedule: { windows: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '00:00' }], until },
      },
    });
  });

  test('holds each changed part as a whole, and no unchanged part', () => {
    expect(
      payouts({
        cycles: [
          { minutes: '3', percent: '82.5' },
          { minutes: '', percent: '' },
        ],
      }),
    ).toEqual({
      kind: 'patch',
      rules: { cycles: [{ minutes: 3, payoutRate: '0.825' }] },
    });
    expect(feed({ windows: '67 00:00 – 23:59\n', holidays: '' })).toEqual({
      kind: 'patch',
      rules: {
        schedule: {
          zone: 'Asia/Tokyo',
          windows: [{ days: [6, 7], from: '00:00', to: '23:59' }],
          holidays: [],
        },
      },
    });
    const { schedule } = RULES;
    const halfDay = '2026-12-24 09:00 - 11:30, 12:30–13:00';
    expect(feed({ holidays: `${halfDay}\n2026-12-31` })).toEqual({
      kind: 'patch',
      rules: {
        schedule: {
          ...schedule,
          shortDays: [
            {
              date: '2026-12-24',
              windows: [
                { from: '09:00', to: '11:30' },
                { from: '12:30', to: '13:00' },
              ],
            },
          ],
        },
      },
    });
    expect(feed({ sources: 'c, a' })).toEqual({ kind: 'patch', rules: { sources: ['a', 'c'] } });
  });

  test('names every value that it changes, with the old one', () => {
    const named = (patch: ReturnType<typeof patchOf>) =>
      patch.kind === 'patch' ? differencesOf(patch.rules, RULES) : [];
    const cycles = [
      { minutes: '1', percent: '81' },
      { minutes: '3', percent: '82' },
    ];
    expect(named(payouts({ cycles }))).toEqual([
      { path: 'cycles.1.payoutRate', before: '0.8', after: '0.81' },
      { path: 'cycles.3.payoutRate', before: null, after: '0.82' },
      { path: 'cycles.5.payoutRate', before: '0.85', after: null },
    ]);
    expect(named(feed({ delayMs: '2000', holidays: '' }))).toEqual([
      { path: 'delayMs', before: '1000', after: '2000' },
      { path: 'schedule.holidays.2026-12-31', before: '×', after: null },
    ]);
    expect(named(feed({ until: ' 2028-12-31 ' }))).toEqual([
      { path: 'schedule.until', before: null, after: '2028-12-31' },
    ]);
  });

  test('keeps the decimals of an asset when a bound changes', () => {
    const [limit] = draft.limits as [(typeof draft.limits)[number]];
    expect(payouts({ limits: [{ ...limit, minPurchase: '20' }] })).toEqual({
      kind: 'patch',
      rules: {
        limits: [
          {
            asset: 'USDT',
            scale: 6,
            minBalance: '10',
            minPurchase: '20',
            max: [{ upToMinutes: 60, amount: '5000' }],
          },
        ],
      },
    });
  });

  test.each([
    [payouts({ cycles: [{ minutes: 'one', percent: '80' }] }), 'cycles'],
    [payouts({ cycles: [{ minutes: '1', percent: '80%' }] }), 'cycles'],
    [payouts({ cycles: [] }), 'cycles'],
    [
      payouts({ limits: [{ ...draft.limits[0], minBalance: '' } as (typeof draft.limits)[number]] }),
      'limits',
    ],
    [feed({ quorum: '1.5' }), 'numbers'],
    [feed({ delayMs: '' }), 'numbers'],
    [feed({ sources: 'a,,b' }), 'sources'],
    [feed({ windows: '8 09:00-10:00' }), 'windows'],
    [feed({ holidays: '31.12.2026' }), 'holidays'],
    [feed({ holidays: '2026-12-31\n2026-02-31' }), 'holidays'],
    [feed({ holidays: '2026-12-24 until 13:00' }), 'holidays'],
    [feed({ until: 'the end of 2028' }), 'until'],
  ])('names the part that can’t be parsed', (patch, part) => {
    expect(patch).toEqual({ kind: 'fault', part });
  });
});
