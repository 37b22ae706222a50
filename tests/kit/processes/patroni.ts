import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from '../waiting/until.ts';
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

/** The cluster's shared configuration; the page on high availability gives the reasons. */
const AGREED = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 5,
  maximum_lag_on_failover: 1_048_576,
  primary_start_timeout: 0,
  synchronous_mode: true,
  synchronous_mode_strict: true,
  synchronous_node_count: 1,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    parameters: {
      max_connections: 200,
      synchronous_commit: 'on',
      restart_after_crash: 'off',
      wal_log_hints: 'on',
      tcp_keepalives_idle: 5,
      tcp_keepalives_interval: 3,
      tcp_keepalives_count: 3,
      wal_sender_timeout: '5s',
      wal_receiver_timeout: '5s',
    },
    pg_hba: [
      'local all all trust',
      'host all all 127.0.0.0/8 trust',
      'host replication all 127.0.0.0/8 trust',
    ],
  },
};

/** Debian's Patroni on three machines, etcd beside it, and HAProxy, which leads to the primary. */
export class Cluster {
  readonly machines: readonly Machine[];
  /** The server's database URL: leads to the current primary. */
  readonly url: string;
  readonly #home: string;
  readonly #etcd: string;
  readonly #isSynchronous: boolean;
  readonly #helpers: ChildProcess[] = [];
  readonly #patronis = new Map<string, ChildProcess>();

  private constructor(parts: {
    home: string;
    machines: readonly Machine[];
    etcd: string;
    port: number;
    isSynchronous: boolean;
  }) {
    this.#home = parts.home;
    this.machines = parts.machines;
    this.#etcd = parts.etcd;
    this.#isSynchronous = parts.isSynchronous;
    this.url = `postgres://fairtick_owner@127.0.0.1:${parts.port}/fairtick`;
  }

  /** @param options.isSynchronous false plants a defect: a primary that waits for no replica */
  static async open(options: { isSynchronous: boolean } = { isSynchronous: true }): Promise<Cluster> {
    for (const program of [
      `${BINARIES}/postgres`,
      '/usr/bin/patroni',
      '/usr/bin/etcd',
      '/usr/sbin/haproxy',
    ]) {
      if (!existsSync(program))
        throw new Error(`${program} is missing: install postgresql-15, patroni, etcd-server, haproxy`);
    }
    const home = mkdtempSync(join(tmpdir(), 'fairtick-patroni-'));
    const machines: Machine[] = [];
    for (let number = 1; number <= MACHINES; number += 1) {
      const disk = join(home, `disk${number}`);
      const [sqlPort, restPort] = [await freePort(), await freePort()];
      machines.push({ name: `m${number}`, address: `127.0.0.${10 + number}`, sqlPort, restPort, disk });
    }
    const [etcd, peer, port] = [await freePort(), await freePort(), await freePort()];
    const cluster = new Cluster({ home, machines, etcd: `127.0.0.1:${etcd}`, port, ...options });
    cluster.#startEtcd(etcd, peer);
    cluster.#startProxy(port);
    own(home);
    // One after the other, so that the first creates the cluster and the others copy it.
    for (const machine of machines) {
      cluster.start(machine);
      await until(async () => (await cluster.#roleOf(machine)) !== null, 90_000);
    }
    await cluster.untilWhole(MACHINES, 90_000);
    await cluster.#makeDatabase(port);
    return cluster;
  }

  /** Starts a machine; one with an empty disk copies the primary. */
  start(machine: Machine): void {
    mkdirSync(machine.disk, { recursive: true });
    const file = join(machine.disk, 'patroni.yml');
    writeFileSync(file, JSON.stringify(this.#configuration(machine)));
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
    const hosts = [...this.machines.map(({ address, restPort }) => `${address}:${restPort}`), this.#etcd];
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

  #configuration({ name, address, sqlPort, restPort, disk }: Machine): object {
    const dcs = this.#isSynchronous
      ? AGREED
      : { ...AGREED, synchronous_mode: false, synchronous_mode_strict: false };
    return {
      scope: 'fairtick',
      name,
      restapi: { listen: `${address}:${restPort}`, connect_address: `${address}:${restPort}` },
      etcd3: { host: this.#etcd },
      bootstrap: { dcs, initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'] },
      postgresql: {
        listen: `${address}:${sqlPort}`,
        connect_address: `${address}:${sqlPort}`,
        data_dir: join(disk, 'data'),
        bin_dir: BINARIES,
        authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
        parameters: { unix_socket_directories: disk },
        pgpass: join(disk, 'pgpass'),
        // Otherwise a copy first waits for a checkpoint that is spread over minutes.
        basebackup: [{ checkpoint: 'fast' }],
      },
    };
  }

  #startEtcd(port: number, peerPort: number): void {
    const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
    const addresses = { 'listen-client-urls': client, 'advertise-client-urls': client };
    const peers = { 'listen-peer-urls': peer, 'initial-advertise-peer-urls': peer };
    const options = { name: 'e1', 'data-dir': join(this.#home, 'etcd'), 'initial-cluster': `e1=${peer}` };
    const args = Object.entries({ ...options, ...addresses, ...peers }).flatMap(([name, value]) => [
      `--${name}`,
      value,
    ]);
    mkdirSync(join(this.#home, 'etcd'), { mode: 0o700 });
    own(this.#home);
    this.#helpers.push(this.#spawn('/usr/bin/etcd', args, join(this.#home, 'etcd.log')));
  }

  /**
   * Starts HAProxy, which asks each machine's Patroni whether it is primary; a machine that no longer is has all its connections
   * cut.
   */
  #startProxy(port: number): void {
    const servers = this.machines.map(
      ({ name, address, sqlPort, restPort }) =>
        `  server ${name} ${address}:${sqlPort} check addr ${address} port ${restPort}`,
    );
    const file = join(this.#home, 'haproxy.cfg');
    writeFileSync(
      file,
      `defaults
  mode tcp
  timeout connect 2s
  timeout check 1s
  timeout client 30m
  timeout server 30m
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
    );
    this.#helpers.push(
      this.#spawn('/usr/sbin/haproxy', ['-db', '-f', file], join(this.#home, 'haproxy.log')),
    );
  }

  #spawn(program: string, args: readonly string[], logFile: string): ChildProcess {
    const script = 'exec "$0" "$@" >>"$LOG" 2>&1';
    return spawn('/bin/sh', ['-c', script, program, ...args], {
      ...postgresUser(),
      cwd: this.#home,
      env: { PATH: process.env.PATH, LOG: logFile, LC_ALL: 'C.UTF-8' },
      stdio: 'ignore',
    });
  }

  async #makeDatabase(port: number): Promise<void> {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
    await until(async () => (await this.primary()) !== null);
    await client.connect();
    await client.query('create role fairtick_owner login createrole');
    await client.query('create database fairtick owner fairtick_owner');
    await client.end();
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
