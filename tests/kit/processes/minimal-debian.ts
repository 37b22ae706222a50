import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf } from './processes.ts';

export type Suite = 'bookworm' | 'trixie';
export type User = 'root' | 'nobody';
const NUMBERS: Readonly<Record<User, number>> = { root: 0, nobody: 65_534 };

/** Of the machine's line to the registry; everything else is as it is for a new user. */
const LINE = /^(npm_config_(registry|cafile)|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy)$/i;
const line = Object.fromEntries(Object.entries(process.env).filter(([name]) => LINE.test(name)));
/** The first process of a namespace mounts what a container has, and becomes the command. */
const INSIDE = `root=$0; user=$1; dir=$2; shift 2
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
exec chroot --userspec="$user" "$root" env -i --chdir="$dir" "$@"`;

/**
 * Debian as the smallest images have it (`debootstrap --variant=minbase`), with a Node and an npm: no compiler, no git, no fonts, no browser.
 * Needs root, the package `debootstrap` and the registries of Debian and npm.
 */
export class MinimalDebian {
  readonly root: string;

  /** @param root a folder that does not exist yet */
  constructor(root: string) {
    this.root = root;
  }

  static make(root: string, suite: Suite): MinimalDebian {
    execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', suite, root], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    // Names and certificates as this machine has them.
    const own = ['/etc/hosts', '/etc/resolv.conf', '/etc/ssl/certs/ca-certificates.crt'];
    for (const file of [...own, line.NODE_EXTRA_CA_CERTS, line.npm_config_cafile])
      if (file !== undefined && existsSync(file)) cpSync(file, join(root, file), { dereference: true });
    return new MinimalDebian(root);
  }

  copy(root: string): MinimalDebian {
    execFileSync('cp', ['-a', this.root, root]);
    return new MinimalDebian(root);
  }

  /** @param tools a folder with the packages `node-VERSION` and `npm-VERSION` */
  putNode(tools: string, node: string, npm: string): void {
    const local = join(this.root, 'usr/local');
    cpSync(join(tools, `node-${node}/bin/node`), join(local, 'bin/node'));
    cpSync(join(tools, `npm-${npm}`), join(local, 'lib/npm'), { recursive: true });
    symlinkSync('../lib/npm/bin/npm-cli.js', join(local, 'bin/npm'));
    execFileSync('chmod', ['+x', join(local, 'lib/npm/bin/npm-cli.js')]);
  }

  /** Runs a command as the first process of a container. */
  spawn(
    user: User,
    dir: string,
    command: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Contained {
    const home = `/home/${user}`;
    mkdirSync(join(this.root, home), { recursive: true });
    // Later the folder may hold files of other users, such as those of a database.
    if (statSync(join(this.root, home)).uid !== NUMBERS[user])
      execFileSync('chown', ['-R', user, join(this.root, home)]);
    const settings = {
      ...line,
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
      HOME: home,
      ...environment,
    };
    const values = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    const group = user === 'root' ? 'root' : 'nogroup';
    const within = ['--mount', '--pid', '--fork', '--kill-child', 'bash', '-ec', INSIDE, this.root];
    const args = [...within, `${user}:${group}`, dir, ...values, ...command];
    return new Contained(spawn('unshare', args, { detached: true }));
  }
}

/** A command in its container, with all that it starts. */
export class Contained {
  readonly ended: Promise<number | null>;
  readonly #outside: ChildProcess;
  #output = '';

  constructor(outside: ChildProcess) {
    this.#outside = outside;
    for (const stream of [outside.stdout, outside.stderr])
      stream?.on('data', (data) => {
        this.#output += String(data);
      });
    this.ended = new Promise((resolve) => outside.once('close', resolve));
  }

  get isRunning(): boolean {
    return this.#outside.exitCode === null && this.#outside.signalCode === null;
  }

  output(): string {
    return this.#output;
  }

  /** A Ctrl-C at a terminal reaches all processes. */
  interrupt(): void {
    if (this.isRunning) process.kill(-(this.#outside.pid as number), 'SIGINT');
  }

  /** A service manager or `docker stop` tells the first process alone. */
  terminate(): void {
    this.#signalFirst('SIGTERM');
  }

  /** Ends everything at once, as a power cut does: with its first process a namespace loses all others. */
  async cut(): Promise<void> {
    this.#signalFirst('SIGKILL');
    await this.ended;
  }

  #signalFirst(signal: NodeJS.Signals): void {
    const [first] = childrenOf(this.#outside.pid as number);
    if (first !== undefined) process.kill(first, signal);
  }
}
