import { tmpdir } from 'node:os';
import { type Config, readConfig } from '../../../apps/server/src/config/config.ts';
import { startServer } from '../../../apps/server/src/main.ts';
import type { Payouts } from '../../../apps/server/src/money/withdrawals/payouts.ts';
import type { TestDatabase } from '../database/database.ts';
import { encryptionKeyFile, signingKeyFile } from '../folder.ts';
import { freePort } from '../processes/processes.ts';

/** An API in this process, on a test's database. It serves only; prices come from the test. */
export interface RunningApi {
  readonly origin: string;
  readonly port: number;
  /** The office's origin, if the test wants an office. */
  readonly officeOrigin: string | null;
  /** Stops at once; with `drain`, as a load balancer needs it. */
  stop(options?: { drain: boolean }): Promise<void>;
}

const UNLIMITED = 1_000_000;
export const WIDE_LIMITS = {
  failedLoginsPerAccount: UNLIMITED,
  loginsPerAddress: UNLIMITED,
  registrationsPerAddress: UNLIMITED,
  registrationsPerNetwork: UNLIMITED,
  ordersPerCustomer: UNLIMITED,
  quotaPercent: UNLIMITED,
};

/** The limits of an installation that sets none; requests of one kind are as many as a test needs. */
export const DEFAULT_LIMITS = { ...readConfig({}).limits, quotaPercent: UNLIMITED };

/** Starts the API role; limits are wide unless a test sets them. */
export async function startApi(
  db: TestDatabase,
  changes: Partial<Config> = {},
  payouts: Payouts | null = null,
): Promise<RunningApi> {
  const port = await freePort();
  const config: Config = {
    port,
    host: '127.0.0.1',
    metricsPort: null,
    office: null,
    publicOrigin: 'http://test.invalid',
    databaseUrl: null,
    databaseServerUrl: null,
    databaseChainUrl: null,
    databaseReadUrl: null,
    natsUrl: null,
    dataDir: tmpdir(),
    backupDir: null,
    mode: 'demo',
    roles: new Set(['api']),
    // No recordings, so that only the test makes prices.
    feed: { kind: 'replay', files: new Map(), speed: 1 },
    newsFeeds: [],
    chains: [],
    vendors: null,
    tracesTo: null,
    witnesses: [],
    signingKeyFile: signingKeyFile(db),
    encryptionKeyFile: encryptionKeyFile(db),
    takesHeic: true,
    holdSeconds: 60,
    trustProxy: false,
    addressHeader: null,
    limits: WIDE_LIMITS,
    streams: { readers: UNLIMITED, topics: UNLIMITED, messages: UNLIMITED },
    // All requests of a test come from one address, and one address may use a fifth of these.
    maxRequests: 5_000,
    maxConnections: 20_000,
    receiveMs: 10_000,
    drainSeconds: 0,
    logLevel: 'silent',
    support: {
      schedule: { zone: 'UTC', windows: [], holidays: [] },
      answerMinutes: 15,
      chatUrl: null,
    },
    operator: null,
    ...changes,
  };
  const address = {
    admin: db.ownerAddress,
    server: db.serverAddress,
    chain: null,
    standby: null,
    embedded: null,
  };
  const server = await startServer(config, address, { appDist: null, payouts });
  let stopping: Promise<void> | null = null;
  const stop = (options?: { drain: boolean }) => (stopping ??= server.stop(options));
  const { officeOrigin } = server;
  return { origin: `http://127.0.0.1:${port}`, port, officeOrigin, stop };
}

/** The origins of these processes in turn, so that consecutive requests reach different ones. */
export function inTurn(...apis: readonly { readonly origin: string }[]): () => string {
  let asked = 0;
  return () => {
    asked += 1;
    return (apis[asked % apis.length] as { origin: string }).origin;
  };
}
