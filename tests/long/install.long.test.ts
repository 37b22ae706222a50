import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { get, postUntilHeard, register } from '@fairtick/kit/clients/api-client.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * The two commands of the README in a fresh clone of the last commit, with the versions of npm and Node, the users and the setting of npm
 * that people have: each value once at least, and the pairs that npm ships together.
 */
const ROOT = join(import.meta.dirname, '../..');
/** Debian's user without rights. initdb needs a user that has a name. */
const NOBODY = 65_534;

interface Way {
  readonly npm: string;
  readonly node: string;
  readonly installedBy: 'root' | 'nobody';
  readonly startedBy: 'root' | 'nobody';
  /** Options of `npm ci`. */
  readonly options: readonly string[];
}
const way = (npm: string, node: string, users: string, ...options: string[]): Way => {
  const [installedBy, startedBy] = users.split('/') as ['root' | 'nobody', 'root' | 'nobody'];
  return { npm, node, installedBy, startedBy, options };
};
const BARE = '--ignore-scripts';
const WAYS = [
  way('9.9.4', '20', 'root/root'),
  way('10.8.2', '20', 'root/nobody'),
  way('10.9.9', '22', 'nobody/nobody', BARE),
  way('11', '24', 'root/nobody', BARE),
  way('12', '24', 'nobody/nobody'),
  way('11', '20', 'root/root'),
  way('10.8.2', '22', 'root/root', BARE),
  way('9.9.4', '22', 'nobody/nobody'),
].map((one) => ({
  ...one,
  name: `npm ${one.npm}, Node ${one.node}, installed by ${one.installedBy} ${one.options}, started by ${one.startedBy}`,
}));
const chosen = WAYS.filter(({ name }) => new RegExp(process.env.WAY ?? '').test(name));

/** A new folder that every user may pass through. */
function openFolder(prefix: string): string {
  const made = mkdtempSync(prefix);
  chmodSync(made, 0o755);
  return made;
}

const folder = openFolder(join(tmpdir(), 'install-'));
const tools = join(folder, 'tools');
const cache = join(folder, 'cache');
/** Of the machine's line to the registry; everything else is as it is for a new user. */
const LINE = /^(npm_config_(registry|cafile)|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy)$/i;
const line = Object.fromEntries(Object.entries(process.env).filter(([name]) => LINE.test(name)));

beforeAll(() => {
  mkdirSync(cache);
  const versions = new Set(
    chosen.flatMap(({ npm, node }) => [`npm@${npm}`, `node-linux-${process.arch}@${node}`]),
  );
  const aliases = [...versions].map((version) => `${version.replace('@', '-')}@npm:${version}`);
  execFileSync('npm', ['install', '--prefix', tools, '--no-bin-links', ...aliases], { stdio: 'ignore' });
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs npm's commands in a clone with the programs of a way. */
class Clone {
  readonly #way: Way;
  readonly #home = openFolder(join(folder, 'way-'));
  /** Neither a space nor a character outside of ASCII stops anything. */
  readonly dir = join(this.#home, 'the 项目');

  constructor(of: Way) {
    this.#way = of;
    execFileSync('git', ['clone', '--quiet', ROOT, this.dir]);
  }

  npm(
    user: 'root' | 'nobody',
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    const { npm, node } = this.#way;
    const home = join(this.#home, user);
    mkdirSync(home, { recursive: true });
    for (const each of [home, cache, ...(user === this.#way.installedBy ? [this.dir] : [])])
      execFileSync('chown', ['-R', user, each]);
    const bin = join(tools, `node_modules/node-linux-${process.arch}-${node}/bin`);
    return spawn(join(bin, 'node'), [join(tools, `node_modules/npm-${npm}/bin/npm-cli.js`), ...args], {
      cwd: this.dir,
      ...(user === 'nobody' ? { uid: NOBODY, gid: NOBODY } : {}),
      env: {
        ...line,
        PATH: `${bin}:/usr/bin:/bin`,
        HOME: home,
        TMPDIR: home,
        npm_config_cache: cache,
        ...environment,
      },
      // In a group of its own, which gets a Ctrl-C as a terminal sends it.
      detached: true,
    });
  }

  /** Files that are newer than the mark, or that git knows nothing about. */
  changedSince(mark: string): string[] {
    const told = execFileSync('find', [this.dir, '-newer', mark, '-not', '-path', '*/.git*'], {
      encoding: 'utf8',
    });
    return told
      .split('\n')
      .filter((path) => path !== '' && !path.startsWith(join(this.dir, 'data')) && path !== this.dir);
  }
}

/** All that a process prints. */
function printed(child: ChildProcess): () => string {
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => parts.push(String(data)));
  return () => parts.join('');
}

async function run(child: ChildProcess): Promise<string> {
  const output = printed(child);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`ended with ${code}: ${output()}`);
  return output();
}

/** One order of practice money. */
async function buys(origin: string): Promise<void> {
  const { token } = await register(origin);
  const { body: list } = await get(origin, 'product/list');
  const { symbol } = list.data.find(
    (one: { isOpen: boolean; assetClass: string }) => one.isOpen && one.assetClass === 'crypto',
  );
  const order = { symbol, direction: 'up', minutes: '1', amount: '100', asset: 'DEMO' };
  const { body } = await postUntilHeard(origin, 'order/create', order, { token, key: randomUUID() }, () =>
    sleep(500),
  );
  expect(body).toMatchObject({ code: 1, data: { status: 'unsettled' } });
}

test.each(chosen)(
  '$name: takes an order and stops when it is told to',
  async (one) => {
    const clone = new Clone(one);
    await run(clone.npm(one.installedBy, ['ci', ...one.options]));
    const mark = join(folder, 'mark');
    writeFileSync(mark, '');
    await sleep(20);
    const [port, officePort] = [await freePort(), await freePort()];
    const isOwner = one.startedBy === one.installedBy;
    const dataDir = isOwner ? join(clone.dir, 'data') : join(folder, `data of ${one.startedBy}`);
    if (!isOwner) {
      // Without a data folder of its own the start says what to do.
      const refused = printed(clone.npm(one.startedBy, ['start']));
      const told = `${join(clone.dir, 'data')} can't be made (EACCES): set DATA_DIR`;
      await until(() => refused().includes(told), 120_000);
      execFileSync('install', ['-d', '-o', one.startedBy, dataDir]);
    }
    const started = clone.npm(one.startedBy, ['start'], {
      PORT: String(port),
      OFFICE_PORT: String(officePort),
      ...(isOwner ? {} : { DATA_DIR: dataDir }),
    });
    const output = printed(started);
    const ended = once(started, 'close');
    try {
      const isReady = () => output().includes('Fairtick is ready') || started.exitCode !== null;
      await until(isReady, 120_000).catch(() => {});
      expect(output()).toContain('Fairtick is ready');
      await buys(`http://localhost:${port}`);
    } finally {
      // A Ctrl-C reaches all processes of a terminal; a service manager tells npm alone.
      const pid = started.pid as number;
      if (started.exitCode === null) process.kill(isOwner ? -pid : pid, isOwner ? 'SIGINT' : 'SIGTERM');
    }
    // Versions of npm differ in how they end themselves; the server closes its output last.
    await ended;
    expect(output()).toMatch(/ stopping\n$/);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
    expect(clone.changedSince(mark)).toEqual([]);
    rmSync(dataDir, { recursive: true });
    // The second command, with an argument.
    if (one.npm === '10.8.2')
      expect(await run(clone.npm(one.installedBy, ['test', '--', 'packages/money/']))).toMatch(
        /\n[1-9]\d* passed, 0 failed\n$/,
      );
    rmSync(clone.dir, { recursive: true });
  },
  400_000,
);
