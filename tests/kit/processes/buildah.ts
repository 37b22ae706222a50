import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Contained } from './minimal-debian.ts';
import { childrenOf } from './processes.ts';

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** The part of an image's settings that tests read. */
export interface ImageConfig {
  readonly User: string;
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
  readonly Env: readonly string[];
}

/** Builds and runs images without a daemon, and keeps them in a folder. Needs root and the packages `buildah` and `debootstrap`. */
export class Buildah {
  readonly #folder: string;
  readonly #storage: readonly string[];

  /** @param folder on a disk with some GB */
  constructor(folder: string) {
    this.#folder = folder;
    const [root, run] = [join(folder, 'images'), join(folder, 'run')];
    this.#storage = ['--storage-driver', 'vfs', '--root', root, '--runroot', run];
  }

  /** @throws Error with its last lines, when it fails */
  done(...args: readonly string[]): string {
    return execFileSync('buildah', [...this.#storage, ...args], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  /** An image as the official ones of Node are for what a Dockerfile uses: a minimal Debian with node and npm below `/usr/local`. */
  makeBase(name: string, { suite, node, npm }: { suite: string; node: string; npm: string }): void {
    const debian = join(this.#folder, 'debian');
    execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', suite, debian], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const local = join(debian, 'usr/local');
    cpSync(node, join(local, 'bin/node'));
    mkdirSync(join(local, 'lib/node_modules'), { recursive: true });
    cpSync(npm, join(local, 'lib/node_modules/npm'), { recursive: true, dereference: true });
    execFileSync('chmod', ['+x', join(local, 'lib/node_modules/npm/bin/npm-cli.js')]);
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
    const container = this.done('from', 'scratch');
    this.done('add', '--quiet', container, debian, '/');
    this.done(
      'config',
      '--env',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      container,
    );
    this.done('commit', '--quiet', '--rm', container, name);
  }

  /** The machine's way to npm's registry is mounted while it builds, and is in no layer. */
  build(context: string, file: string, name: string, values: Readonly<Record<string, string>>): void {
    const npmrc = join(this.#folder, 'npmrc');
    const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
    writeFileSync(npmrc, `registry=${registry}\ncafile=${CERTIFICATES}\n`);
    const mounted = [`${npmrc}:/usr/local/etc/npmrc:ro`, `${CERTIFICATES}:${CERTIFICATES}:ro`];
    const volumes = mounted.filter((one) => existsSync(one.split(':')[0] as string));
    this.done(
      ...['bud', '--quiet', '--isolation', 'chroot', '--pull-never', '--layers=false'],
      ...volumes.flatMap((one) => ['--volume', one]),
      ...Object.entries(values).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]),
      ...['--file', file, '--tag', name, context],
    );
  }

  configOf(image: string): ImageConfig {
    return JSON.parse(this.done('inspect', '--type', 'image', image)).OCIv1.config;
  }

  /** Starts the image's program as the image's user, with its settings and these. */
  start(image: string, settings: Readonly<Record<string, string>>): RunningImage {
    const container = this.done('from', '--pull-never', image);
    const env = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const command = [
      'run',
      '--isolation',
      'chroot',
      ...env,
      container,
      '--',
      ...this.configOf(image).Entrypoint,
    ];
    const folder = this.done('mount', container);
    const outside = spawn('buildah', [...this.#storage, ...command], { detached: true });
    return { folder, server: new Contained(outside), terminate: () => terminate(outside.pid as number) };
  }
}

export interface RunningImage {
  /** The root of its files. */
  readonly folder: string;
  readonly server: Contained;
  /** `docker stop` tells the image's program alone, which is the first one of Node below the runtime. */
  terminate(): void;
}

function terminate(runtime: number): void {
  const isNode = (pid: number) => readlinkSync(`/proc/${pid}/exe`).endsWith('/bin/node');
  for (let [pid] = childrenOf(runtime); pid !== undefined; [pid] = childrenOf(pid))
    if (isNode(pid)) return void process.kill(pid, 'SIGTERM');
  throw new Error('no Node runs in the image');
}
