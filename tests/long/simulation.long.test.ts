import startPostgres from '@fairtick/kit/database/postgres.ts';
import { simulate } from '@fairtick/kit/simulation/simulation.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * Promise 11, long form. `SEED` is the first seed and `SEEDS` their number; with `MINUTES`, seeds run until that time has passed
 * instead. In each seed `ORDERS` are accepted.
 */
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
const SEEDS = Number(process.env.SEEDS ?? 60);
const ORDERS = Number(process.env.ORDERS ?? 150);
const MINUTES = process.env.MINUTES;
const untilMs = performance.now() + Number(MINUTES ?? 0) * 60_000;

describe('histories generated from seeds', () => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    stop = await startPostgres();
  });
  afterAll(() => stop?.());

  test('end settled exactly as the log says', async () => {
    const total = new Map<string, number>();
    let done = 0;
    for (; MINUTES === undefined ? done < SEEDS : performance.now() < untilMs; done += 1) {
      const seed = SEED + done;
      try {
        for (const [kind, times] of await simulate(seed, ORDERS)) {
          total.set(kind, (total.get(kind) ?? 0) + times);
        }
      } catch (error) {
        const replay = `SEED=${seed} SEEDS=1 ORDERS=${ORDERS} npm run test:long -- simulation`;
        throw new Error(`seed ${seed} failed; again with: ${replay}`, { cause: error });
      }
    }
    console.log(`${done} seeds from ${SEED}: ${JSON.stringify(Object.fromEntries(total))}`);
    expect(done).toBeGreaterThan(0);
  });
});
