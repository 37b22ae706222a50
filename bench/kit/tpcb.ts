import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import pg from 'pg';
import type { DatabaseAddress } from '../../apps/server/src/platform/db/database.ts';
import { sized } from './size.ts';

/** Debian's paths of pgbench. */
const CANDIDATES = [
  '/usr/lib/postgresql/18/bin/pgbench',
  '/usr/lib/postgresql/15/bin/pgbench',
  '/usr/bin/pgbench',
];
const SCALE = sized(50, 1);
const CLIENTS = sized(16, 2);

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

  /** Transactions per second. */
  measure(seconds: number): number {
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
    if (!(tps > 0)) throw new Error(`pgbench said no rate:\n${output}`);
    return tps;
  }

  #run(args: readonly string[]): string {
    const done = spawnSync(this.#program, [...this.#args, ...args], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`pgbench failed:\n${done.stderr}`);
    return done.stdout;
  }
}
