import { hostname } from 'node:os';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { readSourcesFile } from '../../market/feeds/live/sources-file.ts';
import { VenueHistory } from '../../market/history/venue-history.ts';
import { loadSigningKeys } from '../../market/keys/signing-keys.ts';
import { readLastCheckpoint, readLogHead } from '../../market/log/log-head.ts';
import { Products } from '../../market/products.ts';
import { StepMaker } from '../../market/writer/step-maker.ts';
import { Listener } from '../../platform/bus/listener.ts';
import { boundOutbox, Notifier } from '../../platform/bus/notifier.ts';
import { openWire } from '../../platform/bus/open-wire.ts';
import { perform } from '../../platform/db/call.ts';
import { createPool, type Pool } from '../../platform/db/database.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';
import { ChainRole } from '../chain-role.ts';
import { createFeed } from '../create-feed.ts';
import { startEngineJobs } from '../engine-jobs.ts';
import { EngineRole } from '../engine-role.ts';
import { FeedRole } from '../feed-role.ts';

/** The roles that decide outcomes, and what comes in. They run apart from the API, so that its load delays none. */
export type DecidingRole = 'feed' | 'engine' | 'chain';

/** Plain data, so that a thread can receive them. */
export type DecidingSettings = Pick<
  Config,
  'feed' | 'chains' | 'mode' | 'natsUrl' | 'signingKeyFile' | 'encryptionKeyFile' | 'logLevel'
>;

export interface DecidingOptions {
  readonly role: DecidingRole;
  readonly settings: DecidingSettings;
  readonly server: pg.ClientConfig;
}

const CONNECTIONS: Readonly<Record<DecidingRole, number>> = { feed: 4, engine: 8, chain: 3 };
const STARTS = { feed: startFeed, engine: startEngine, chain: startChain };

interface Running {
  stop(): Promise<void>;
}

export async function startDecidingRole(options: DecidingOptions, log: Logger): Promise<Running> {
  const { role, server } = options;
  const pool = createPool(server, { max: CONNECTIONS[role], name: role });
  try {
    const running = await STARTS[role](options, pool, log);
    return {
      stop: async () => {
        await running.stop();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function startFeed({ server, settings }: DecidingOptions, pool: Pool, log: Logger): Promise<Running> {
  const products = await Products.load(pool);
  const { begunMs, origin } = await readLogHead(pool);
  const keys = loadSigningKeys(settings.signingKeyFile, origin, await readLastCheckpoint(pool));
  const feed = await createFeed(settings, { pool, products, begunMs, log });
  const wire = openWire(server, settings.natsUrl, log);
  const steps =
    settings.natsUrl === null
      ? null
      : new StepMaker({ pool, products, feed: feed.name, key: keys.steps, log });
  const signer = keys.checkpoints;
  const role = new FeedRole({ pool, feed, products, signer, holder: holder(), wire, steps, log });
  role.start();
  const stop = async () => {
    await role.stop();
    await wire.stop();
  };
  if (settings.feed.kind !== 'live') return { stop };
  const file = readSourcesFile(settings.feed.sourcesFile);
  const history = new VenueHistory(server, log, { products, file, mode: settings.mode });
  history.start();
  return {
    stop: async () => {
      await history.stop();
      await stop();
    },
  };
}

async function startEngine({ server, settings }: DecidingOptions, pool: Pool, log: Logger): Promise<Running> {
  const wire = openWire(server, settings.natsUrl, log);
  const listener = new Listener(wire, log);
  const role = new EngineRole(pool, { listener, holder: holder(), log });
  const notifier = new Notifier(pool, wire, log);
  role.start();
  notifier.start();
  const { signingKeyFile } = settings;
  const running: Running[] = [notifier, role, ...startEngineJobs(pool, server, { signingKeyFile, log })];
  const stop = async () => {
    for (const part of [...running].reverse()) await part.stop();
    await listener.stop();
  };
  try {
    await listener.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

async function startChain({ settings }: DecidingOptions, pool: Pool, log: Logger): Promise<Running> {
  const role = await ChainRole.create(pool, { chains: settings.chains, holder: holder(), log });
  role.start();
  const takeRoot = () => perform(pool, 'address_root_take', {});
  const roots = RecurringJob.of(takeRoot, log, { everyMs: 10_000, complaint: 'addresses were not logged' });
  roots.start();
  // Where only this role runs, nobody sends what it tells.
  const bound = RecurringJob.of(() => boundOutbox(pool), log, {
    everyMs: 10_000,
    complaint: 'the outbox was not bounded',
  });
  bound.start();
  return { stop: async () => void (await Promise.all([role.stop(), roots.stop(), bound.stop()])) };
}

const holder = (): string => `${hostname()}:${process.pid}`;
