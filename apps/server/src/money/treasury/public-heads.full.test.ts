import { createHash } from 'node:crypto';
import { forTest } from '@fairtick/kit/fixtures/fixture.ts';
import { House } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { readTexts } from '@fairtick/kit/installation/writers.ts';
import { ask, credit, newPayee, usdt } from '@fairtick/kit/people/money.ts';
import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { auditLog } from '../../market/log/log-audit.ts';
import { PublicHeads } from './public-heads.ts';

/** Once an hour the heads of ledger and audit log go into the public log: promise 18, even for the database's owner. */
const house = forTest(() => House.open(new ManualFeed()));

const take = () => new PublicHeads(house.db.serverAddress, pino({ level: 'silent' })).run();
const heads = async () => (await readTexts(house)).filter((text) => text.startsWith('audit|'));
const note = (text: string) => house.db.owner.query(`select audit_append(null, 'note', $1, '{}')`, [text]);

/** The findings of `npm run admin -- audit`'s check after the owner has run `statements`, which are rolled back. */
async function wrongAfter(...statements: string[]): Promise<string[]> {
  const client = await house.db.owner.connect();
  try {
    await client.query('begin');
    for (const statement of statements) await client.query(statement);
    return (await client.query('select detail from heads_verify() order by 1')).rows.map(
      ({ detail }) => detail,
    );
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Puts two heads into the log, with money and entries before each. */
async function twoHeads(): Promise<void> {
  for (const turn of [1, 2]) {
    await credit(house.db, (await newPayee(house.db)).id, usdt(turn));
    await note(`turn:${turn}`);
    expect(await take()).toBe(String(turn));
    await house.stepBy(2_000);
    await house.db.owner.query(`update public_heads set taken_at = taken_at - interval '1 hour'`);
  }
}

describe('the heads', () => {
  test('heads are taken once an hour, by one of several concurrent callers, and logged once', async () => {
    await note('first');
    const told = await Promise.all(Array.from({ length: 10 }, take));
    expect(told.filter((number) => number !== null)).toEqual(['1']);
    expect(await heads()).toEqual([]);
    await house.stepBy(2_000);
    await house.stepBy(2_000);
    const { rows } = await house.db.server.query<{ hash: string; ledger: string; at: string }>(
      `select encode(a.hash, 'hex') as hash, encode(h.ledger_head, 'hex') as ledger, l.time_ms as at
       from audit_head a, public_heads h join log_entries l on l.index = h.entry_index`,
    );
    expect(await heads()).toEqual([`audit|4|${rows[0]?.at}|${rows[0]?.ledger}|${rows[0]?.hash}`]);
    expect(await take()).toBeNull();
    await house.db.owner.query(`update public_heads set taken_at = taken_at - interval '1 hour'`);
    expect(await take()).toBe('2');
    // The next head is not taken before this one is logged.
    await house.db.owner.query(`update public_heads set taken_at = taken_at - interval '1 hour'`);
    expect(await take()).toBeNull();
    await house.stepBy(2_000);
    expect(await heads()).toHaveLength(2);
    expect(await wrongAfter()).toEqual([]);
  });

  test('heads cover all transfers, also while a transaction is open in another database', async () => {
    const neighbour = new pg.Client({ ...house.db.ownerAddress, user: 'postgres', database: 'postgres' });
    await neighbour.connect();
    await neighbour.query('begin; select pg_current_xact_id()');
    await credit(house.db, (await newPayee(house.db)).id, usdt(1));
    expect(await take()).toBe('1');
    await neighbour.end();
    const { rows } = await house.db.server.query(
      'select count(*)::int as left_out from ledger.transfers t, public_heads h where t.xid >= h.upto',
    );
    expect(rows).toEqual([{ left_out: 0 }]);
  });

  test('heads can be recomputed from the rows: each ledger head is a hash over the head before it and the transfers since', async () => {
    await twoHeads();
    const { rows } = await house.db.server.query<{ head: Buffer; digest: Buffer }>(
      `select h.ledger_head as head, ledger.digest(coalesce(lag(h.upto) over (order by number), '0'::xid8), h.upto) as digest
       from public_heads h order by number`,
    );
    const [first, second] = rows as [(typeof rows)[0], (typeof rows)[0]];
    const link = (before: Buffer, digest: Buffer) =>
      createHash('sha256').update(before).update(digest).digest();
    expect(first.head).toEqual(link(Buffer.alloc(32), first.digest));
    expect(second.head).toEqual(link(first.head, second.digest));
    expect(second.digest).not.toEqual(first.digest);
  });
});

describe('npm run admin -- audit', () => {
  test.each([
    [
      'a posting',
      `update ledger.postings set amount = amount + 1 where id = (select min(id) from ledger.postings)`,
    ],
    [
      'a transfer that is gone',
      `delete from ledger.transfers where id = (select min(id) from ledger.transfers)`,
    ],
    ['when it was', `update ledger.transfers set created_at = created_at + interval '1 day' where id = 1`],
  ])('detects a rewritten ledger: %s', async (_what, statement) => {
    await twoHeads();
    // The tables' owner can disable their guards first.
    const wrong = await wrongAfter(
      'alter table ledger.postings disable trigger user',
      'alter table ledger.transfers disable trigger user',
      statement,
    );
    expect(wrong).toHaveLength(2);
    expect(wrong[0]).toMatch(/^head 1 of the ledger, .*: today’s ledger gives another$/);
  });

  test('detects a rewritten audit log whose own chain is whole', async () => {
    await twoHeads();
    const rewrite = `with recursive texts as (
        select seq, replace(entry, 'turn:1', 'turn:9') as entry from audit_log
      ), chain as (
        select seq, entry, sha256(decode(repeat('00', 32), 'hex') || convert_to(entry, 'UTF8')) as hash from texts where seq = 0
        union all
        select t.seq, t.entry, sha256(c.hash || convert_to(t.entry, 'UTF8')) from chain c join texts t on t.seq = c.seq + 1
      ), written as (update audit_log a set entry = c.entry, hash = c.hash from chain c where c.seq = a.seq returning a.seq, a.hash)
      update audit_head set hash = (select hash from written order by seq desc limit 1)`;
    const client = await house.db.owner.connect();
    try {
      await client.query('begin');
      await client.query(rewrite);
      expect((await client.query('select * from audit_verify()')).rows).toEqual([]);
      const { rows } = await client.query<{ detail: string }>('select detail from heads_verify() order by 1');
      expect(rows.map(({ detail }) => detail)).toEqual([
        expect.stringMatching(/^head 1 of the audit log, .*: not in today’s chain$/),
        expect.stringMatching(/^head 2 of the audit log/),
      ]);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  test('detects rewritten heads, since the log has others', async () => {
    await twoHeads();
    const wrong = await wrongAfter(`update public_heads set audit_head = sha256('mine') where number = 2`);
    expect(wrong).toEqual([
      expect.stringMatching(/^head 2 of the audit log/),
      expect.stringMatching(/^the entry at \d+ of the log is no head that was taken$/),
    ]);
  });
});

test('the audit of the whole log reports a head that differs from its entry, and an entry without a head', async () => {
  await twoHeads();
  const audited = async (...statements: string[]) => {
    const client = await house.db.owner.connect();
    try {
      await client.query('begin');
      for (const statement of statements) await client.query(statement);
      return await auditLog(client);
    } finally {
      await client.query('rollback');
      client.release();
    }
  };
  expect(await audited()).toEqual([]);
  expect(await audited(`update public_heads set ledger_head = sha256('mine') where number = 1`)).toEqual([
    expect.stringMatching(/^head 1 of ledger and audit log is not what the log says at \d+$/),
  ]);
  expect(await audited('delete from public_heads where number = 2')).toEqual([
    expect.stringMatching(/^the entry at \d+ of the log is no head that was taken$/),
  ]);
});

test('the server’s role can’t write heads, or mark a head as logged that is not in the log', async () => {
  await take();
  for (const statement of [
    `insert into public_heads (number, upto, ledger_head, audit_size, audit_head) values (9, '1', sha256(''), 0, sha256(''))`,
    'update public_heads set entry_index = 1',
    'delete from public_heads',
  ]) {
    await expect(house.db.server.query(statement)).rejects.toMatchObject({ code: '42501' });
  }
  expect(await ask(house.db, 'heads_logged', ['1', 0])).toBe('LOG_MOVED');
  await house.stepBy(2_000);
  expect(await ask(house.db, 'heads_logged', ['1', 0])).toBe('LOG_MOVED');
});
