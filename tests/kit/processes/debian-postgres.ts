import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { freePort } from './processes.ts';

const BIN = '/usr/lib/postgresql/15/bin';

/** Installs missing Debian packages where that is allowed. @throws Error that says what to install */
export function ensurePackages(program: string, ...packages: readonly string[]): void {
  if (existsSync(program)) return;
  if (process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0) {
    const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
    spawnSync('apt-get', ['update', '-qq'], options);
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
    if (existsSync(program)) return;
  }
  throw new Error(`this needs Debian's ${packages.join(' and ')}: install as root`);
}

/** Runs a program as the user `postgres`. @throws Error with its output when it fails */
export function asPostgres(program: string, args: readonly string[]): string {
  const done = spawnSync(
    'setpriv',
    ['--reuid=postgres', '--regid=postgres', '--init-groups', program, ...args],
    {
      encoding: 'utf8',
      cwd: '/',
    },
  );
  if (done.status !== 0) {
    throw new Error(`${program} ${args.join(' ')}: ${done.stderr || done.stdout || done.error?.message}`);
  }
  return done.stdout;
}

/** Debian's PostgreSQL 15, as an operator has it; only an owner role and a database are added to it. */
export class DebianPostgres {
  readonly folder = mkdtempSync(join(tmpdir(), 'fairtick-postgres-15-'));
  readonly cluster = join(this.folder, 'data');
  readonly port: number;

  private constructor(port: number) {
    this.port = port;
  }

  static async create(): Promise<DebianPostgres> {
    const server = await DebianPostgres.#empty();
    asPostgres(join(BIN, 'initdb'), ['-D', server.cluster, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']);
    return server;
  }

  /** A streaming standby of this server, which has to run; it is not started yet. @param port by which it reaches this server */
  async standby(port = this.port): Promise<DebianPostgres> {
    const server = await DebianPostgres.#empty();
    const source = `host=127.0.0.1 port=${port} user=postgres`;
    asPostgres(join(BIN, 'pg_basebackup'), ['-D', server.cluster, '-d', source, '-R', '-c', 'fast']);
    return server;
  }

  static async #empty(): Promise<DebianPostgres> {
    ensurePackages(join(BIN, 'initdb'), 'postgresql-15');
    const server = new DebianPostgres(await freePort());
    chmodSync(server.folder, 0o755);
    mkdirSync(join(server.folder, 'own'));
    spawnSync('chown', ['postgres:postgres', server.folder, join(server.folder, 'own')]);
    return server;
  }

  /** @param settings PostgreSQL settings by name */
  start(settings: Readonly<Record<string, string>> = {}): void {
    const all = { listen_addresses: '127.0.0.1', unix_socket_directories: this.folder, ...settings };
    const options = Object.entries(all).map(([name, value]) => `-c ${name}='${value}'`);
    const log = join(this.folder, 'postgres.log');
    const args = [
      '-D',
      this.cluster,
      '-l',
      log,
      '-w',
      '-t',
      '120',
      '-o',
      `-p ${this.port} ${options.join(' ')}`,
      'start',
    ];
    asPostgres(join(BIN, 'pg_ctl'), args);
  }

  stop(mode: 'fast' | 'immediate' = 'fast'): void {
    if (existsSync(join(this.cluster, 'postmaster.pid'))) {
      asPostgres(join(BIN, 'pg_ctl'), ['-D', this.cluster, '-w', '-m', mode, 'stop']);
    }
  }

  get admin(): pg.ClientConfig {
    return { host: '127.0.0.1', port: this.port, user: 'postgres', database: 'postgres' };
  }

  /** Connects as the owner of the server's database, who is not a superuser. */
  get address(): pg.ClientConfig {
    return { ...this.admin, user: 'fairtick_owner', database: 'fairtick' };
  }

  get url(): string {
    return `postgres://fairtick_owner@127.0.0.1:${this.port}/fairtick`;
  }

  close(): void {
    this.stop('immediate');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
