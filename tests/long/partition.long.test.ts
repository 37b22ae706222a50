import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Journal } from '@fairtick/kit/judges/journal.ts';
import { judge } from '@fairtick/kit/judges/judgement.ts';
import { LoadClient } from '@fairtick/kit/load/load-client.ts';
import {
  countOutcomes,
  during,
  openSymbols,
  resolveUnknown,
  untilSettled,
} from '@fairtick/kit/load/trading.ts';
import { Namespace } from '@fairtick/kit/processes/namespaces.ts';
import { Installation, type ServerProcess } from '@fairtick/kit/processes/server-process.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbedded } from '../../apps/server/src/platform/db/embedded.ts';

/**
 * Promise 3: a partition is survived. The API, and two processes that are engine and feed, each in a network namespace of its
 * own; packets between one of them and the database are lost, in one or both directions, briefly and for longer than any lease
 * and timeout, while customers trade. Needs root, for the namespaces.
 *
 * A defect planted by hand made it fail: with a lease of 120 s no other process took over in time. Orders that are refused
 * although they were placed are caught by the short form (tests/integration/partition.full.test.ts) and not here: the statement
 * timeout of 16 s is longer than the 8 s for which these customers wait.
 */
const CUSTOMERS = 32;
const LOAD_MS = 3_000;
const SHORT_MS = 2_000;
/** Longer than the lease (1.5 s), the statement timeout (16 s), and the server's timeout for a client. */
const LONG_MS = 22_000;
/** After the cut: a half-open connection is given up after 16 s, and its packets are retransmitted with growing backoff. */
const LIVE_MS = 40_000;
const CUTS = [
  { ways: ['requests', 'answers'] as const, name: 'both ways' },
  { ways: ['requests'] as const, name: 'of what it sends' },
  { ways: ['answers'] as const, name: 'of what it is sent' },
].flatMap((cut) => [SHORT_MS, LONG_MS].map((ms) => ({ ...cut, ms })));

describe('an installation in three networks', () => {
  const installation = new Installation();
  const databaseDir = mkdtempSync(join(tmpdir(), 'fairtick-partition-'));
  const networks: Namespace[] = [];
  const workers = new Map<number, Namespace>();
  let postgres: EmbeddedPostgres;
  let db: pg.Pool;
  let api: ServerProcess;
  let apiNetwork: Namespace;
  let journal: Journal;
  let client: LoadClient;
  let symbols: readonly string[];

  beforeAll(async () => {
    for (const number of [1, 2, 3]) networks.push(new Namespace(number));
    apiNetwork = networks[0] as Namespace;
    const hba = join(databaseDir, 'hba.conf');
    writeFileSync(hba, 'local all all trust\nhost all all 10.79.0.0/16 trust\n', { mode: 0o644 });
    postgres = await startEmbedded(databaseDir, () => {}, {
      listen_addresses: networks.map(({ toDatabase }) => toDatabase.outer).join(),
      hba_file: hba,
    });
    await makeDatabase(postgres.socketDir);
    db = new pg.Pool({ host: postgres.socketDir, user: 'postgres', database: 'fairtick', max: 2 });
    const start = (network: Namespace, environment: Readonly<Record<string, string>>) => {
      return installation.start(
        {
          DATABASE_URL: `postgres://fairtick_owner@${network.toDatabase.outer}/fairtick`,
          PUBLIC_ORIGIN: 'http://partition.invalid',
          HOST: network.toCustomers.inner,
          ...environment,
        },
        network.command,
      );
    };
    api = await start(apiNetwork, { ROLE: 'api' });
    for (const network of networks.slice(1)) {
      workers.set((await start(network, { ROLE: 'engine,feed' })).pid, network);
    }
    await api.untilReady();
    journal = new Journal(join(installation.dataDir, 'journal.jsonl'));
    client = new LoadClient(api.origin, journal);
    await client.register(CUSTOMERS);
    symbols = await openSymbols(api.origin);
  }, 150_000);

  afterAll(async () => {
    client?.close();
    await db?.end();
    await installation.close();
    await postgres?.stop();
    rmSync(databaseDir, { recursive: true });
    for (const network of networks) network.close();
  });

  /** Trades, drops packets for a while, and reports the time after that until customers could trade again. */
  async function tradeThrough(wire: Namespace['toDatabase'], cut: (typeof CUTS)[number]): Promise<string> {
    const isReady = async () => (await fetch(`${api.origin}/readyz`).catch(() => null))?.ok ?? false;
    const [healedMs, readyMs] = await during(
      (signal) => client.trade(symbols, signal),
      async () => {
        await sleep(LOAD_MS);
        wire.cut(...cut.ways);
        await sleep(cut.ms);
        wire.heal(...cut.ways);
        const healed = performance.now();
        await until(isReady, LIVE_MS);
        return [healed, performance.now()] as const;
      },
    );
    const unknown = await resolveUnknown(client, journal, LIVE_MS);
    return `ready ${Math.round(readyMs - healedMs)} ms after ${cut.ms} ms ${cut.name}; ${unknown} unknown, all resolved after ${Math.round(performance.now() - healedMs)} ms`;
  }

  test.each(CUTS)('customers trade again after the API is cut off $name for $ms ms', async (cut) => {
    console.log(`API: ${await tradeThrough(apiNetwork.toDatabase, cut)}`);
  });

  /** The leaders, by the database. */
  async function leaders(): Promise<{ feed: number; engine: number; epoch: number }> {
    const { rows } = await db.query<{ feed: string | null; engine: string | null; epoch: string }>(
      `select h.holder as feed, h.epoch, (select holder from leases where name = 'engine') as engine from log_head h`,
    );
    const pid = (holder: string | null | undefined) => Number(holder?.split(':').at(-1));
    return { feed: pid(rows[0]?.feed), engine: pid(rows[0]?.engine), epoch: Number(rows[0]?.epoch) };
  }

  test.each(CUTS)('customers trade again after the leader is cut off $name for $ms ms', async (cut) => {
    const before = await leaders();
    const network = workers.get(before.feed) as Namespace;
    const startedMs = performance.now();
    const takeover = until(async () => {
      const { feed, engine } = await leaders();
      const isOther = (pid: number) => workers.has(pid) && workers.get(pid) !== network;
      return isOther(feed) && isOther(engine);
    }, LOAD_MS + LONG_MS).then(
      () => `${Math.round(performance.now() - startedMs - LOAD_MS)} ms`,
      () => 'never',
    );
    const figures = await tradeThrough(network.toDatabase, cut);
    if (cut.ms === LONG_MS) expect(await takeover).not.toBe('never');
    console.log(`engine and feed: taken over after ${await takeover}; ${figures}`);
    // The process that was cut off writes nothing under its old lease, and can lead again later.
    expect((await leaders()).epoch).toBeGreaterThanOrEqual(before.epoch);
  });

  test('no order is lost or settled twice, and the log has every number and index once', async () => {
    await untilSettled(db);
    console.log(countOutcomes(journal));
    expect(await judge(db, journal.read())).toEqual([]);
    const { rows: numbers } = await db.query(
      `select count(*)::int as broken from (
         select n - lag(n, 1, 0::bigint) over (partition by product_id order by index) as step
         from log_entries where kind <= log_kind('gap')
       ) steps where step <> 1`,
    );
    expect(numbers[0].broken).toBe(0);
    const { rows: sizes } = await db.query(
      'select (select count(*) from log_entries where index < h.size) = h.size as is_whole from log_head h',
    );
    expect(sizes[0].is_whole).toBe(true);
  });
});

async function makeDatabase(socketDir: string): Promise<void> {
  const admin = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres' });
  await admin.connect();
  await admin.query('create role fairtick_owner login createrole');
  await admin.query('create database fairtick owner fairtick_owner');
  await admin.end();
}
