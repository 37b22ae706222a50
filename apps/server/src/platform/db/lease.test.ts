import { setTimeout as sleep } from 'node:timers/promises';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { expect, test } from 'vitest';
import { LEASE_MS, Lease } from './lease.ts';

const db = ownDatabase();

/** How long another process waits for the lease of a holder that raises its beat after each of these pauses, then never again. */
async function waited(
  name: string,
  pausesMs: readonly number[],
): Promise<{ isTakenAlive: boolean; ms: number }> {
  const holder = new Lease(db.server, { name, holder: 'one' });
  await holder.take(() => false);
  const other = new Lease(db.server, { name, holder: 'two' });
  let takenMs: number | null = null;
  const taking = other
    .take(() => false)
    .then(() => {
      takenMs = performance.now();
    });
  for (const pauseMs of pausesMs) {
    await sleep(pauseMs);
    if (!(await holder.renew())) return { isTakenAlive: true, ms: 0 };
  }
  const lastMs = performance.now();
  await taking;
  return { isTakenAlive: false, ms: (takenMs ?? Number.NaN) - lastMs };
}

test('a lease is taken from a dead holder soon, and not from a slow one, which is waited for in proportion', async () => {
  const [quick, slow] = await Promise.all([
    waited('quick', Array(8).fill(250)),
    // Each pause is longer than the one before, and the last two are longer than a lease.
    waited('slow', [250, 700, 1_200, 2_000, 2_500]),
  ]);
  expect(quick.isTakenAlive).toBe(false);
  expect(quick.ms).toBeGreaterThanOrEqual(LEASE_MS - 250);
  expect(slow.isTakenAlive).toBe(false);
  expect(slow.ms).toBeGreaterThan(3 * 1_500);
}, 60_000);
