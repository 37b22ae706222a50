import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from '../waiting/until.ts';
import { blockOfPage, changed } from './availability-page.ts';
import { asPostgres } from './debian-postgres.ts';
import { Etcd } from './etcd.ts';
import { childrenOf, freePort, killAndWait, signalAll } from './processes.ts';

/** One machine of the cluster: on loopback, with its own address, disk and processes. */
export interface Machine {
  readonly name: string;
  readonly address: string;
  readonly sqlPort: number;
  readonly restPort: number;
  /** The machine's only folder: deleted when the machine is lost. */
  readonly disk: string;
}

const BINARIES = '/usr/lib/postgresql/15/bin';
const MACHINES = 3;

const PASSWORD = 'only for tests';

/** Debian's Patroni and etcd on three machines, and HAProxy, which leads to the primary, by the page on high availability. */
export class Cluster {
  readonly machines: readonly Machine[];
  /** The server's database URL: leads to the current primary. */
  readonly url: string;
  readonly #home: string;
  readonly etcd: Etcd;
  readonly #isSynchronous: boolean;
  readonly #helpers: ChildProcess[] = [];
  readonly #patronis = new Map<string, ChildProcess>();

  private constructor(parts: {
    home: string;
    machines: readonly Machine[];
    etcd: { client: number; peer: number };
    port: number;
    isSynchronous: boolean;
  }) {
    this.#home = parts.home;
    this.machines = parts.machines;
    this.etcd = new Etcd(parts.home, parts.etcd, this.#spawn.bind(this));
    this.#isSynchronous = parts.isSynchronous;
    this.url = `postgres://fairtick_owner:${encodeURIComponent(PASSWORD)}@127.0.0.1:${parts.port}/fairtick`;
  }

  /** @param options.isSynchronous false plants a defect: a primary that waits for no replica */
  static async open(options: { isSynchronous: boolean } = { isSynchronous: true }): Promise<Cluster> {
    for (const program of [
      `${BINARIES}/postgres`,
      '/usr/bin/patroni',
      '/usr/bin/etcd',
      '/usr/bin/etcdctl',
      '/usr/sbin/haproxy',
    ]) {
      if (!existsSync(program))
        throw new Error(
          `${program} is missing: install postgresql-15, patroni, etcd-server, etcd-client, haproxy`,
        );
    }
    const home = mkdtempSync(join(tmpdir(), 'fairtick-patroni-'));
    const machines: Machine[] = [];
    for (let number = 1; number <= MACHINES; number += 1) {
      const disk = join(home, `disk${number}`);
      const [sqlPort, restPort] = [await freePort(), await freePort()];
      machines.push({ name: `m${number}`, address: `127.0.0.${10 + number}`, sqlPort, restPort, disk });
    }
    const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
    const cluster = new Cluster({ home, machines, etcd: { client, peer }, port, ...options });
    own(home);
    await cluster.etcd.start();
    cluster.#startProxy(port);
    // One after the other, so that the first creates the cluster and the others copy it.
    for (const machine of machines) {
      cluster.start(machine);
      await until(async () => (await cluster.#roleOf(machine)) !== null, 90_000);
    }
    await cluster.untilWhole(MACHINES, 90_000);
    await cluster.#makeDatabase();
    return cluster;
  }

  /** Starts a machine; one with an empty disk copies the primary. */
  start(machine: Machine): void {
    mkdirSync(machine.disk, { recursive: true });
    const file = join(machine.disk, 'patroni.yml');
    writeFileSync(file, this.#configuration(machine));
    own(machine.disk);
    this.#patronis.set(
      machine.name,
      this.#spawn('/usr/bin/patroni', [file], join(this.#home, `${machine.name}.log`)),
    );
  }

  /** The machine that reports itself as primary and holds the leader's key. */
  async primary(): Promise<Machine | null> {
    for (const machine of this.machines) if ((await this.#roleOf(machine)) === 'primary') return machine;
    return null;
  }

  /** What each machine reports itself as, and the last lines of its Patroni: for the error of a wait that ends in vain. */
  async report(): Promise<string> {
    const parts = this.machines.map(async (machine) => {
      const lines = readFileSync(join(this.#home, `${machine.name}.log`), 'utf8')
        .trimEnd()
        .split('\n');
      return `${machine.name}: ${await this.#roleOf(machine)}\n${lines.slice(-40).join('\n')}`;
    });
    return (await Promise.all(parts)).join('\n');
  }

  /** Waits for a primary with `count - 1` replicas, one of them synchronous. */
  async untilWhole(count: number, withinMs: number): Promise<void> {
    await until(async () => {
      const primary = await this.primary();
      if (!primary) return false;
      const states = await this.ask<{ sync_state: string }>(
        primary,
        `select sync_state from pg_stat_replication where state = 'streaming'`,
      );
      const isConfirmed = !this.#isSynchronous || states.some(({ sync_state: state }) => state === 'sync');
      return states.length === count - 1 && isConfirmed;
    }, withinMs);
  }

  /** Queries one machine directly, past the proxy. */
  async ask<R extends pg.QueryResultRow>(
    machine: Machine,
    statement: string,
    timeoutMs = 5_000,
  ): Promise<R[]> {
    const client = new pg.Client({
      host: machine.address,
      port: machine.sqlPort,
      user: 'postgres',
      password: PASSWORD,
      database: 'postgres',
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<R>(statement)).rows;
    } finally {
      void client.end();
    }
  }

  /** What Prometheus reads: the metrics of each machine's Patroni, and of etcd. */
  async metrics(): Promise<string[]> {
    const hosts = [
      ...this.machines.map(({ address, restPort }) => `${address}:${restPort}`),
      this.etcd.addresses[0],
    ];
    return Promise.all(hosts.map(async (host) => (await fetch(`http://${host}/metrics`)).text()));
  }

  /** Freezes the primary's replication connections, as may happen in the last moments of a machine. */
  stallReplication(machine: Machine): void {
    const senders = childrenOf(this.#postmasterOf(machine)).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('walsender'),
    );
    if (senders.length === 0) throw new Error(`${machine.name} sends to nobody`);
    signalAll(senders, 'SIGSTOP');
  }

  /** All processes of a machine, for stopping and killing. */
  processesOf(machine: Machine): number[] {
    const patroni = this.#patronis.get(machine.name);
    const postmaster = this.#postmasterOf(machine);
    const pids = [
      patroni?.pid as number,
      ...childrenOf(patroni?.pid as number),
      postmaster,
      ...childrenOf(postmaster),
    ];
    return [...new Set(pids)];
  }

  /** Loses the machine: kills all its processes at once and deletes its disk. */
  async lose(machine: Machine): Promise<void> {
    await killAndWait(this.processesOf(machine));
    rmSync(machine.disk, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    for (const machine of this.machines) {
      if (existsSync(join(machine.disk, 'data/postmaster.pid'))) await killAndWait(this.processesOf(machine));
      else await killAndWait([this.#patronis.get(machine.name)?.pid as number]);
    }
    await this.etcd.close();
    await killAndWait(this.#helpers.map(({ pid }) => pid as number));
    rmSync(this.#home, { recursive: true, force: true });
  }

  #postmasterOf({ disk }: Machine): number {
    return Number.parseInt(readFileSync(join(disk, 'data/postmaster.pid'), 'utf8'), 10);
  }

  async #roleOf({ address, restPort }: Machine): Promise<'primary' | 'replica' | null> {
    for (const role of ['primary', 'replica'] as const) {
      const answer = await fetch(`http://${address}:${restPort}/${role}`, {
        signal: AbortSignal.timeout(1_000),
      }).catch(() => null);
      if (answer?.ok) return role;
    }
    return null;
  }

  /** The file of the page, without TLS, and without the watchdog where the kernel has none. */
  #configuration({ name, address, sqlPort, restPort, disk }: Machine): string {
    const hasWatchdog = existsSync('/dev/watchdog');
    return changed(blockOfPage('scope: fairtick'), {
      'name: m1': `name: ${name}`,
      '10.0.0.1:2379, 10.0.0.2:2379, 10.0.0.3:2379': this.etcd.addresses.join(', '),
      '10.0.0.1:8008': `${address}:${restPort}`,
      '10.0.0.1:5432': `${address}:${sqlPort}`,
      '10.0.0.0/24': '127.0.0.0/8',
      hostssl: 'host',
      '…': `'${PASSWORD}'`,
      'data_dir: /var/lib/postgresql/15/fairtick': `data_dir: ${disk}/data
  pgpass: ${disk}/pgpass
  parameters: { unix_socket_directories: ${disk} }`,
      ...(!hasWatchdog && { 'mode: required': `mode: 'off'` }),
      ...(!this.#isSynchronous && {
        'synchronous_mode: true': 'synchronous_mode: false',
        'synchronous_mode_strict: true': 'synchronous_mode_strict: false',
      }),
    });
  }

  /**
   * Starts HAProxy, which asks each machine's Patroni whether it is primary; a machine that no longer is has all its connections
   * cut.
   */
  #startProxy(port: number): void {
    const servers = this.machines.map(({ address, sqlPort, restPort }, place) => [
      `10.0.0.${place + 1}:5432 check port 8008`,
      `${address}:${sqlPort} check port ${restPort}`,
    ]);
    const file = join(this.#home, 'haproxy.cfg');
    const page = blockOfPage('defaults\n  mode tcp');
    writeFileSync(
      file,
      changed(page, { '127.0.0.1:5432': `127.0.0.1:${port}`, ...Object.fromEntries(servers) }),
    );
    this.#helpers.push(
      this.#spawn('/usr/sbin/haproxy', ['-db', '-f', file], join(this.#home, 'haproxy.log')),
    );
  }

  #spawn(
    program: string,
    args: readonly string[],
    logFile: string,
    environment: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    const script = 'exec "$0" "$@" >>"$LOG" 2>&1';
    return spawn('/bin/sh', ['-c', script, program, ...args], {
      ...postgresUser(),
      cwd: this.#home,
      env: { PATH: process.env.PATH, LOG: logFile, LC_ALL: 'C.UTF-8', ...environment },
      stdio: 'ignore',
    });
  }

  /** Types the page's statements on the primary, as the system's user `postgres`. */
  async #makeDatabase(): Promise<void> {
    await until(async () => (await this.primary()) !== null);
    const { disk, sqlPort } = (await this.primary()) as Machine;
    const statements = changed(blockOfPage('create role fairtick_owner'), { '…': PASSWORD });
    const commands = statements
      .trim()
      .split('\n')
      .flatMap((statement) => ['-c', statement]);
    asPostgres('/usr/bin/psql', ['-q', '-h', disk, '-p', String(sqlPort), ...commands]);
  }
}

/** PostgreSQL refuses to run as root, so everything runs as the user that Debian creates for it. */
function postgresUser(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function own(path: string): void {
  execFileSync('chown', ['-R', 'postgres:', path]);
}
