import { randomInt } from 'node:crypto';
import postgres from '@fairtick/kit/database/postgres.ts';
import { Random } from '@fairtick/kit/hostile/random.ts';
import { SAMPLE_PPM } from '@fairtick/kit/installation/earnings-house.ts';
import { naiveInterest } from '@fairtick/kit/judges/naive-interest.ts';
import { Midnights } from '@fairtick/kit/simulation/midnights.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * Interest over `MIDNIGHTS` midnights, most of them in the middle of a move: `apps/server/src/money/earnings/midnights.full.test.ts`, long
 * form.
 */
const MIDNIGHTS = Number(process.env.MIDNIGHTS ?? 10_000);
const SEED = Number(process.env.SEED || randomInt(2 ** 31));
const DAY_MS = 40;

let stop: () => Promise<void>;
let midnights: Midnights;
beforeAll(async () => {
  stop = await postgres();
  midnights = await Midnights.open({ count: MIDNIGHTS, dayMs: DAY_MS, random: new Random(SEED) });
});
afterAll(async () => {
  await midnights.house.close();
  await stop();
});

test(`each day of ${MIDNIGHTS} midnights brings exactly the interest of the rule (seed ${SEED})`, async () => {
  const savings = await midnights.pass(6);
  for (const { moves, strange, booked } of savings) {
    expect(strange).toEqual([]);
    expect(booked).toEqual(naiveInterest(moves, SAMPLE_PPM, MIDNIGHTS));
  }
  const { owner } = midnights.house.db;
  expect((await owner.query('select * from earning_set_aside')).rows).toEqual([]);
  expect((await owner.query('select * from ledger.violations()')).rows).toEqual([]);
});
