import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { get } from '@fairtick/kit/clients/api-client.ts';
import { isReady, placeFirstOrder } from '@fairtick/kit/clients/first-order.ts';
import {
  type Contained,
  MinimalDebian,
  type Suite,
  type User,
} from '@fairtick/kit/processes/minimal-debian.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * The two commands of the README in a fresh clone of the last commit, on a minimal Debian, with the versions of npm and Node, the users and
 * the settings that people have: each value once at least, and the pairs that npm ships together.
 */
const ROOT = join(import.meta.dirname, '../..');

interface Way {
  readonly suite: Suite;
  readonly npm: string;
  readonly node: string;
  readonly installedBy: User;
  readonly startedBy: User;
  /** Settings of `npm ci` and of the start. */
  readonly settings: Readonly<Record<string, string>>;
  /** Words of `npm test`; null: it does not run. No word: all tests. */
  readonly tests: readonly string[] | null;
}
type Rest = Partial<Pick<Way, 'settings' | 'tests'>>;
const way = (suite: Suite, npm: string, node: string, users: string, rest: Rest = {}): Way => {
  const [installedBy, startedBy] = users.split('/') as [User, User];
  return { suite, npm, node, installedBy, startedBy, settings: {}, tests: null, ...rest };
};
const PRODUCTION = { NODE_ENV: 'production' };
const WAYS = [
  way('bookworm', '10.8.2', '20', 'root/root', { tests: [] }),
  way('bookworm', '9.9.4', '20', 'nobody/nobody'),
  way('bookworm', '11', '24', 'root/nobody'),
  way('bookworm', '10.8.2', '22', 'nobody/nobody', { settings: PRODUCTION }),
  way('trixie', '10.8.2', '20', 'root/root', { settings: PRODUCTION }),
  way('trixie', '11', '24', 'nobody/nobody', { tests: ['packages/money/'] }),
  way('trixie', '12', '22', 'root/nobody'),
].map((one) => ({
  ...one,
  name: `${one.suite}, npm ${one.npm}, Node ${one.node}, installed by ${one.installedBy}, started by ${one.startedBy}${one.settings === PRODUCTION ? ', in production' : ''}`,
}));
const chosen = WAYS.filter(({ name }) => new RegExp(process.env.WAY ?? '').test(name));

const folder = mkdtempSync(join(tmpdir(), 'install-'));
const tools = join(folder, 'tools');
const systems = new Map<Suite, MinimalDebian>();

beforeAll(() => {
  const versions = new Set(
    chosen.flatMap(({ npm, node }) => [
      `npm-${npm}@npm:npm@${npm}`,
      `node-${node}@npm:node-linux-${process.arch}@${node}`,
    ]),
  );
  execFileSync('npm', ['install', '--prefix', tools, '--no-bin-links', ...versions], { stdio: 'ignore' });
  for (const { suite } of chosen)
    if (!systems.has(suite)) systems.set(suite, MinimalDebian.make(join(folder, suite), suite));
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The README's commands in a clone on a system of its own. */
class Stranger {
  /** Neither a space nor a character outside of ASCII stops anything. */
  readonly dir: string;
  readonly system: MinimalDebian;
  readonly #way: Way;

  constructor(of: Way) {
    this.#way = of;
    this.system = (systems.get(of.suite) as MinimalDebian).copy(
      join(mkdtempSync(join(folder, 'way-')), 'system'),
    );
    this.system.putNode(join(tools, 'node_modules'), of.node, of.npm);
    this.dir = `/home/${of.installedBy}/the 项目`;
    mkdirSync(join(this.system.root, `/home/${of.installedBy}`), { recursive: true });
    execFileSync('git', ['clone', '--quiet', ROOT, this.outside()]);
  }

  /** A path of the clone, as it is seen from outside of the system. */
  outside(path = ''): string {
    return join(this.system.root, this.dir, path);
  }

  run(user: User, command: readonly string[], environment: Readonly<Record<string, string>> = {}): Contained {
    return this.system.spawn(user, this.dir, command, { ...this.#way.settings, ...environment });
  }

  /** @throws Error with all its output, when a command fails */
  async done(user: User, command: readonly string[]): Promise<string> {
    const one = this.run(user, command);
    const code = await one.ended;
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${one.output()}`);
    return one.output();
  }

  /** Files that are newer than the mark. */
  changedSince(mark: string): string[] {
    const told = execFileSync('find', [this.outside(), '-newer', mark, '-not', '-path', '*/.git*'], {
      encoding: 'utf8',
    });
    return told
      .split('\n')
      .filter((path) => path !== '' && !path.startsWith(this.outside('data')) && path !== this.outside());
  }
}

async function untilReady(server: Contained, origin: string): Promise<void> {
  await until(async () => !server.isRunning || (await isReady(origin)), 120_000).catch(() => {});
  expect([server.isRunning && (await isReady(origin)), server.output()]).toEqual([true, expect.any(String)]);
}

test.each(chosen)(
  '$name: takes an order, has it after a power cut, and stops when it is told to',
  async (one) => {
    const stranger = new Stranger(one);
    await stranger.done(one.installedBy, ['npm', 'ci']);
    const mark = join(folder, 'mark');
    writeFileSync(mark, '');
    await sleep(20);
    const [port, officePort] = [await freePort(), await freePort()];
    const isOwner = one.startedBy === one.installedBy;
    const data = isOwner ? join(stranger.dir, 'data') : '/srv/data';
    if (!isOwner) {
      // Without a data folder of its own the start says what to do.
      const refused = await stranger.run(one.startedBy, ['npm', 'start']);
      const told = `${join(stranger.dir, 'data')} can't be made (EACCES): set DATA_DIR`;
      await until(() => refused.output().includes(told), 120_000);
      await refused.ended;
      execFileSync('install', ['-d', '-o', one.startedBy, join(stranger.system.root, data)]);
    }
    const settings = { PORT: String(port), OFFICE_PORT: String(officePort), DATA_DIR: data };
    const origin = `http://localhost:${port}`;
    const first = stranger.run(one.startedBy, ['npm', 'start'], settings);
    await untilReady(first, origin);
    const token = await placeFirstOrder(origin);
    await first.cut();

    // The second server is the first process of its container, so that other threads have the numbers of the first one's processes.
    const command = ['scripts/node', 'apps/server/src/commands/start.ts'];
    const second = stranger.run(one.startedBy, command, settings);
    await untilReady(second, origin);
    const { body } = await get(origin, 'order/list', {}, { token });
    expect(body.data.items).toHaveLength(1);
    if (isOwner) second.interrupt();
    else second.terminate();
    expect([await second.ended, second.output()]).toEqual([0, expect.stringContaining('stopping')]);
    expect(existsSync(join(stranger.system.root, data, 'postgres/postmaster.pid'))).toBe(false);
    expect(stranger.changedSince(mark)).toEqual([]);
    if (one.tests !== null)
      expect(
        await stranger.done(one.installedBy, [
          'npm',
          'test',
          ...(one.tests.length > 0 ? ['--', ...one.tests] : []),
        ]),
      ).toMatch(/\n[1-9]\d* passed, 0 failed\n$/);
    rmSync(stranger.system.root, { recursive: true });
  },
  3_600_000,
);
