import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Journal } from '@fairtick/kit/judges/journal.ts';
import { LoadClient } from '@fairtick/kit/load/load-client.ts';
import { during, openSymbols, tradeOn } from '@fairtick/kit/load/trading.ts';
import { openInstallation } from '@fairtick/kit/processes/role-processes.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { openLoad } from '@fairtick/kit/processes/six-processes.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import pg from 'pg';
import { expect, test } from 'vitest';

/** Customers who place an order after the other until a process is told to stop. */
const CUSTOMERS = 16;

/** Waits until the engine has judged the openings of all orders. */
async function voidsOf(db: pg.Pool): Promise<{ accepted: number; voids: number }> {
  await until(async () => {
    const { rows } = await db.query<{ isJudged: boolean }>(
      'select opened_batch >= next_batch - 1 as "isJudged" from settlement_head, placement_head',
    );
    return rows[0]?.isJudged === true;
  }, 60_000);
  const { rows } = await db.query<{ accepted: number; voids: number }>(
    'select count(*)::int as accepted, count(*) filter (where void_reason is not null)::int as voids from orders_and_results',
  );
  return rows[0] as { accepted: number; voids: number };
}

test('no order is void that was taken before a server was told to stop', async () => {
  const installation = new Installation();
  try {
    const server = await installation.startReady();
    const journal = new Journal(join(installation.dataDir, 'journal.jsonl'));
    const client = new LoadClient(server.origin, journal);
    await client.register(CUSTOMERS);
    const symbols = await openSymbols(server.origin);
    await during(
      (end) => client.trade(symbols, end),
      async () => {
        await sleep(2_000);
        expect(await server.end('SIGTERM')).toBe(0);
      },
    );
    await installation.startReady();
    const db = new pg.Pool({ ...installation.databaseAddress(), max: 1 });
    const { accepted, voids } = await voidsOf(db);
    await db.end();
    expect(accepted).toBeGreaterThan(CUSTOMERS);
    expect(voids).toBe(0);
    client.close();
    journal.close();
  } finally {
    await installation.close();
  }
}, 300_000);

test('while no feed leads orders are refused, and those taken before are not void', async () => {
  const house = await openInstallation();
  try {
    const [api, , feed] = await Promise.all(['api', 'engine', 'feed'].map((role) => house.start(role)));
    if (!api || !feed) throw new Error('three processes');
    await api.untilReady();
    const { client, journal } = await openLoad(house, api.origin, CUSTOMERS);
    const symbols = await openSymbols(api.origin);
    const answers: { atMs: number; error: string | undefined }[] = [];
    let stoppedMs = Number.POSITIVE_INFINITY;
    const onAnswer = ({ error }: { error?: string }) => answers.push({ atMs: performance.now(), error });
    await during(
      (signal) => tradeOn(client, symbols, { signal, onAnswer }),
      async () => {
        await sleep(2_000);
        expect(await feed.end('SIGTERM')).toBe(0);
        stoppedMs = performance.now();
        await sleep(3_000);
      },
    );
    const later = answers.filter(({ atMs }) => atMs > stoppedMs);
    expect(later.length).toBeGreaterThan(0);
    expect([...new Set(later.map(({ error }) => error))]).toEqual(['PRICE_UNAVAILABLE']);
    await house.start('feed');
    const { accepted, voids } = await voidsOf(house.db);
    expect(accepted).toBeGreaterThan(CUSTOMERS);
    expect(voids).toBe(0);
    client.close();
    journal.close();
  } finally {
    await house.close();
  }
}, 300_000);
