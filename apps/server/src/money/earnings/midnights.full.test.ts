import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { SAMPLE_PPM } from '@fairtick/kit/installation/earnings-house.ts';
import { naiveInterest } from '@fairtick/kit/judges/naive-interest.ts';
import { Midnights } from '@fairtick/kit/simulation/midnights.ts';
import { expect, test } from 'vitest';
import { audit } from '../../transparency/audit/audit-checks.ts';
import { EARNINGS_CHECKS } from '../../transparency/audit/audit-earnings-checks.ts';

/** Days of 40 ms, so that most moves meet a midnight. `tests/long/midnights.long.test.ts` runs ten thousand of them. */
const MIDNIGHTS = 400;
const midnights = forFile(
  () => Midnights.open({ count: MIDNIGHTS, dayMs: 40, random: new Random(7) }),
  ({ house }) => house.close(),
);

test('interest over 400 midnights equals an independent calculation, for each of six savers (S1-08)', async () => {
  const savings = await midnights.pass(6);
  for (const { moves, strange, booked } of savings) {
    expect(strange).toEqual([]);
    expect(moves.length).toBeGreaterThan(10);
    expect(booked).toEqual(naiveInterest(moves, SAMPLE_PPM, MIDNIGHTS));
  }
  const { owner } = midnights.house.db;
  expect((await owner.query('select * from earning_set_aside')).rows).toEqual([]);
  expect((await owner.query('select * from ledger.violations()')).rows).toEqual([]);
  const client = await owner.connect();
  const found = await audit(client).finally(() => client.release());
  const names = EARNINGS_CHECKS.map(({ name }) => name);
  expect(found.filter(({ name, count }) => count > 0 && names.includes(name))).toEqual([]);
});
