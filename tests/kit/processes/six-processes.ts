import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Journal } from '../judges/journal.ts';
import { LoadClient } from '../load/load-client.ts';
import { until } from '../waiting/until.ts';
import { freePort } from './processes.ts';
import { type Installation, openInstallation, type RoleProcess } from './role-processes.ts';

/** Two processes of each role on one database. */
export interface Six {
  readonly house: Installation;
  /** Addresses of the metrics, each with the role of its process. */
  readonly metrics: ReadonlyMap<string, string>;
  readonly apis: RoleProcess[];
  readonly engines: RoleProcess[];
  readonly feeds: RoleProcess[];
}

export async function openSix(
  environment: Readonly<Record<string, string>> = {},
  opening: Promise<Installation> = openInstallation(),
): Promise<Six> {
  const house = await opening;
  try {
    // All start at once: the first one creates the schema, the others wait for it.
    const roles = ['api', 'engine', 'feed', 'api', 'engine', 'feed'];
    const ports = await Promise.all(roles.map(freePort));
    const started = await Promise.all(
      roles.map((role, place) => house.start(role, { METRICS_PORT: String(ports[place]), ...environment })),
    );
    await Promise.all(started.map((each) => each.untilReady()));
    const of = (role: string) => started.filter((each) => each.role === role);
    const metrics = new Map(roles.map((role, place) => [`http://127.0.0.1:${ports[place]}/metrics`, role]));
    return { house, metrics, apis: of('api'), engines: of('engine'), feeds: of('feed') };
  } catch (error) {
    await house.close();
    throw error;
  }
}

/** Customers with a journal who trade at `origin`. */
export async function openLoad(
  house: Installation,
  origin: string,
  customers: number,
): Promise<{ journal: Journal; client: LoadClient }> {
  const journal = new Journal(join(house.dataDir, 'journal.jsonl'));
  const client = new LoadClient(origin, journal);
  await client.register(customers);
  return { journal, client };
}

interface Progress {
  readonly epoch: number;
  /** A figure that only grows while the role works: the log's size, or how far settlement has come. */
  readonly done: number;
}

async function progressOf(house: Installation, role: 'feed' | 'engine'): Promise<Progress> {
  const { rows } = await house.db.query<{ epoch: string; done: string }>(
    role === 'feed'
      ? 'select epoch, size as done from log_head'
      : `select l.epoch, s.settled_before_ms as done from leases l, settlement_head s where l.name = 'engine'`,
  );
  return { epoch: Number(rows[0]?.epoch), done: Number(rows[0]?.done) };
}

/**
 * Ends or pauses the leader of a role.
 * @returns the old leader, and the time in ms until another one leads and its work continues
 */
export async function takeOver(
  six: Six,
  role: 'feed' | 'engine',
  signal: 'SIGKILL' | 'SIGSTOP' | 'SIGTERM',
): Promise<{ led: RoleProcess; ms: number }> {
  const { house } = six;
  const processes = role === 'feed' ? six.feeds : six.engines;
  const led = await house.leader(role, processes);
  if (!led) throw new Error(`nobody leads the ${role}`);
  const before = await progressOf(house, role);
  const startedMs = performance.now();
  led.signal(signal);
  // Work that the old leader has begun may still be done after it.
  let lastOfOld = before.done;
  await until(async () => {
    const now = await progressOf(house, role);
    if (now.epoch === before.epoch) lastOfOld = now.done;
    return now.epoch > before.epoch && now.done > lastOfOld;
  });
  return { led, ms: Math.round(performance.now() - startedMs) };
}

/** Wakes a leader that was paused while another took over: it must only stand by. */
export async function wake(six: Six, role: 'feed' | 'engine', paused: RoleProcess): Promise<void> {
  const processes = role === 'feed' ? six.feeds : six.engines;
  const before = await progressOf(six.house, role);
  paused.signal('SIGCONT');
  // Within 1.5 s a feed would write six times.
  await sleep(1_500);
  await until(async () => (await progressOf(six.house, role)).done > before.done);
  const { epoch } = await progressOf(six.house, role);
  if (epoch !== before.epoch) throw new Error(`the ${role} that woke up took the lease back`);
  const leader = await six.house.leader(role, processes);
  if (!leader || leader === paused) throw new Error(`the ${role} that woke up leads`);
}

/** Faults of the log: every product's numbers must rise by one and no index may be missing, across all its writers. */
export async function faultsOfLog(house: Installation): Promise<string[]> {
  const { rows } = await house.db.query<{ fault: string }>(
    `select 'a number of product ' || product_id || ' is missing at ' || index as fault from (
       select product_id, index, n - lag(n, 1, 0::bigint) over (partition by product_id order by index) as step
       from log_entries where kind <= log_kind('gap')
     ) steps where step <> 1
     union all
     select 'index ' || index || ' is missing before' from (
       select index, index - lag(index, 1, -1::bigint) over (order by index) as step from log_entries
     ) steps where step <> 1
     union all
     select 'the head stands at ' || size from log_head where size <> (select count(*) from log_entries where index < size)
     union all
     select rule || ': ' || detail from ledger.violations()
     limit 20`,
  );
  return rows.map(({ fault }) => fault);
}
