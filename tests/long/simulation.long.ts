import startPostgres from '@fairtick/kit/database/postgres.ts';
import { simulate } from '@fairtick/kit/simulation/simulation.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * Promise 11 at length. `SEEDS` says how many seeds (200), `SEED` the first or, without `SEEDS`, the only one; `MINUTES` goes
 * on until so many have passed; `ORDERS` are accepted in each (150).
 */
const { SEED, SEEDS, MINUTES, ORDERS = '150' } = process.env;
const first = Number(SEED ?? Math.floor(Math.random() * 1e9));
const count = Number(SEEDS ?? (SEED === undefined ? 200 : 1));
const untilMs = performance.now() + Number(MINUTES ?? 0) * 60_000;

describe('histories made of seeds', () => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    stop = await startPostgres();
  });
  afterAll(() => stop?.());

  test('end settled and exactly as the log says', async () => {
    const total = new Map<string, number>();
    let done = 0;
    for (; MINUTES === undefined ? done < count : performance.now() < untilMs; done += 1) {
      const seed = first + done;
      try {
        for (const [kind, times] of await simulate(seed, Number(ORDERS))) {
          total.set(kind, (total.get(kind) ?? 0) + times);
        }
      } catch (error) {
        const replay = `SEED=${seed} ORDERS=${ORDERS} npm run test:long -- simulation`;
        throw new Error(`seed ${seed} failed; again with: ${replay}`, { cause: error });
      }
    }
    console.log(`${done} seeds from ${first}: ${JSON.stringify(Object.fromEntries(total))}`);
    expect(done).toBeGreaterThan(0);
  });
});
