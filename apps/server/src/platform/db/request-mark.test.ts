import { randomUUID } from 'node:crypto';
import { post } from '@fairtick/kit/clients/api-client.ts';
import { OfficeClient, startOffice } from '@fairtick/kit/clients/office-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';
import type { PlacementParts } from '../../trading/placement/placement-parts.ts';
import { PlacementQueue } from '../../trading/placement/placement-queue.ts';
import { createPool, type Pool, transaction } from './database.ts';
import { underRequest } from './request-mark.ts';

const db = ownDatabase();
const pool = forFile(
  () => createPool(db.serverAddress, { max: 2, name: 'marked' }),
  (made) => made.end(),
);

/** The statement as PostgreSQL received it. */
const received = async (on: Pick<Pool, 'query'> = pool) =>
  (await on.query<{ text: string }>('select current_query() as text')).rows[0]?.text;

const PLAIN = 'select current_query() as text';

describe('an operator who sees a slow statement in pg_stat_activity', () => {
  /** Locks a table, makes a request that needs it, and returns the statement that waits for the lock. */
  const seenWaiting = async (table: string, request: () => Promise<unknown>): Promise<string> => {
    const holder = await db.owner.connect();
    try {
      await holder.query(`begin; lock table ${table} in access exclusive mode`);
      const answered = request();
      let before: string | undefined;
      const text = await seen(async () => {
        const { rows } = await db.owner.query<{ query: string }>(
          `select query from pg_locks join pg_stat_activity using (pid)
           where datname = current_database() and not granted and relation = $1::regclass
             and wait_event_type = 'Lock'`,
          [table],
        );
        // The two views are read one after the other, so a text may be of the statement before. One that waits is seen again.
        const isSeenAgain = rows[0] !== undefined && rows[0].query === before;
        before = rows[0]?.query;
        return isSeenAgain && before;
      });
      await holder.query('commit');
      await answered;
      return text;
    } finally {
      holder.release();
    }
  };

  test("finds the balancer's number of the request in it, for customers and staff, and no text that a client sent instead", async () => {
    const server = await startOffice(db, { trustProxy: true });
    const credentials = { account: 'nobody_here', password: 'wrong-one' };
    const customer = (number: string) =>
      post(server.origin, 'user/login', credentials, { headers: { 'x-request-id': number } });
    const staff = (number: string) =>
      new OfficeClient(server.officeOrigin).post('session/login', credentials, { 'x-request-id': number });
    try {
      for (const [table, request] of [
        ['customers', customer],
        ['staff', staff],
      ] as const) {
        const number = randomUUID();
        expect(await seenWaiting(table, () => request(number))).toMatch(
          new RegExp(`^/\\* request=${number} \\*/ \\w`),
        );
        const hostile = await seenWaiting(table, () => request('1 */ drop table orders; /*'));
        expect(hostile).toMatch(/^\/\* request=[0-9a-f-]{36} \*\/ \w/);
        expect(hostile).not.toContain('drop');
      }
    } finally {
      await server.stop();
    }
  });
});

describe('the number of a request', () => {
  test('is in each statement and transaction of the request, and in none after it', async () => {
    const marked = `/* request=5f0c-1 */ ${PLAIN}`;
    expect(await underRequest('5f0c-1', () => received())).toBe(marked);
    expect(await underRequest('5f0c-1', () => transaction(pool, received))).toBe(marked);
    const config = () => pool.query<{ text: string }>({ text: `${PLAIN}, $1::int`, values: [1] });
    expect((await underRequest('5f0c-1', config)).rows[0]?.text).toBe(`${marked}, $1::int`);
    expect(await received()).toBe(PLAIN);
  });

  test.each([
    ['1 */ drop table orders; /*', '1droptableorders'],
    ["'; drop table orders; --", 'droptableorders--'],
    ['/* \n*/ \u0000', ''],
    ['a'.repeat(5_000), 'a'.repeat(64)],
  ])('can not end its comment: %j', async (number, left) => {
    expect(await underRequest(number, () => received())).toBe(`/* request=${left} */ ${PLAIN}`);
  });

  test('is left out of a statement that is prepared by name: it stays the same for all requests', async () => {
    const named = () => pool.query<{ text: string }>({ name: 'own', text: PLAIN });
    for (const number of ['one', 'two', 'three', 'four'])
      expect((await underRequest(number, named)).rows[0]?.text).toBe(PLAIN);
  });

  test('is left out of a batch of orders, which is of many requests', async () => {
    let batch: string | undefined;
    const place = async (_parts: unknown, requests: readonly unknown[]) => {
      batch = await received();
      return requests.map(() => ({ kind: 'refused', code: 'LATE' }) as const);
    };
    const queue = new PlacementQueue({} as PlacementParts, { place });
    await underRequest('one', () => queue.place({ customerId: '1' } as Parameters<typeof queue.place>[0]));
    expect(batch).toBe(PLAIN);
  });
});
