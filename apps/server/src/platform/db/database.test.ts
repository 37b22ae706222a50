import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool, type Pool, transaction, UnknownOutcomeError } from './database.ts';

let pool: Pool;
const db = ownDatabase();
beforeAll(async () => {
  // One connection, so that each transaction sees the state that the last one left on it.
  pool = createPool(db.ownerAddress, {
    max: 1,
    name: 'transaction test',
    // A machine that stalls within a transaction must not end it.
    maxIdleInTransactionMs: 30_000,
  });
  await pool.query('create table notes (text text unique deferrable initially deferred)');
});
afterAll(async () => {
  await pool.end();
});

const notes = async (): Promise<string[]> => {
  const { rows } = await db.owner.query<{ text: string }>('select text from notes order by text');
  return rows.map((row) => row.text);
};
const note = (text: string) => ({ text: 'insert into notes values ($1)', values: [text] });
const backend = async (client: Pool | Parameters<Parameters<typeof transaction>[1]>[0]): Promise<number> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid as number;
};

describe('a single statement', () => {
  const raise = (code: string) =>
    pool.query(`do $$ begin raise exception 'refused' using errcode = '${code}'; end $$`);

  test('keeps its connection when the database refuses it', async () => {
    const pid = await backend(pool);
    for (const code of ['FT000', '22012', '23505', '40001', 'P0001']) {
      await expect(raise(code)).rejects.toMatchObject({ code });
      expect(await backend(pool)).toBe(pid);
    }
  });

  test('gets a new connection after an error that may mean another server', async () => {
    for (const code of ['25006', '53100', '57014', 'XX000']) {
      const pid = await backend(pool);
      await expect(raise(code)).rejects.toMatchObject({ code });
      expect(await backend(pool)).not.toBe(pid);
    }
  });
});

describe('a transaction', () => {
  test('is durable once it returns its result', async () => {
    expect(await transaction(pool, async (client) => (await client.query(note('kept'))).rowCount)).toBe(1);
    expect(await notes()).toContain('kept');
  });

  test('leaves nothing if the program or the database throws an error, and keeps its connection', async () => {
    const pid = await backend(pool);
    const refusal = new Error('refused');
    await expect(
      transaction(pool, async (client) => {
        await client.query(note('refused'));
        throw refusal;
      }),
    ).rejects.toBe(refusal);
    await expect(
      transaction(pool, async (client) => {
        await client.query(note('broken'));
        await client.query('select 1 / 0');
      }),
    ).rejects.toMatchObject({ code: '22012' });
    expect(await notes()).not.toContain('refused');
    expect(await notes()).not.toContain('broken');
    expect(await backend(pool)).toBe(pid);
  });

  test('that swallowed an error of the database is reported as rolled back', async () => {
    const work = transaction(pool, async (client) => {
      await client.query(note('swallowed'));
      await client.query('select 1 / 0').catch(() => {});
      return 'done';
    });
    await expect(work).rejects.toThrow(/rolled back/);
    expect(await notes()).not.toContain('swallowed');
  });

  test('fails with the database’s error if COMMIT refuses it', async () => {
    const work = transaction(pool, async (client) => {
      await client.query(note('twice'));
      await client.query(note('twice'));
    });
    await expect(work).rejects.toMatchObject({ code: '23505' });
    expect(await notes()).not.toContain('twice');
  });

  test('sees in each statement what was committed before it, whatever the server’s default isolation', async () => {
    await pool.query(`set default_transaction_isolation to 'repeatable read'`);
    const counts = await transaction(pool, async (client) => {
      const count = async () =>
        (await client.query('select count(*)::int as n from notes')).rows[0].n as number;
      const before = await count();
      await db.owner.query(note('meanwhile'));
      return [before, await count()];
    });
    expect(counts[1]).toBe((counts[0] as number) + 1);
  });
});

describe('a pool', () => {
  test('limits the time of a statement and of an idle transaction', async () => {
    const server = createPool(db.serverAddress, { max: 1, name: 'server' });
    const show = async (name: string) => (await server.query(`show ${name}`)).rows[0][name] as string;
    expect(await show('statement_timeout')).toBe('15s');
    expect(await show('idle_in_transaction_session_timeout')).toBe('2s');
    await server.end();
  });
});

describe('a connection that is lost', () => {
  test('between two statements ends the transaction, not the process', async () => {
    const work = transaction(pool, async (client) => {
      await client.query(note('cut'));
      await db.owner.query('select pg_terminate_backend($1, 5000)', [await backend(client)]);
      await client.query(note('cut again'));
    });
    await expect(work).rejects.toThrow();
    expect(await notes()).not.toContain('cut');
    expect(await backend(pool)).toBeGreaterThan(0);
  });

  test('while no statement runs is noticed without a crash', async () => {
    const heard = transaction(pool, async (client) => {
      const ended = new Promise((resolve) => client.once('end', resolve));
      await db.owner.query('select pg_terminate_backend($1, 5000)', [await backend(client)]);
      await ended;
    });
    await expect(heard).rejects.toThrow();
    expect(await backend(pool)).toBeGreaterThan(0);
  });

  test('during COMMIT leaves the outcome unknown, even if the server still sends an error', async () => {
    // A deferred trigger runs inside COMMIT; here it ends the connection with FATAL and an SQLSTATE.
    await db.owner.query(`
      create function hang_up() returns trigger language plpgsql as $$
      begin
        perform pg_terminate_backend(pg_backend_pid());
        return null;
      end $$;
      create table last_words (text text);
      create constraint trigger hang_up after insert on last_words deferrable initially deferred
        for each row execute function hang_up();
    `);
    const work = transaction(pool, async (client) => {
      await client.query(`insert into last_words values ('bye')`);
    });
    await expect(work).rejects.toBeInstanceOf(UnknownOutcomeError);
    expect(await backend(pool)).toBeGreaterThan(0);
  });
});
