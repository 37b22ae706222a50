import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { pricedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { Trial } from '@fairtick/kit/installation/trial.ts';
import { minor } from '@fairtick/money';
import { beforeAll, describe, expect, test } from 'vitest';

/** Terms beside the same amounts in exact whole numbers, for stakes and rates at which floating point gives others. */
const RATES = [1_000, 2_900, 3_333, 5_700, 5_800, 8_200, 8_700, 9_300, 9_999] as const;
const CUSTOMERS = 60;
/** Bounds of the house that leave room to anything. */
const VAST = 9n * 10n ** 18n;

const still = forFile(() => pricedHouse());
let customers: readonly string[];
beforeAll(async () => {
  customers = await still.customers(CUSTOMERS);
});

/** Stakes that floor(stake × rate) as a float gets wrong, stakes around 2^53, and large ones. */
function stakesFor(bps: number): bigint[] {
  const wrong = Array.from({ length: 400 }, (_, place) => BigInt(1 + place * 9_973) * 100n).filter(
    (stake) => BigInt(Math.floor(Number(stake) * (bps / 10_000))) !== (stake * BigInt(bps)) / 10_000n,
  );
  const wide = [40n, 52n, 53n, 54n, 56n].flatMap((bits) =>
    [-7n, -1n, 1n, 9_999n, 12_345n].map((more) => 2n ** bits + more),
  );
  return [1n, 7n, 99n, 10_001n, ...wide, ...wrong].slice(0, CUSTOMERS);
}

const exactIncome = (stake: bigint, bps: number): bigint =>
  (stake * BigInt(bps) - ((stake * BigInt(bps)) % 10_000n)) / 10_000n;

interface Bounds {
  /** What the house can promise, what it has, and what it may lose in a minute. */
  readonly room: bigint;
  readonly equity: bigint;
  readonly limit: bigint;
}

/** Places an order of each customer, at a rate; only the stakes and these bounds decide. */
async function decided(trial: Trial, stakes: readonly bigint[], bps: number, bounds: Partial<Bounds> = {}) {
  const { room, equity = VAST, limit = VAST } = bounds;
  await trial.change(
    `update rule_terms set rate = ${bps}, min_balance = 1, min_stake = 1, max_stakes = '{}' where minutes = 1 and asset_id = 1`,
    `update promised_income set amount = ${room === undefined ? 0 : equity - room}, product_limit = ${limit}, group_limit = ${limit}`,
    `update ledger.house_balances set balance = ${equity} where asset_id = 1 and account = ledger.trading_account()`,
    `update ledger.balances b set available = s.stake, held = 0 from unnest('{${customers.slice(0, stakes.length)}}'::bigint[], '{${stakes}}'::bigint[]) s (id, stake)
     where b.owner_id = s.id and b.asset_id = 1`,
    'delete from minute_incomes',
  );
  return trial.place(
    stakes.map((stake, at) => ({
      ...still.house.request(customers[at] as string, { symbol: 'EUR/USD', amount: '1' }),
      stake: minor(stake),
    })),
  );
}
const onTrial = <T>(work: (trial: Trial) => Promise<T>) => Trial.run(still.house.db.owner, work);
/** One answer; nothing of it stays. */
const alone = (stake: bigint, bps: number, bounds: Partial<Bounds>) =>
  onTrial(async (trial) => (await decided(trial, [stake], bps, bounds))[0] as string);

describe.each(RATES)('at a rate of %i of ten thousand', (bps) => {
  const stakes = stakesFor(bps);

  test('an order earns floor(stake × rate), and is accepted on these terms', async () => {
    await onTrial(async (trial) => {
      expect(await decided(trial, stakes, bps)).toEqual(stakes.map(() => 'accepted'));
      expect((await trial.orders()).map(({ income }) => income)).toEqual(
        stakes.map((stake) => exactIncome(stake, bps)),
      );
    });
  });

  test('an order whose income is all that the house can pay is accepted, and refused when a smallest unit is missing', async () => {
    for (const stake of [10_001n, 2n ** 53n + 1n, 2n ** 56n + 12_345n]) {
      const income = exactIncome(stake, bps);
      expect(await alone(stake, bps, { room: income })).toBe('accepted');
      expect(await alone(stake, bps, { room: income - 1n })).toBe('EXPOSURE_LIMIT');
      // A customer has a tenth of each bound.
      for (const bound of ['limit', 'equity'] as const) {
        expect([bound, await alone(stake, bps, { [bound]: income * 10n })]).toEqual([bound, 'accepted']);
        expect(await alone(stake, bps, { [bound]: income * 10n - 1n })).toMatch(/^SHARE_LIMIT/);
      }
    }
  });

  test('the stake that a refusal names is the largest whose income fits', async () => {
    for (const left of [0n, 7n, 9_999n, 2n ** 53n - 1n, 2n ** 54n + 3n]) {
      // The stake asked for earns more than is left.
      const stake = ((left + 2n) * 10_000n) / BigInt(bps) + 1n;
      const [code, bound = '-1'] = (await alone(stake, bps, { limit: left * 10n + 9n })).split(' ');
      expect([
        code,
        exactIncome(BigInt(bound), bps) <= left,
        exactIncome(BigInt(bound) + 1n, bps) > left,
      ]).toEqual(['SHARE_LIMIT', true, true]);
    }
  });
});
