import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import pg from 'pg';
import type { DatabaseAddress } from '../../apps/server/src/platform/db/database.ts';
import { median } from './measure.ts';
import { sized } from './size.ts';

/** Debian's paths of pgbench. */
const CANDIDATES = [
  '/usr/lib/postgresql/18/bin/pgbench',
  '/usr/lib/postgresql/15/bin/pgbench',
  '/usr/bin/pgbench',
];
const SCALE = sized(50, 1);
const CLIENTS = sized(16, 2);

export interface Baseline {
  /** Transactions a second. */
  readonly tps: number;
  /** Busy time of the whole machine for each transaction, `pgbench` included. */
  readonly cpuUs: number;
}

/** Medians of several. */
export const baselineOf = (all: readonly Baseline[]): Baseline => ({
  tps: median(all.map(({ tps }) => tps)),
  cpuUs: median(all.map(({ cpuUs }) => cpuUs)),
});

const busyNow = () =>
  cpus().reduce((sum, { times }) => sum + (times.user + times.nice + times.sys + times.irq) * 1000, 0);

/**
 * The baseline: `pgbench`, TPC-B-like, scale 50, 16 clients, prepared statements, in its own database on the measured server. One
 * transaction moves one amount between three balances and a journal.
 */
export class Tpcb {
  readonly #program: string;
  readonly #args: readonly string[];

  private constructor(program: string, args: readonly string[]) {
    this.#program = program;
    this.#args = args;
  }

  static async open(database: DatabaseAddress): Promise<Tpcb> {
    const program = CANDIDATES.find((path) => existsSync(path));
    if (!program) throw new Error('pgbench is missing: apt-get install postgresql-15');
    const host = database.embedded?.socketDir;
    if (!host) throw new Error('the baseline is measured on the embedded server');
    const client = new pg.Client({ host, user: 'postgres', database: 'postgres' });
    await client.connect();
    await client.query('create database tpcb');
    await client.end();
    const tpcb = new Tpcb(program, ['-h', host, '-U', 'postgres']);
    tpcb.#run(['-i', '-q', '-s', String(SCALE), 'tpcb']);
    return tpcb;
  }

  measure(seconds: number): Baseline {
    const busyUs = busyNow();
    const output = this.#run([
      '-n',
      '-M',
      'prepared',
      '-c',
      String(CLIENTS),
      '-j',
      '2',
      '-T',
      String(seconds),
      'tpcb',
    ]);
    const tps = Number(/^tps = ([\d.]+)/m.exec(output)?.[1]);
    const transactions = Number(/^number of transactions actually processed: (\d+)/m.exec(output)?.[1]);
    if (!(tps > 0 && transactions > 0)) throw new Error(`pgbench said no rate:\n${output}`);
    return { tps, cpuUs: (busyNow() - busyUs) / transactions };
  }

  #run(args: readonly string[]): string {
    const done = spawnSync(this.#program, [...this.#args, ...args], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`pgbench failed:\n${done.stderr}`);
    return done.stdout;
  }
}
