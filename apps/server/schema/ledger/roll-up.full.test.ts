import { LedgerDatabase } from '@fairtick/kit/database/ledger-database.ts';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { closeAudited } from '@fairtick/kit/fixtures/houses.ts';
import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';

const UNIT = 1_000_000n;
const CAPITAL = 1_000_000_000n * UNIT;
let ann: number;
const ledger = forTest(() => LedgerDatabase.create(), closeAudited);
beforeEach(async () => {
  ann = await ledger.customer();
});

const rollUp = async (): Promise<boolean> => {
  const { rows } = await ledger.pool.query('select ledger.roll_up_house() as done');
  return rows[0].done;
};
/** The rolled-up house balance in DEMO. */
const house = async (): Promise<bigint> => (await ledger.houseBalances())['8:1'] ?? 0n;

/** Moves an amount from the customer to the house, in the caller's transaction or in its own. */
async function lose(key: string, amount: bigint, db?: pg.ClientBase): Promise<void> {
  await ledger.reserve(key, [{ owner: ann, amount }], db ? { db } : {});
  await ledger.resolve(`${key} lost`, [{ owner: ann, amount, returned: 0n }], db ? { db } : {});
}

async function begin(): Promise<pg.PoolClient> {
  const client = await ledger.pool.connect();
  await client.query('begin');
  return client;
}

/** Begins a transaction that has an id, in another database of the same PostgreSQL server. */
async function beginElsewhere(user: string, database: string): Promise<pg.Client> {
  const host = process.env.FAIRTICK_TEST_SOCKET as string;
  const client = new pg.Client({ host, user, database });
  // Dropping the database disconnects a client that a failed test left open.
  client.on('error', () => {});
  await client.connect();
  await client.query('begin; select pg_current_xact_id()');
  return client;
}

async function commit(client: pg.PoolClient): Promise<void> {
  await client.query('commit');
  client.release();
}

describe('the roll-up of the house’s movements', () => {
  test('counts each movement once, however often it runs', async () => {
    await rollUp();
    expect(await house()).toBe(CAPITAL);
    await lose('a', 5n);
    await lose('b', 7n);
    await rollUp();
    await rollUp();
    expect(await house()).toBe(CAPITAL + 12n);
    await lose('c', 1n);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 13n);
  });

  test('also updates the balance of the external account', async () => {
    await ledger.resetPractice('nothing to do', ann);
    await rollUp();
    const balances = await ledger.houseBalances();
    expect(balances['4:1']).toBe(-CAPITAL - 10_000n * UNIT);
    expect(balances['4:1']).toBe((await ledger.postedBalances())['4:1']);
  });

  test('waits for open transactions, then counts each of their movements exactly once', async () => {
    const open = await begin();
    await lose('open', 1_000n, open);
    ann = await ledger.customer();
    await lose('younger', 20n);
    // Both transactions are newer than the open one, so they stay above the watermark too.
    await rollUp();
    expect(await house()).toBe(CAPITAL);
    const stillOpen = await begin();
    ann = await ledger.customer();
    await lose('still open', 300n, stillOpen);
    await commit(open);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 1_020n);
    ann = await ledger.customer();
    await lose('youngest', 4n);
    await rollUp();
    await commit(stillOpen);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 1_324n);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 1_324n);
  });

  test('does not count a transaction that is rolled back', async () => {
    const open = await begin();
    await lose('never', 1_000n, open);
    await open.query('rollback');
    open.release();
    await lose('kept', 3n);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 3n);
  });

  test('runs once at a time: a concurrent second call returns false at once', async () => {
    const first = await begin();
    await first.query('select ledger.roll_up_house()');
    expect(await rollUp()).toBe(false);
    await commit(first);
    expect(await rollUp()).toBe(true);
  });

  test('ends with the sum of the postings when it runs beside 150 concurrent transfers', async () => {
    const owners = await Promise.all(Array.from({ length: 10 }, () => ledger.customer()));
    let isDone = false;
    const rolling = Promise.all(
      Array.from({ length: 3 }, async () => {
        while (!isDone) await rollUp();
      }),
    );
    await Promise.all(
      Array.from({ length: 150 }, async (_, place) => {
        const owner = owners[place % 10] as number;
        await ledger.reserve(`many:${place}`, [{ owner, amount: 10n }]);
        await ledger.resolve(`many ended:${place}`, [
          { owner, amount: 10n, returned: place % 3 === 0 ? 18n : 0n },
        ]);
      }),
    );
    isDone = true;
    await rolling;
    await rollUp();
    expect(await house()).toBe(CAPITAL + 100n * 10n - 50n * 8n);
    expect(await house()).toBe((await ledger.postedBalances())['8:1']);
  });
});

describe('a transaction open in another database of the same PostgreSQL', () => {
  const other = forTest(() => LedgerDatabase.create());

  // The ledger's owner sees the fewest details of a superuser's sessions.
  test.each(['fairtick_owner', 'postgres'])('of %s does not hold the roll-up back', async (user) => {
    const neighbour = await beginElsewhere(user, other.name);
    await lose('here', 5n);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 5n);
    await neighbour.query('rollback');
    await neighbour.end();
  });

  test('does not change the wait for a transaction in this database, whose movement is counted once, after its commit', async () => {
    const neighbour = await beginElsewhere('fairtick_owner', other.name);
    const open = await begin();
    await lose('open', 1_000n, open);
    const younger = await beginElsewhere('fairtick_owner', other.name);
    ann = await ledger.customer();
    await lose('younger', 20n);
    await rollUp();
    expect(await house()).toBe(CAPITAL);
    await commit(open);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 1_020n);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 1_020n);
    await neighbour.end();
    await younger.end();
  });

  test('is visible to a role without rights to statistics', async () => {
    const neighbour = await beginElsewhere('postgres', other.name);
    const { rows } = await ledger.pool.query(
      `select a.datname, a.query, pg_has_role(current_user, 'pg_read_all_stats', 'usage') as "readsAll"
       from pg_locks l join pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and a.datname = $1`,
      [other.name],
    );
    expect(rows).toEqual([{ datname: other.name, query: '<insufficient privilege>', readsAll: false }]);
    await neighbour.end();
  });
});

describe('the watermark', () => {
  test('stays below the caller’s own transaction, which may still move money', async () => {
    const own = await begin();
    await lose('before', 100n, own);
    ann = await ledger.customer();
    await lose('beside', 20n);
    await own.query('select ledger.roll_up_house()');
    ann = await ledger.customer();
    await lose('after', 3n, own);
    await commit(own);
    await rollUp();
    expect(await house()).toBe(CAPITAL + 123n);
  });

  test('never goes back, because movements below it are already counted', async () => {
    await rollUp();
    const { rows } = await ledger.pool.query(
      `update ledger.house_watermark set xid = (xid::text::bigint + 1000000000)::text::xid8 returning xid`,
    );
    await rollUp();
    expect((await ledger.pool.query('select xid from ledger.house_watermark')).rows).toEqual(rows);
  });
});
