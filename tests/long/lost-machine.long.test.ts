import { readFileSync } from 'node:fs';
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
import { Cluster, type Machine } from '@fairtick/kit/processes/patroni.ts';
import { signalAll } from '@fairtick/kit/processes/processes.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * Promise 2: a lost machine loses nothing. Three machines on loopback with Patroni and a synchronous standby; the primary is
 * killed and its data deleted while customers trade. Its replication freezes for a moment first, as on a dying machine: a primary
 * that waits for its standby then acknowledges nothing, one that does not wait continues.
 *
 * The test shows that it can fail: the same without `synchronous_mode` ends in "acknowledged and lost".
 */
const OPS = join(import.meta.dirname, '../../ops');
const CUSTOMERS = 48;
const LOAD_MS = 5_000;
/** How long the primary's replication is frozen before it dies, in ms. */
const STALL_MS = 1_500;
/** Patroni's `ttl` of 20 s, its loop, a promotion, and the server's own leases. */
const RECOVERED_MS = 60_000;

describe.each([
  { name: 'with a synchronous standby', isSynchronous: true },
  { name: 'with the defect of a primary that waits for nobody', isSynchronous: false },
])('an installation on three machines, $name', ({ isSynchronous }) => {
  let house: House;
  beforeAll(async () => {
    house = await House.open(isSynchronous);
  }, 300_000);
  afterAll(() => house?.close());

  if (!isSynchronous) {
    test('loses acknowledged orders', async () => {
      const { primary } = await house.tradeUntilLost();
      await house.recover(primary);
      expect((await house.judgement()).join()).toContain('acknowledged and lost');
    });
    return;
  }

  test('exports each metric of Patroni and etcd that the alert rules and the dashboard name', async () => {
    const metrics = (await house.cluster.metrics()).join('\n');
    const used = ['alerts.yml', 'grafana-dashboard.json'].flatMap(
      (file) => readFileSync(join(OPS, file), 'utf8').match(/\b(patroni|etcd)_\w+/g) ?? [],
    );
    expect(new Set(used).size).toBeGreaterThanOrEqual(3);
    for (const name of used) expect(metrics).toMatch(new RegExp(`^${name}[ {]`, 'm'));
    // One primary and one synchronous standby: the rules count them.
    for (const name of ['patroni_primary', 'patroni_sync_standby'])
      expect(metrics.match(new RegExp(`^${name}(\\{.*\\})? 1(\\.0)?$`, 'gm'))).toHaveLength(1);
  });

  test('a member of etcd that lost its disk comes back by the lines of the page, and not by its old file', async () => {
    await house.cluster.etcd.lose();
    const replaced = await house.whileTrading(async () => {
      const hasEnded = await house.cluster.etcd.startUnchanged();
      await house.cluster.etcd.replace();
      return { hasEnded, healthy: house.cluster.etcd.healthy() };
    });
    expect(replaced).toEqual({ hasEnded: true, healthy: 3 });
    expect(await house.judgement()).toEqual([]);
  });

  test('loses no acknowledged order when the primary’s machine is lost, twice', async () => {
    for (let loss = 1; loss <= 2; loss += 1) {
      const { primary, lostMs } = await house.tradeUntilLost();
      const promoted = await house.recover(primary, lostMs);
      expect(promoted.name).not.toBe(primary.name);
      // A new machine in its place copies the data by itself, so that the next loss finds a standby.
      house.cluster.start(primary);
      await house.cluster.untilWhole(3, 90_000);
      console.log(`three machines again ${elapsed(lostMs)} after the loss`);
    }
    await house.whileTrading(async () => {});
    expect(await house.judgement()).toEqual([]);
  });

  test('accepts no write from a frozen primary that wakes after another one took over', async () => {
    const old = await house.primary();
    const { writes, frozenMs } = await house.whileTrading(() => freezeAndWake(house, old));
    await house.recover(old, frozenMs);
    console.log(`the old primary answered: ${[...new Set(writes)].join('; ')}`);
    expect(writes).not.toContain('taken');
    await house.cluster.untilWhole(3, 90_000);
    expect(await house.judgement()).toEqual([]);
  });
});

/** Pauses all processes of a machine until another one leads, resumes them, and tries to write there, past the proxy. */
async function freezeAndWake(house: House, old: Machine): Promise<{ writes: string[]; frozenMs: number }> {
  const frozen = house.cluster.processesOf(old);
  const frozenMs = performance.now();
  signalAll(frozen, 'SIGSTOP');
  await until(async () => {
    const primary = await house.cluster.primary();
    return primary !== null && primary.name !== old.name;
  }, RECOVERED_MS);
  signalAll(frozen, 'SIGCONT');
  // The old primary briefly acts as if it still led.
  const writes = Array.from({ length: 40 }, async (_none, number) => {
    await sleep(number * 100);
    return house.cluster.ask(old, `create table written_by_the_old_${number} (x int)`, 10_000).then(
      () => 'taken',
      (error: Error) => error.message,
    );
  });
  return { writes: await Promise.all(writes), frozenMs };
}

const elapsed = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;

/** The server on its cluster: an API, and an engine with a feed, which reach the primary through the proxy. */
class House {
  readonly cluster: Cluster;
  readonly #installation = new Installation();
  readonly #journal = new Journal(join(this.#installation.dataDir, 'journal.jsonl'));
  #client!: LoadClient;
  #origin = '';
  #symbols: readonly string[] = [];

  private constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  static async open(isSynchronous: boolean): Promise<House> {
    const house = new House(await Cluster.open({ isSynchronous }));
    try {
      await house.#begin();
    } catch (error) {
      await house.close();
      throw error;
    }
    return house;
  }

  async #begin(): Promise<void> {
    const environment = { DATABASE_URL: this.cluster.url };
    await this.#installation.start({ ...environment, ROLE: 'engine,feed' });
    const api = await this.#installation.startReady({ ...environment, ROLE: 'api' });
    this.#origin = api.origin;
    this.#client = new LoadClient(api.origin, this.#journal);
    await this.#client.register(CUSTOMERS);
    this.#symbols = await openSymbols(api.origin);
  }

  async primary(): Promise<Machine> {
    const primary = await this.cluster.primary();
    if (!primary) throw new Error('nobody leads');
    return primary;
  }

  /** Runs `work` while customers trade, after they have traded for a while. */
  async whileTrading<T>(work: () => Promise<T>): Promise<T> {
    return during(
      (signal) => this.#client.trade(this.#symbols, signal),
      async () => {
        await sleep(LOAD_MS);
        return work();
      },
    );
  }

  /** Trades; then freezes the primary's replication and kills the machine. */
  async tradeUntilLost(): Promise<{ primary: Machine; lostMs: number }> {
    const primary = await this.primary();
    return this.whileTrading(async () => {
      this.cluster.stallReplication(primary);
      await sleep(STALL_MS);
      const lostMs = performance.now();
      await this.cluster.lose(primary);
      return { primary, lostMs };
    });
  }

  /** Waits until another machine leads, the server is ready, and every order's outcome is known. */
  async recover(old: Machine, lostMs = performance.now()): Promise<Machine> {
    let promoted: Machine | null = null;
    await until(async () => {
      promoted = await this.cluster.primary();
      return promoted !== null && promoted.name !== old.name;
    }, RECOVERED_MS).catch(async (error: Error) => {
      throw new Error(`no machine but ${old.name} leads: ${error.message}\n${await this.cluster.report()}`);
    });
    const ledAfter = elapsed(lostMs);
    await until(
      async () => (await fetch(`${this.#origin}/readyz`).catch(() => null))?.ok ?? false,
      RECOVERED_MS,
    );
    const readyAfter = elapsed(lostMs);
    const unknown = await resolveUnknown(this.#client, this.#journal, 30_000);
    console.log(
      `${old.name} lost: another leads after ${ledAfter}, the house is ready after ${readyAfter}; ${unknown} unknown, all resolved after ${elapsed(lostMs)}`,
    );
    return promoted as unknown as Machine;
  }

  /** The faults found once everything has settled. */
  async judgement(): Promise<string[]> {
    const db = new pg.Pool({ connectionString: this.cluster.url, max: 2 });
    db.on('error', () => {});
    try {
      await untilSettled(db);
      console.log(countOutcomes(this.#journal));
      return await judge(db, this.#journal.read());
    } finally {
      await db.end();
    }
  }

  async close(): Promise<void> {
    this.#client?.close();
    this.#journal.close();
    await this.#installation.close();
    await this.cluster.close();
  }
}
