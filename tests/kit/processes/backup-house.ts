import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Journal, type JournalEntry } from '../judges/journal.ts';
import { judgeMoment } from '../judges/judgement.ts';
import { type PublishedLog, readEntries, readPublished, rootOfEntries } from '../judges/log-judgement.ts';
import { LoadClient } from '../load/load-client.ts';
import { Installation, type ServerProcess } from './server-process.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The state at a moment: acknowledged orders and the published log. */
export interface Moment {
  readonly timeMs: number;
  readonly acknowledged: ReadonlyMap<string, JournalEntry>;
  readonly published: PublishedLog;
}

/** A command's exit code and all its output. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** An installation with backups, customers who trade on it, and the installations restored from it. */
export class BackupHouse {
  readonly #folder = mkdtempSync(join(tmpdir(), 'fairtick-backup-'));
  readonly backupDir = join(this.#folder, 'backup');
  readonly #installations: Installation[] = [];
  readonly journal = new Journal(join(this.#folder, 'journal.jsonl'));
  #client: LoadClient | null = null;
  #origin = '';
  #customers = 0;
  #port = '';

  /** Starts the installation that will be lost. */
  async begin(customers: number): Promise<Installation> {
    const house = this.open('data');
    const { origin, port } = await house.startReady({ BACKUP_DIR: this.backupDir });
    this.#origin = origin;
    this.#port = String(port);
    this.#customers = customers;
    this.#client = new LoadClient(origin, this.journal);
    await this.#client.register(customers);
    return house;
  }

  open(name: string): Installation {
    const installation = new Installation(join(this.#folder, name));
    this.#installations.push(installation);
    return installation;
  }

  async trade(signal: AbortSignal): Promise<void> {
    const { data } = (await (await fetch(`${this.#origin}/api/product/list`)).json()) as {
      data: { symbol: string; isOpen: boolean; assetClass: string }[];
    };
    const open = data.filter(({ isOpen, assetClass }) => isOpen && assetClass !== 'stock').slice(0, 8);
    await this.#client?.trade(
      open.map(({ symbol }) => symbol),
      signal,
    );
  }

  /** Records this moment: every order in `acknowledged` was acknowledged before `timeMs`. */
  async mark(): Promise<Moment> {
    const published = await readPublished(this.#origin);
    const acknowledged = this.journal.read();
    return { timeMs: Date.now() + 1, acknowledged, published };
  }

  /** Runs `npm start` or a command of `npm run admin` with the environment of a data folder. */
  async run(
    command: 'audit' | 'backup' | 'restore' | 'new-log' | 'start',
    { dataDir }: Installation,
    options: { args?: readonly string[]; backupDir?: string } = {},
  ): Promise<Ended> {
    const { args = [], backupDir = '' } = options;
    const script = command === 'start' ? ['start.ts'] : ['admin.ts', command];
    const child = spawn(process.execPath, [...script, ...args], {
      cwd: join(ROOT, 'apps/server/src/commands'),
      env: {
        PATH: process.env.PATH,
        TMPDIR: process.env.TMPDIR,
        DATA_DIR: dataDir,
        BACKUP_DIR: backupDir,
        PORT: this.#port,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, output };
  }

  async restore(into: Installation, ...options: string[]): Promise<Ended> {
    return this.run('restore', into, {
      args: [this.backupDir, '--data', into.dataDir, '--yes', ...options],
    });
  }

  /** Starts a restored installation on the port of the lost one. */
  startRestored(installation: Installation, backupDir = ''): Promise<ServerProcess> {
    return installation.startReady({ PORT: this.#port, BACKUP_DIR: backupDir });
  }

  /** The faults of a restored, running installation, which must have everything acknowledged and published at a moment. */
  async judge(restored: Installation, { acknowledged, published }: Moment): Promise<string[]> {
    const db = new pg.Pool({ ...restored.databaseAddress(), max: 2 });
    try {
      const wrong = await judgeMoment(db, { acknowledged, sent: this.journal.read() });
      // Each customer has at most one order in flight: more orders than that were placed after the moment.
      const there = await this.countOrders(restored);
      const said = [...acknowledged.values()].filter(({ outcome }) => outcome === 'ok').length;
      if (there > said + this.#customers)
        wrong.push(`${there} orders, only ${said} were acknowledged by then`);
      return [...wrong, ...(await judgeLog(this.#origin, published))];
    } finally {
      await db.end();
    }
  }

  async countOrders(restored: Installation): Promise<number> {
    const client = new pg.Client(restored.databaseAddress());
    await client.connect();
    const { rows } = await client.query<{ count: string }>('select count(*) from orders');
    await client.end();
    return Number(rows[0]?.count);
  }

  async close(): Promise<void> {
    this.#client?.close();
    this.journal.close();
    for (const installation of this.#installations) await installation.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The served log must match its own checkpoint and extend the log published then. */
async function judgeLog(origin: string, before: PublishedLog): Promise<string[]> {
  const wrong: string[] = [];
  const { checkpoint } = await readPublished(origin);
  if (checkpoint.size < before.checkpoint.size) {
    return [`the log has ${checkpoint.size} entries, ${before.checkpoint.size} were published`];
  }
  const entries = await readEntries(origin, checkpoint.size);
  if (rootOfEntries(entries) !== checkpoint.root) wrong.push('the entries do not give the checkpoint');
  if (rootOfEntries(entries.slice(0, before.checkpoint.size)) !== before.checkpoint.root) {
    wrong.push('the log does not go on from what was published');
  }
  return wrong;
}
