import { type ChildProcess, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../waiting/until.ts';
import { blockOfPage, changed } from './availability-page.ts';
import { killAndWait } from './processes.ts';

/** Starts a program as the user of the cluster, with an environment; its output goes to a file. */
export type Spawn = (
  program: string,
  args: readonly string[],
  logFile: string,
  environment?: Readonly<Record<string, string>>,
) => ChildProcess;

/** The three members of etcd, as the page on high availability makes them: m1 to m3 at 127.0.0.11 to 127.0.0.13. */
export class Etcd {
  readonly #home: string;
  readonly #ports: { readonly '2379': string; readonly '2380': string };
  readonly #spawn: Spawn;
  readonly #members = new Map<string, ChildProcess>();

  constructor(home: string, { client, peer }: { client: number; peer: number }, spawn: Spawn) {
    this.#home = home;
    this.#ports = { '2379': String(client), '2380': String(peer) };
    this.#spawn = spawn;
  }

  /** HOST:PORT of each member for clients. */
  get addresses(): string[] {
    return [1, 2, 3].map((number) => `127.0.0.1${number}:${this.#ports['2379']}`);
  }

  async start(): Promise<void> {
    for (const number of [1, 2, 3]) {
      const own = blockOfPage('ETCD_NAME=m1')
        .split('\n')
        .map((line) =>
          line.startsWith('ETCD_INITIAL_CLUSTER=')
            ? line
            : line.replace('NAME=m1', `NAME=m${number}`).replace('10.0.0.1', `10.0.0.${number}`),
        )
        .join('\n');
      mkdirSync(join(this.#home, 'etcd', `m${number}`), { recursive: true });
      writeFileSync(this.#file(`m${number}`), changed(own, { '10.0.0.': '127.0.0.1', ...this.#ports }));
    }
    execFileSync('chown', ['-R', 'postgres:', join(this.#home, 'etcd')]);
    for (const name of ['m1', 'm2', 'm3']) this.#run(name);
    await until(() => this.healthy() === 3);
  }

  /** How many members answer, all of them asked through the first two. */
  healthy(): number {
    const args = ['endpoint', 'health', '--cluster', '--write-out=json', '--dial-timeout=1s'];
    const environment = {
      ...process.env,
      ETCDCTL_API: '3',
      ETCDCTL_ENDPOINTS: this.addresses.slice(0, 2).join(','),
    };
    try {
      const text = execFileSync('etcdctl', args, { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
      return (JSON.parse(String(text)) as { health: boolean }[]).filter(({ health }) => health).length;
    } catch (error) {
      // It fails when one member does not answer, and still names the others.
      const { stdout } = error as { stdout?: Buffer };
      const text = String(stdout ?? '').trim();
      return text === ''
        ? 0
        : (JSON.parse(text) as { health: boolean }[]).filter(({ health }) => health).length;
    }
  }

  /** Loses the member m3 with its disk. */
  async lose(): Promise<void> {
    await killAndWait([this.#members.get('m3')?.pid as number]);
    rmSync(this.#data('m3'), { recursive: true });
  }

  /** Starts the lost member with the file that it had. @returns whether it ended */
  async startUnchanged(): Promise<boolean> {
    const member = this.#run('m3');
    await until(() => member.exitCode !== null || this.healthy() === 3);
    rmSync(this.#data('m3'), { recursive: true, force: true });
    return member.exitCode !== null;
  }

  /** Types the lines of the page that replace the member. */
  async replace(): Promise<void> {
    const [add, restart] = [blockOfPage('export ETCDCTL_API'), blockOfPage('systemctl stop etcd\nrm')];
    this.#type(changed(add, { '10.0.0.': '127.0.0.1', ...this.#ports }));
    // No systemd is here: the member has ended, and is started below.
    const places = { '/var/lib/etcd/default': this.#data('m3'), '/etc/default/etcd': this.#file('m3') };
    this.#type(changed(restart, { 'systemctl stop etcd': '', 'systemctl start etcd': '', ...places }));
    this.#run('m3');
    await until(() => this.healthy() === 3);
  }

  async close(): Promise<void> {
    await killAndWait([...this.#members.values()].map(({ pid }) => pid as number));
  }

  #type(lines: string): void {
    execFileSync('bash', ['-euo', 'pipefail', '-c', lines], { stdio: ['ignore', 'pipe', 'pipe'] });
  }

  #run(name: string): ChildProcess {
    const lines = readFileSync(this.#file(name), 'utf8').trim().split('\n');
    const settings = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
    const data = this.#data(name);
    if (!existsSync(data)) mkdirSync(data, { mode: 0o700 });
    execFileSync('chown', ['-R', 'postgres:', data]);
    const log = join(this.#home, `etcd-${name}.log`);
    const member = this.#spawn('/usr/bin/etcd', [], log, { ...settings, ETCD_DATA_DIR: data });
    this.#members.set(name, member);
    return member;
  }

  #data = (name: string): string => join(this.#home, 'etcd', name, 'default');
  #file = (name: string): string => join(this.#home, 'etcd', name, 'settings');
}
