import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../../apps/server/src/platform/db/embedded.ts';
import { type Environment, ServerProcess } from './node-process.ts';

/** All clients come from this machine, so limits per address are wide unless a test sets them. */
const WIDE = {
  LIMIT_REGISTRATIONS: '100000',
  LIMIT_DAY_REGISTRATIONS: '100000',
  LIMIT_LOGINS: '100000',
  LIMIT_QUOTA_PERCENT: '1000000',
  LIMIT_REQUESTS: '5000',
};

/** One role of the server in its own process. */
export type RoleProcess = ServerProcess;

/** A database, and processes that share only its address. */
export interface Installation {
  /** Connects as the owner of everything, for checks. */
  readonly db: pg.Pool;
  readonly dataDir: string;
  start(role: string, environment?: Environment): Promise<RoleProcess>;
  /** The process among these that leads the feed or the engine; null when none does. */
  leader(role: 'feed' | 'engine', among: readonly RoleProcess[]): Promise<RoleProcess | null>;
  close(): Promise<void>;
}

/**
 * @param settings of the database; tests kill processes, not machines, so fsync is off by default
 * @param environment of the database alone
 */
export async function openInstallation(
  settings: Environment = { fsync: 'off' },
  environment: (dataDir: string) => Environment = () => ({}),
): Promise<Installation> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-roles-'));
  const own = { ...process.env };
  Object.assign(process.env, environment(dataDir));
  const postgres = await startEmbedded(dataDir, () => {}, settings);
  process.env = own;
  const admin = new pg.Client({ host: postgres.socketDir, user: 'postgres', database: 'postgres' });
  await admin.connect();
  await admin.query('create role fairtick_owner login createrole');
  await admin.query('create database fairtick owner fairtick_owner');
  await admin.end();
  const processes: RoleProcess[] = [];
  const db = new pg.Pool({ host: postgres.socketDir, user: 'fairtick_owner', database: 'fairtick', max: 2 });
  db.on('error', () => {});
  const common = {
    DATABASE_URL: `postgres://fairtick_owner@localhost/fairtick?host=${encodeURIComponent(postgres.socketDir)}`,
    DATA_DIR: dataDir,
    PUBLIC_ORIGIN: 'http://house.invalid',
    LOG_LEVEL: 'warn',
    ...WIDE,
  };
  return {
    db,
    dataDir,
    start: async (role, environment = {}) => {
      const started = await ServerProcess.start(
        { ...common, ...environment, ROLE: role },
        { isDetached: true, stopsBy: 'SIGTERM' },
      );
      processes.push(started);
      return started;
    },
    leader: async (role, among) => {
      const { rows } = await db.query<{ holder: string | null }>(
        role === 'feed' ? 'select holder from log_head' : `select holder from leases where name = 'engine'`,
      );
      return among.find(({ pid }) => rows[0]?.holder?.endsWith(`:${pid}`)) ?? null;
    },
    close: async () => {
      await Promise.all(processes.map((each) => each.kill()));
      await db.end();
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
