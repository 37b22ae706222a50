import type { OfficePath, staffOperations } from '@fairtick/protocol/office';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config, OfficeConfig } from '../../config/config.ts';
import type { Passwords } from '../../customers/identity/passwords.ts';
import { SecondFactors, STAFF_FACTORS } from '../../customers/identity/second-factors.ts';
import { createPool, type DatabaseAddress, type Pool } from '../../platform/db/database.ts';
import { HealthProbe } from '../../platform/http/health.ts';
import { securityLog } from '../../platform/logger.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import { Throttle } from '../../platform/throttle/throttle.ts';
import type { OfficeParts } from './accounts.ts';
import { OfficeMetrics, type WaitingQueue } from './office-metrics.ts';
import { createOfficeServer } from './office-server.ts';
import { staffHandlers } from './routes.ts';
import { StaffSessions } from './staff-sessions.ts';

/** How long answers under way may take after a stop. */
const LAST_ANSWERS_MS = 10_000;

/** Handlers of all areas except the office's own. */
export type AreaHandlers = OfficeHandlers<Exclude<OfficePath, keyof typeof staffOperations>>;

export interface OfficeStart {
  readonly config: Config;
  readonly office: OfficeConfig;
  readonly database: DatabaseAddress;
  readonly log: Logger;
  readonly passwords: Passwords;
  readonly keys: KeyRing;
  /** @param pool the office's own connections */
  readonly areas: (pool: Pool) => AreaHandlers;
  /** Registry of the office's metrics; served only at METRICS_PORT, not by the office. */
  readonly registry: Registry;
  /** Registry of the series that are read from the database at each scrape. */
  readonly figures: Registry;
  readonly queues: (pool: Pool) => Promise<readonly WaitingQueue[]>;
  /** Folder of the built app, or null: the API alone. */
  readonly dist: string | null;
}

/** Starts the office. Null: its port is taken, and was not chosen explicitly. */
export async function startOffice(
  start: OfficeStart,
): Promise<{ drain(): Promise<void>; stop(): Promise<void> } | null> {
  const { config, office, database, log, passwords, keys } = start;
  // Separate pools, so that customers and staff do not delay each other.
  const pool = createPool(database.server, { max: 8, name: 'office' });
  const publicPool = createPool(database.server, { max: 2, name: 'office public' });
  const sessions = new StaffSessions(pool);
  const parts: OfficeParts = {
    pool,
    publicPool,
    passwords,
    sessions,
    factors: new SecondFactors(STAFF_FACTORS, pool, keys, office.origin),
    mode: config.mode,
  };
  const health = new HealthProbe(publicPool);
  const metrics = new OfficeMetrics(start, () => start.queues(pool));
  const app = await createOfficeServer({
    health,
    metrics,
    note: securityLog(start.log),
    sessions,
    // The office's own: guesses at customers' accounts lock out no staff.
    throttle: new Throttle({ public: publicPool, orders: publicPool }, config.limits, {
      passwords,
      whose: 'staff',
    }),
    handlers: { ...staffHandlers(parts), ...start.areas(pool) },
    mode: config.mode,
    isSecure: office.origin.startsWith('https:'),
    marks: keys,
    log,
    door: config,
    dist: start.dist,
  });
  const stop = async () => {
    // An export may go on for an hour.
    setTimeout(() => app.server.closeAllConnections(), LAST_ANSWERS_MS).unref();
    await app.close();
    metrics.stop();
    await Promise.all([pool.end(), publicPool.end()]);
  };
  try {
    await app.listen({ port: office.port, host: config.host });
  } catch (error) {
    await stop();
    if (office.isChosen || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    log.warn(`the office is not served: the port ${office.port} is taken, and OFFICE_PORT names no other`);
    return null;
  }
  return { drain: async () => health.leave(), stop };
}
