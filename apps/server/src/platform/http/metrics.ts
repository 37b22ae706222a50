import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import { cached } from '../cached.ts';
import type { Queryable } from '../db/database.ts';
import { addGauge, measureMachine } from '../machine.ts';
import { orderSeries } from './known-series.ts';

export class ApiMetrics {
  readonly #requestSeconds: Histogram<'path' | 'status'>;
  readonly #failures: Counter;

  constructor(registry: Registry, readers: () => number) {
    this.#requestSeconds = new Histogram({
      name: 'fairtick_request_seconds',
      help: 'Time to answer a request',
      labelNames: ['path', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [registry],
    });
    for (const labels of orderSeries()) this.#requestSeconds.zero(labels);
    // Without labels, it begins at 0.
    this.#failures = new Counter({
      name: 'fairtick_failures_total',
      help: 'Requests answered with a status of 500 or above, 503 excepted',
      registers: [registry],
    });
    addGauge(
      registry,
      { name: 'stream_readers', help: 'Open readers of the stream in this process' },
      readers,
    );
  }

  answered(path: string, status: number, seconds: number): void {
    this.#requestSeconds.observe({ path, status: String(status) }, seconds);
    if (isFailure(status)) this.#failures.inc();
  }
}

/** 503 is a refusal. */
export const isFailure = (status: number): boolean => status >= 500 && status !== 503;

/** A scraper that asks again on a kept connection would keep a process that stops from its end. */
const LAST = { connection: 'close' };

/** How long a scrape waits for the figures of the database; `scrape_timeout` in ops/prometheus.yml is longer. */
const FIGURES_MS = 2_500;

function nearestFolder(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestFolder(dirname(path));
}

export interface MetricsOptions {
  readonly registry: Registry;
  /** Series of the database. While it does not answer they are left out, and the process's own stay. */
  readonly figures: Registry;
  readonly roles: ReadonlySet<string>;
  readonly db: Queryable;
  readonly lastBackupMs: () => number | null;
  /** Folders whose file systems are watched, by the name that the metric shows. They may be made later. */
  readonly folders: Readonly<Record<string, string>>;
}

/** Metrics of a process of any role. Figures of the installation come from the database, so every process reports the same. */
export class Metrics {
  readonly #registry: Registry;
  readonly #figures: Registry;
  readonly #databaseAnswers: Gauge;
  #server: Server | null = null;

  constructor(options: MetricsOptions) {
    const { registry, figures, roles, lastBackupMs, folders } = options;
    this.#registry = registry;
    this.#figures = figures;
    this.#databaseAnswers = new Gauge({
      name: 'fairtick_database_answers',
      help: '1: the database answered this scrape; 0: it did not, and its figures are missing',
      registers: [registry],
    });
    measureMachine(registry);
    collectDefaultMetrics({ register: registry, prefix: 'fairtick_' });
    const roleGauge = new Gauge({
      name: 'fairtick_role',
      help: 'Always 1: the process has this role, at work or waiting to take over',
      labelNames: ['role'],
      registers: [registry],
    });
    for (const role of roles) roleGauge.set({ role }, 1);
    const help = 'Time since the last base backup; NaN without BACKUP_DIR, infinite before the first';
    addGauge(registry, { name: 'backup_seconds_ago', help }, () => {
      const ms = lastBackupMs();
      return ms === null ? Number.NaN : (Date.now() - ms) / 1000;
    });
    new Gauge({
      name: 'fairtick_disk_free_ratio',
      help: 'Share of a folder’s file system that is free, 0 to 1',
      labelNames: ['folder'],
      registers: [registry],
      async collect() {
        for (const [folder, path] of Object.entries(folders)) {
          const { bavail, blocks } = await statfs(nearestFolder(path));
          this.set({ folder }, bavail / blocks);
        }
      },
    });
    this.#addFigures(options);
  }

  async listen(port: number, host: string, log: Logger): Promise<void> {
    this.#server = createServer((_request, response) => {
      this.#text(log)
        .then((text) =>
          response.writeHead(200, { 'content-type': this.#registry.contentType, ...LAST }).end(text),
        )
        .catch((error: unknown) => {
          log.warn({ err: error }, 'metrics could not be read');
          response.writeHead(503, LAST).end();
        });
    });
    await new Promise<void>((resolve, reject) => {
      this.#server?.once('error', reject).listen(port, host, resolve);
    });
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => (this.#server ? this.#server.close(() => resolve()) : resolve()));
  }

  async #text(log: Logger): Promise<string> {
    const figures = await Promise.race([
      this.#figures.metrics().catch((error: unknown) => {
        log.warn({ err: error }, 'figures of the database could not be read');
        return null;
      }),
      sleep(FIGURES_MS, null, { ref: false }),
    ]);
    this.#databaseAnswers.set(figures === null ? 0 : 1);
    return (await this.#registry.metrics()) + (figures ?? '');
  }

  #addFigures({ db, figures }: MetricsOptions): void {
    const read = cached(0, async (): Promise<Figures> => (await db.query<Figures>(QUERY)).rows[0] ?? {});
    for (const [name, [help]] of Object.entries(FIGURES))
      addGauge(figures, { name, help }, async () => {
        const value = (await read())[name];
        return value == null ? Number.NaN : Number(value);
      });
  }
}

type Figures = Record<string, string | null>;

const FIGURES: Readonly<Record<string, readonly [help: string, sql: string]>> = {
  log_size: ['Entries in the tick log', `h.size`],
  log_unarchived_entries: [
    'Entries of the tick log that its archive does not have yet',
    `h.size - (select coalesce(max(number) + 1, 0) * 256 from log_bundles)`,
  ],
  log_silence_ms: [
    'Time since the log was last written',
    `extract(epoch from clock_timestamp()) * 1000 + h.offset_ms - h.time_ms`,
  ],
  settlement_behind_ms: ['How far settlement is behind the log', `h.time_ms - s.settled_before_ms`],
  unsettled_orders: [
    'Orders that are not settled yet',
    `(select count(*) from orders_and_results where settles_at_ms >= s.settled_before_ms and settled_at_ms is null)`,
  ],
  batches_waiting: [
    'Batches of acceptances that the log does not carry yet',
    `p.next_batch - 1 - h.last_batch`,
  ],
  acceptance_waiting_ms: [
    'How long the oldest acceptance has waited for the log; 0: none waits',
    `greatest(0, extract(epoch from clock_timestamp()) * 1000 + h.offset_ms
      - (select accepted_at_ms from order_batches where number = h.last_batch + 1))`,
  ],
  partitions_missing: [
    'Families of tables (orders, postings) that have no empty partition ahead',
    `(select count(*) from row_ids_reached() r where r.reached >= (select max(n.from_id) from row_partitions n where n.family = r.family))`,
  ],
  feed_epoch: ['How often the writing of the log was taken over', `h.epoch`],
  engine_epoch: ['How often the settling was taken over', `e.epoch`],
  feed_leads_lost: [
    'How often the writing of the log was taken over from a process that had not handed it over',
    `h.lost`,
  ],
  engine_leads_lost: [
    'How often the settling was taken over from a process that had not handed it over',
    `e.lost`,
  ],
  database_connections_used: [
    'Share of the database’s connections in use, 0 to 1',
    `(select count(*) from pg_stat_activity where datid is not null)::float8
      / current_setting('max_connections')::float8`,
  ],
  notices_waiting_seconds: [
    'How long the oldest notice to other processes has waited to be sent; 0: none waits',
    `(select coalesce(extract(epoch from clock_timestamp() - min(o.at)), 0) from outbox o where o.xid > '0')`,
  ],
  sources_away: [
    'Sources that are left out of all fixes, because they can’t be asked',
    `(select count(*) from source_aways where until_n is null)`,
  ],
  chain_looked_seconds_ago: [
    'Time since the watcher of chains last read one of them to its end, the longest; NaN without chains. A chain that is no longer watched counts for a week',
    `(select extract(epoch from clock_timestamp() - min(c.looked_at)) from chain_heads c where c.looked_at > now() - interval '7 days')`,
  ],
  chain_block_seconds_ago: [
    'Time since a chain had a new block, the longest; NaN without chains. A chain that is no longer watched counts for a week',
    `(select extract(epoch from clock_timestamp() - min(c.seen_at)) from chain_heads c where c.looked_at > now() - interval '7 days')`,
  ],
  chain_deposits_dropped: [
    'Deposits that were credited and that their chains do not have any more',
    `(select count(*) from chain_deposits d where d.state = 'reverted' and d.request_id is not null)`,
  ],
  vendor_away_seconds: [
    'How long a vendor of screening has answered no request, the longest; 0: all answer',
    `(select coalesce(extract(epoch from clock_timestamp() - min(v.failing_since)), 0) from vendors v where v.judges <> '{}')`,
  ],
  earnings_set_aside: [
    'Accounts whose interest is not booked until an operator has mended them',
    `(select count(*) from earning_set_aside)`,
  ],
  earnings_behind_days: [
    'Days that are over and whose interest is not booked for all',
    `(select earning_today() - day from earning_head)`,
  ],
  wal_archive_failures: [
    'Failed attempts to archive WAL since the database began to count',
    `a.failed_count`,
  ],
  wal_archived_seconds_ago: [
    'Time since WAL was last archived; infinite before the first; NaN where none was and archive_mode is off',
    `case when a.last_archived_time is null and current_setting('archive_mode') <> 'off' then 'infinity'
      else extract(epoch from clock_timestamp() - a.last_archived_time)::float8 end`,
  ],
  audit_findings: [
    'What the daily audits of the last week found, the worst of them; NaN before the first',
    `(select max(jsonb_array_length(r.findings)) from audit_runs r where r.day > now() - interval '8 days')`,
  ],
  ledger_faults: [
    'Findings of the last daily reconciliation, without those about bank statements; NaN before the first',
    `(select (select count(*) from jsonb_to_recordset(r.findings) as f (rule text) where f.rule not like '%statement%')
      from reconciliations r where r.staff_id is null order by r.id desc limit 1)`,
  ],
  reconciliation_seconds_ago: [
    'Time since the last daily reconciliation ended, or since the house could have one',
    `extract(epoch from clock_timestamp() - coalesce(
      (select r.at from reconciliations r where r.staff_id is null order by r.id desc limit 1), (select k.at from sessions_known_since k)))`,
  ],
  audit_seconds_ago: [
    'Time since the last daily audit ended, or since the house could have one',
    `extract(epoch from clock_timestamp() - coalesce((select max(r.ended_at) from audit_runs r),
      (select k.at from sessions_known_since k)))`,
  ],
};

const QUERY = `select ${Object.entries(FIGURES)
  .map(([name, [, sql]]) => `${sql} as ${name}`)
  .join(', ')}
  from log_head h left join leases e on e.name = 'engine', settlement_head s, placement_head p, pg_stat_archiver a`;
