import { createHash } from 'node:crypto';
import { failureIn } from '@fairtick/kit/database/failures.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { transaction } from '../../platform/db/database.ts';

/** The office's audit log: promise 18. */
const db = ownDatabase();

const append = (action: string, facts: object = {}) =>
  db.owner.query('select audit_append(null, $1, $2, $3)', [action, 'test:1', facts]);
const verdict = async () =>
  (await db.server.query<{ seq: string; problem: string }>('select * from audit_verify()')).rows;

test('concurrent entries make one hash chain, which anybody can recompute', async () => {
  await Promise.all(Array.from({ length: 100 }, (_, turn) => append('count', { turn, text: 'ümläut 数' })));
  const { rows } = await db.server.query<{ seq: string; entry: string; hash: Buffer }>(
    'select seq, entry, hash from audit_log order by seq',
  );
  let hash: Buffer = Buffer.alloc(32);
  for (const [place, row] of rows.entries()) {
    hash = createHash('sha256').update(hash).update(row.entry).digest();
    expect([Number(row.seq), row.hash.toString('hex')]).toEqual([place, hash.toString('hex')]);
  }
  expect(rows.length).toBeGreaterThanOrEqual(100);
  const head = await db.server.query<{ size: string; hash: Buffer }>('select size, hash from audit_head');
  expect(head.rows[0]).toMatchObject({ size: String(rows.length), hash });
  expect(await verdict()).toEqual([]);
});

test('an entry is kept exactly if its transaction commits', async () => {
  await expect(
    transaction(db.owner, async (client) => {
      await client.query(`select audit_append(null, 'lost', 'test:2', '{}')`);
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  await transaction(db.owner, async (client) => {
    await client.query(`select audit_append(null, 'first', 'test:2', '{}')`);
    await client.query(`select audit_append(null, 'second', 'test:2', '{}')`);
  });
  const { rows } = await db.server.query<{ action: string }>(
    `select action from audit_log where subject = 'test:2' order by seq`,
  );
  expect(rows.map((row) => row.action)).toEqual(['first', 'second']);
});

test('transactions that append an entry and lock a row in opposite orders do not deadlock', async () => {
  const both = async (first: string, second: string) =>
    transaction(db.owner, async (client) => {
      await client.query(first);
      await client.query('select pg_sleep(0.2)');
      await client.query(second);
    });
  const note = `select audit_append(null, 'order', 'test:3', '{}')`;
  const lock = `insert into leases (name) values ('test') on conflict (name) do update set lost = leases.lost`;
  await Promise.all([both(note, lock), both(lock, note)]);
  expect(await verdict()).toEqual([]);
});

test('the server can append entries and can’t change them', async () => {
  for (const way of [
    'update audit_log set entry = entry',
    'delete from audit_log',
    'truncate audit_log',
    `insert into audit_log (seq, entry, hash) values (-1, '{}', sha256('x'))`,
    'update audit_head set size = 0',
    'select * from audit_head for update',
    `insert into audit_pending (action, subject, facts) values ('a', 'b', '{}')`,
    'alter table audit_pending disable trigger audit_chain',
    'drop trigger audit_chain on audit_pending',
  ]) {
    expect([way, await failureIn(db.server.query(way))]).toEqual([way, '42501']);
  }
});

describe('the verification of the audit log finds', () => {
  /** The verification's findings after a change that is rolled back. */
  async function after(...statements: string[]): Promise<string[]> {
    const client = await db.owner.connect();
    try {
      await client.query('begin');
      for (const statement of statements) await client.query(statement);
      const { rows } = await client.query<{ problem: string }>('select problem from audit_verify()');
      return rows.map((row) => row.problem);
    } finally {
      await client.query('rollback');
      client.release();
    }
  }
  beforeAll(async () => {
    for (const action of ['a', 'b', 'c', 'd']) await append(action);
  });

  test.each([
    ['a flipped letter', [`update audit_log set entry = replace(entry, 'count', 'coumt') where seq = 2`]],
    ['a flipped hash', [`update audit_log set hash = sha256('x') where seq = 2`]],
    [
      'a flipped letter with its hash made anew',
      [
        `update audit_log set entry = replace(entry, 'count', 'coumt') where seq = 2`,
        `update audit_log l set hash = sha256(b.hash || convert_to(l.entry, 'UTF8')) from audit_log b where l.seq = 2 and b.seq = 1`,
      ],
    ],
    ['a deleted entry', ['delete from audit_log where seq = 3']],
    [
      'two entries swapped',
      [
        'update audit_log set seq = case seq when 3 then -3 else -4 end where seq in (3, 4)',
        'update audit_log set seq = case seq when -3 then 4 else 3 end where seq < 0',
      ],
    ],
    ['the end cut off', ['delete from audit_log where seq >= (select size - 2 from audit_head)']],
    ['every entry deleted', ['delete from audit_log']],
  ])('%s', async (_name, statements) => {
    expect((await after(...statements)).length).toBeGreaterThan(0);
  });

  test('nothing in an unchanged log', async () => {
    expect(await after('select 1')).toEqual([]);
  });
});
