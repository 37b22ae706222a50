import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../waiting/until.ts';
import { ensurePackages } from './debian-postgres.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Services of this machine that a copy of it would start as well. */
const FOREIGN = [
  'haproxy',
  'prometheus',
  'prometheus-alertmanager',
  'prometheus-blackbox-exporter',
  'prometheus-node-exporter',
  'postgresql',
  'etcd',
  'patroni',
  'avahi-daemon',
];

/**
 * A container with this machine's own Debian, booted by systemd, with the project at /opt/fairtick. Both are overlays: the machine
 * and the project stay as they are. The container has a network of its own with loopback only.
 */
export class SystemdMachine {
  readonly #folder = mkdtempSync(join(tmpdir(), 'fairtick-systemd-'));
  readonly #root = join(this.#folder, 'root');
  readonly #mounted: string[] = [];
  #container: ChildProcess | null = null;
  #leader = 0;

  /** @param npm the version of npm that everybody has there; null: this machine's */
  static async boot(npm: string | null): Promise<SystemdMachine> {
    ensurePackages('/usr/bin/systemd-nspawn', 'systemd-container');
    const machine = new SystemdMachine();
    try {
      await machine.#boot(npm);
      return machine;
    } catch (error) {
      await machine.close();
      throw error;
    }
  }

  async #boot(npm: string | null): Promise<void> {
    this.#overlay('/', 'root');
    if (npm !== null) this.#installNpm(npm);
    const units = join(this.#root, 'etc/systemd/system');
    for (const name of FOREIGN) {
      rmSync(join(units, `${name}.service`), { force: true });
      symlinkSync('/dev/null', join(units, `${name}.service`));
    }
    mkdirSync(join(this.#root, 'opt/fairtick'), { recursive: true });
    this.#overlay(ROOT, 'project', join(this.#root, 'opt/fairtick'));
    const log = openSync(join(this.#folder, 'console'), 'w');
    const args = [
      '-D',
      this.#root,
      '--register=no',
      '--keep-unit',
      '--private-network',
      '--rlimit=RLIMIT_NOFILE=524288',
      '-b',
    ];
    this.#container = spawn('systemd-nspawn', [...args, 'systemd.unit=multi-user.target'], {
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    await until(() => {
      const { stdout } = spawnSync('pgrep', ['-P', String(this.#container?.pid)], { encoding: 'utf8' });
      this.#leader = Number(stdout.trim());
      return this.#leader > 0 && this.#run('systemctl is-active multi-user.target').status === 0;
    });
  }

  /** As `npm install --global` does: the container itself reaches no registry. */
  #installNpm(version: string): void {
    const prefix = join(this.#root, 'usr/local');
    const installed = spawnSync('npm', ['install', '--global', '--prefix', prefix, `npm@${version}`], {
      encoding: 'utf8',
    });
    if (installed.status !== 0) throw new Error(`npm ${version} can't be installed: ${installed.stderr}`);
  }

  #overlay(lower: string, name: string, at = join(this.#folder, name)): void {
    const [upper, work] = ['up', 'work'].map((part) => join(this.#folder, `${name}.${part}`)) as [
      string,
      string,
    ];
    for (const folder of [upper, work, at]) mkdirSync(folder, { recursive: true });
    const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
    const done = spawnSync('mount', ['-t', 'overlay', 'overlay', '-o', options, at], { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`no overlay here: ${done.stderr}`);
    this.#mounted.unshift(at);
  }

  #run(script: string) {
    const args = ['-t', String(this.#leader), '-m', '-u', '-i', '-n', '-p', '-C', 'bash', '-c', script];
    // The environment of a login, not the test's.
    const env = {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      LANG: 'C.UTF-8',
    };
    return spawnSync('nsenter', args, { encoding: 'utf8', env, maxBuffer: 64 * 1024 * 1024 });
  }

  /** Runs a script as root in the container. @returns its output @throws Error with its output when it fails */
  root(script: string): string {
    const { status, stdout, stderr } = this.#run(`set -e\n${script}`);
    if (status !== 0) throw new Error(`${script}\nended with ${status}: ${stdout}${stderr}`);
    return stdout.trim();
  }

  /** Whether the script succeeds. */
  succeeds(script: string): boolean {
    return this.#run(script).status === 0;
  }

  /** What the container's console showed. */
  console(): string {
    return readFileSync(join(this.#folder, 'console'), 'utf8');
  }

  async close(): Promise<void> {
    if (this.#container?.pid !== undefined && this.#container.exitCode === null) {
      const ended = new Promise((resolve) => this.#container?.once('exit', resolve));
      // systemd-nspawn powers the container off when it is told to stop.
      process.kill(this.#container.pid, 'SIGTERM');
      await ended;
    }
    for (const at of this.#mounted) spawnSync('umount', ['-l', at]);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
