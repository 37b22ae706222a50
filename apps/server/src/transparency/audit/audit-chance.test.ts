import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { addSettledOrders } from '@fairtick/kit/installation/settled-orders.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { expect, test } from 'vitest';
import { CHANCE_CHECK } from './audit-chance-check.ts';
import { audit } from './audit-checks.ts';

/** Ids of orders count on from here. */
let nextId = 1_024_000;
const still = forFile(() => StillHouse.open({ quietMs: 120_000 }));

interface Orders {
  /** Whether the nth order is won; null: a tie. */
  readonly outcome: (n: number) => boolean | null;
  readonly count: number;
  /** Between two acceptances; an order takes a minute. */
  readonly everyMs?: number;
  /** Wins are for want of a fix. */
  readonly isPriceless?: boolean;
}

/** A new customer with settled orders of a minute each, as the engine would have left them. */
async function customerWith({
  outcome,
  count,
  everyMs = 63_000,
  isPriceless = false,
}: Orders): Promise<string> {
  const customer = await still.house.customer();
  const results = Array.from({ length: count }, (_, n) => {
    const isWin = outcome(n);
    return isWin === null ? 0 : isWin ? 1 : -1;
  });
  const orders = { customer, afterId: nextId, results, everyMs, isPriceless, fromMs: 1_780_000_000_000 };
  await addSettledOrders(still.house.db.owner, orders);
  nextId += count + 1;
  return customer;
}

async function found(): Promise<readonly string[]> {
  const client = await still.house.db.server.connect();
  try {
    const findings = await audit(client, [CHANCE_CHECK]);
    return findings.find(({ name }) => name === CHANCE_CHECK.name)?.details ?? [];
  } finally {
    client.release();
  }
}

const spread = (share: number) => (n: number) => Math.floor((n + 1) * share) > Math.floor(n * share);

test('the audit reports customers whose wins chance can’t explain, and no others', async () => {
  // Good luck of every length that chance still explains.
  for (const honest of [
    { count: 1_000, outcome: spread(0.54) },
    { count: 30, outcome: spread(0.67) },
    { count: 19, outcome: () => true },
    { count: 3_000, outcome: spread(0.505) },
    // A hundred orders on one minute count as one guess.
    { count: 100, outcome: () => true, everyMs: 250 },
    { count: 40, outcome: (n: number) => (n % 2 === 0 ? true : null), isPriceless: true },
  ])
    await customerWith(honest);
  expect(await found()).toEqual([]);

  const fresh = await customerWith({ count: 20, outcome: () => true });
  // Losing afterwards hides nothing, nor do ties in between.
  const losing = await customerWith({ count: 200, outcome: (n) => (n % 3 === 0 ? null : n < 40) });
  const often = await customerWith({ count: 1_000, outcome: spread(0.6) });
  expect(await found()).toEqual([
    `customer ${fresh} won 20 of 20 orders that did not overlap`,
    expect.stringContaining(`customer ${losing} won 26 of `),
    expect.stringMatching(`customer ${often} won (\\d+) of \\d+ orders that did not overlap`),
  ]);
});
