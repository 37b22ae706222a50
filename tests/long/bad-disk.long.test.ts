import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Journal, type JournalEntry } from '@fairtick/kit/judges/journal.ts';
import { judge } from '@fairtick/kit/judges/judgement.ts';
import { LoadClient } from '@fairtick/kit/load/load-client.ts';
import {
  countOutcomes,
  during,
  openSymbols,
  resolveUnknown,
  tradeOn,
  untilSettled,
} from '@fairtick/kit/load/trading.ts';
import {
  type Disk,
  failingDisk,
  moveLog,
  skipLogInReserve,
  smallDisk,
} from '@fairtick/kit/processes/disks.ts';
import { Installation, type ServerProcess } from '@fairtick/kit/processes/server-process.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { ERRORS } from '@fairtick/protocol';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/**
 * Promise 4: a bad disk is survived. Under the embedded database the disk is full (all of it, only that of the data, or only that
 * of the write-ahead log), or fails, while customers trade; then it works again, without any intervention. Needs root, for small
 * in-memory file systems, and gcc.
 *
 * These defects, planted by hand, made it fail: with `synchronous_commit = off`, failing writes ended in "acknowledged and lost";
 * without the supervision of the embedded database, the server never became ready again.
 */
const CUSTOMERS = 24;
const LOAD_MS = 3_000;
/** How long the disk stays bad after it was first noticed, in ms. */
const BAD_MS = 15_000;
const NOTICED_WITHIN_MS = 60_000;
const READY_WITHIN_MS = 60_000;
const SMALL_MB = 700;

const TROUBLES: Readonly<Record<string, (place: Place) => Promise<Disk>>> = {
  'all of it is on a disk that is full': async ({ installation }) =>
    smallDisk(installation.dataDir, SMALL_MB),
  'its data are on a disk that is full': async (place) => {
    const disk = smallDisk(place.installation.dataDir, SMALL_MB);
    await place.makeDatabase();
    moveLog(join(place.installation.dataDir, 'postgres'), join(place.folder, 'wal'));
    return disk;
  },
  'its log is on a disk that is full': async (place) => {
    await place.makeDatabase();
    const folder = join(place.folder, 'wal');
    const disk = smallDisk(folder, SMALL_MB);
    moveLog(join(place.installation.dataDir, 'postgres'), folder);
    const spoil = async () => {
      disk.spoil();
      await skipLogInReserve(place.installation.databaseAddress());
    };
    return { ...disk, spoil };
  },
  'fsync of its log fails': async ({ folder }) => failingDisk(folder, 'fsync'),
  'writes of its log fail': async ({ folder }) => failingDisk(folder, 'all'),
};

interface Place {
  readonly installation: Installation;
  /** A folder beside the installation's, on a disk that stays good. */
  readonly folder: string;
  /** Starts the server once, and stops it. */
  makeDatabase(): Promise<void>;
}

describe('a database on a bad disk', () => {
  let installation: Installation;
  let folder: string;
  let journal: Journal;
  let disk: Disk | null = null;
  let client: LoadClient | null = null;
  beforeEach(() => {
    installation = new Installation();
    folder = mkdtempSync(join(tmpdir(), 'fairtick-disk-'));
    journal = new Journal(join(folder, 'journal.jsonl'));
  });
  afterEach(async () => {
    disk?.mend();
    client?.close();
    journal.close();
    await installation.killAll();
    disk?.close();
    await installation.close();
    rmSync(folder, { recursive: true });
    disk = null;
  });

  test.each(Object.entries(TROUBLES))('loses no acknowledged order when %s', async (_name, open) => {
    const makeDatabase = async () => {
      await (await installation.startReady()).stop();
    };
    disk = await open({ installation, folder, makeDatabase });
    const server = await installation.startReady(disk.environment);
    client = new LoadClient(server.origin, journal);
    await client.register(CUSTOMERS);
    const symbols = await openSymbols(server.origin);

    const answers = await tradeThrough({ server, client, disk, symbols });
    const unforeseen = answers.filter(({ error }) => error !== undefined && !isForeseen(error));
    expect(unforeseen.slice(0, 3)).toEqual([]);
    const db = new pg.Pool({ ...installation.databaseAddress(), max: 2 });
    db.on('error', () => {});
    await untilSettled(db);
    const wrong = await judge(db, journal.read());
    await db.end();
    console.log(countOutcomes(journal));
    expect(wrong).toEqual([]);
  });

  /** Customers trade all the time, whatever the answers are. */
  async function tradeThrough(parts: {
    server: ServerProcess;
    client: LoadClient;
    disk: Disk;
    symbols: readonly string[];
  }): Promise<JournalEntry[]> {
    const { server, client, disk, symbols } = parts;
    const answers: JournalEntry[] = [];
    const trade = (signal: AbortSignal) =>
      tradeOn(client, symbols, { signal, onAnswer: (entry) => answers.push(entry) });
    const isReady = async () => (await fetch(`${server.origin}/readyz`).catch(() => null))?.ok ?? false;
    const [noticed, ready] = await during(trade, async () => {
      await sleep(LOAD_MS);
      const spoiltMs = performance.now();
      await disk.spoil();
      await until(() => answers.some(({ outcome }) => outcome === 'unknown'), NOTICED_WITHIN_MS);
      const noticedMs = performance.now();
      await sleep(BAD_MS);
      disk.mend();
      const mendedMs = performance.now();
      await until(isReady, READY_WITHIN_MS);
      const readyMs = performance.now();
      await sleep(LOAD_MS);
      return [noticedMs - spoiltMs, readyMs - mendedMs];
    });
    const unknown = await resolveUnknown(client, journal, READY_WITHIN_MS);
    const told = [...new Set(answers.map(({ error }) => error).filter(Boolean))].join(', ');
    console.log(
      `noticed after ${noticed?.toFixed()} ms, ready ${ready?.toFixed()} ms after it was mended; ${unknown} unknown, all resolved; told: ${told}`,
    );
    return answers;
  }
});

/** An expected error: one of the catalogue other than INTERNAL, which stands for unexpected errors. */
const isForeseen = (error: string): boolean => error in ERRORS && error !== 'INTERNAL';
