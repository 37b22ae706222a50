import { House, START_MS } from '@fairtick/kit/installation/house.ts';
import { ManualFeed } from '@fairtick/kit/installation/manual-feed.ts';
import { openSimulatedWriter, readTexts, rootOfTexts } from '@fairtick/kit/installation/writers.ts';
import {
  consistencyProofFrom,
  inclusionProofFrom,
  leafHash,
  verifyConsistency,
  verifyInclusion,
} from '@fairtick/proof';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RuleBook } from '../rule-book.ts';
import type { WriterTerm } from '../writer/writer-term.ts';
import { LogArchive } from './log-archive.ts';
import { LogReader } from './log-reader.ts';

/** Entries in a partition of these tests: two bundles. */
const PARTITION = 512;
const HOUR_MS = 3_600_000;
/** Rows stay this long: log_keep_ms() in SQL. */
const KEEP_ROWS_MS = 48 * HOUR_MS;

/** An installation with small partitions, and the simulated market's writer on its log. */
async function openHouse(): Promise<{ house: House; writer: WriterTerm }> {
  const house = await House.open(new ManualFeed());
  const { owner } = house.db;
  await owner.query('alter table log_entries detach partition log_entries_0');
  await owner.query('alter table log_entries_0 rename to first_entries');
  await owner.query(
    `create or replace function log_partition_size() returns bigint immutable language sql as 'select ${PARTITION}::bigint'`,
  );
  await owner.query('select log_ensure_partition(0)');
  await owner.query('insert into log_entries select * from first_entries');
  await owner.query('drop table first_entries');
  return { house, writer: (await openSimulatedWriter(house, START_MS)).writer };
}

describe('the archive of the log', () => {
  let house: House;
  let writer: WriterTerm;
  let archive: LogArchive;
  beforeEach(async () => {
    ({ house, writer } = await openHouse());
    archive = new LogArchive(house.db.server, house.products);
  });
  afterEach(() => house?.close());

  async function writeUntil(size: number): Promise<void> {
    while (writer.size < size) {
      house.clock.stepTo(house.clock.targetMs + 250);
      await writer.step();
    }
  }

  /** Lets time pass; the writer appends one step only. */
  async function wait(ms: number): Promise<void> {
    house.clock.stepTo(house.clock.targetMs + ms);
    await writer.step();
  }

  async function archiveAll(): Promise<void> {
    while ((await archive.work(writer.size)) > 0);
  }

  async function drop(): Promise<number> {
    const { rows } = await house.db.server.query<{ dropped: number }>(
      'select log_drop_archived() as dropped',
    );
    return rows[0]?.dropped ?? -1;
  }

  async function partitions(): Promise<string[]> {
    const { rows } = await house.db.owner.query<{ name: string }>(
      `select relname as name from pg_inherits join pg_class c on c.oid = inhrelid
       where inhparent = 'log_entries'::regclass order by substr(relname, 13)::int`,
    );
    return rows.map(({ name }) => name);
  }

  /** A reader with an empty cache. */
  const freshReader = () => new LogReader(house.db.server, house.products, new RuleBook(house.db.server));

  test('holds the exact entries of the partitions and serves them after the partitions are dropped', async () => {
    await writeUntil(1_700);
    await wait(1_000);
    const texts = await readTexts(house);
    const size = 1_536;
    const [oldRoot, root] = [await house.reader.rootAt(300), await house.reader.rootAt(size)];
    await archiveAll();
    await wait(KEEP_ROWS_MS + 3 * HOUR_MS);
    expect(await drop()).toBe(3);
    expect(await partitions()).not.toContain('log_entries_0');

    const reader = freshReader();
    const archived: string[] = [];
    for (let number = 0; number < size / 256; number += 1) archived.push(...(await reader.bundle(number)));
    expect(archived).toEqual(texts.slice(0, size));
    expect(Buffer.from(await reader.rootAt(size)).toString('hex')).toBe(rootOfTexts(archived));
    for (const index of [0, 255, 256, 511, 512, 1_535]) {
      const leaf = leafHash(archived[index] as string);
      const proof = await inclusionProofFrom(reader, index, size);
      expect(verifyInclusion({ index, size, leaf, proof, root })).toBe(true);
    }
    const proof = await consistencyProofFrom(reader, 300, size);
    expect(verifyConsistency({ oldSize: 300, oldRoot, newSize: size, newRoot: root, proof })).toBe(true);
    expect(await reader.tileHashes(0, 1, 256)).toEqual(
      archived.slice(256, 512).map((text) => leafHash(text)),
    );
    expect((await reader.tileHashes(1, 0, 6)).map((hash) => Buffer.from(hash).toString('hex'))).toEqual(
      Array.from({ length: 6 }, (_, place) => rootOfTexts(archived.slice(place * 256, (place + 1) * 256))),
    );
  });

  test('rows stay until they are archived', async () => {
    await writeUntil(1_200);
    await wait(KEEP_ROWS_MS + 3 * HOUR_MS);
    expect(await drop()).toBe(0);
    // One of the second partition's two bundles is missing.
    const half = new LogArchive(house.db.server, house.products);
    await half.work(768);
    expect(await drop()).toBe(1);
    await archiveAll();
    expect(await drop()).toBe(1);
  });

  test('rows stay for two days', async () => {
    await writeUntil(1_200);
    await archiveAll();
    await wait(KEEP_ROWS_MS - HOUR_MS);
    expect(await drop()).toBe(0);
    await wait(2 * HOUR_MS);
    expect(await drop()).toBe(2);
  });

  test('the partition in use stays, however old it is', async () => {
    await writeUntil(1_100);
    await archiveAll();
    await wait(10 * 24 * HOUR_MS);
    await drop();
    expect(await partitions()).toContain('log_entries_2');
    await writeUntil(1_400);
    expect((await readTexts(house)).length).toBe(writer.size);
  });

  test('a missing bundle stops the drop with an error', async () => {
    await writeUntil(1_200);
    await archiveAll();
    await wait(KEEP_ROWS_MS + 3 * HOUR_MS);
    await house.db.owner.query('delete from log_bundles where number = 1');
    await expect(drop()).rejects.toThrow('bundles of partition 0 are missing');
    expect(await partitions()).toContain('log_entries_0');
  });

  test('a drop that a reader blocks fails after the lock timeout and succeeds later', async () => {
    await writeUntil(1_200);
    await archiveAll();
    await wait(KEEP_ROWS_MS + 3 * HOUR_MS);
    const reader = await house.db.owner.connect();
    await reader.query('begin');
    await reader.query('select * from log_entries where index = 3');
    await expect(drop()).rejects.toThrow('lock timeout');
    await reader.query('commit');
    reader.release();
    expect(await drop()).toBe(2);
  });

  test('takes no bundle but the next one, and only with the entries that the log has', async () => {
    await writeUntil(1_200);
    const texts = await readTexts(house);
    const put = (number: number, body: string) =>
      house.db.server.query('select log_archive($1, $2)', [number, body]);
    const bundle = (number: number) => texts.slice(number * 256, (number + 1) * 256);
    for (const [number, body] of [
      [0, 'x'],
      [0, ''],
      [0, bundle(1).join('\n')],
      [0, bundle(0).with(3, 'text|4|1').join('\n')],
      [0, bundle(0).slice(1).join('\n')],
      [1, bundle(1).join('\n')],
      [99, 'x'],
      [-1, 'x'],
    ] as const)
      await expect(put(number, body), `${number}`).rejects.toMatchObject({ constraint: 'LOG_MOVED' });
    await expect(
      house.db.server.query(`insert into log_bundles (number, body) values (0, 'x')`),
    ).rejects.toThrow('permission denied');
    await put(0, bundle(0).join('\n'));
    await put(0, 'x');
    await archiveAll();
    expect(await freshReader().bundle(0)).toEqual(bundle(0));
    await wait(KEEP_ROWS_MS + 3 * HOUR_MS);
    await drop();
    expect(await freshReader().bundle(0)).toEqual(bundle(0));
  });

  test('archives complete bundles in the background beside the writer', async () => {
    await writeUntil(700);
    archive.wake(writer.size, pino({ level: 'silent' }));
    await archive.idle();
    const { rows } = await house.db.server.query('select number from log_bundles order by number');
    expect(rows.map(({ number }) => Number(number))).toEqual([0, 1]);
  });

  test('only the last old checkpoint of each hour stays', async () => {
    await writeUntil(400);
    await wait(HOUR_MS);
    await writeUntil(700);
    const { rows: before } = await house.db.server.query('select size from log_checkpoints');
    await wait(KEEP_ROWS_MS + 3 * HOUR_MS);
    await drop();
    const { rows: after } = await house.db.server.query<{ size: string; time_ms: string }>(
      'select size, time_ms from log_checkpoints order by size',
    );
    expect(before.length).toBeGreaterThan(5);
    const hours = after.map(({ time_ms }) => Math.floor(Number(time_ms) / HOUR_MS));
    expect(new Set(hours).size).toBe(hours.length);
    expect(after.length).toBe(3);
  });

  test('an archived entry takes less than 60 bytes on average', async () => {
    await writeUntil(5_200);
    await archiveAll();
    // Skip the first bundles: they are full of the installation's rules, not ticks.
    const { rows } = await house.db.server.query<{ bytes: number }>(
      'select avg(pg_column_size(body))::float8 / 256 as bytes from log_bundles where number >= 2',
    );
    expect(rows[0]?.bytes).toBeLessThan(60);
  });
});
