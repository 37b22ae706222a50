import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Queryable } from '../db/database.ts';

/** What operators watch. Figures of the whole installation are read from the database when they are asked for. */
export class Metrics {
  readonly registry = new Registry();
  readonly requestSeconds: Histogram<'path' | 'status'>;
  #server: Server | null = null;

  constructor(options: { db: Queryable; readers: () => number }) {
    collectDefaultMetrics({ register: this.registry, prefix: 'fairtick_' });
    this.requestSeconds = new Histogram({
      name: 'fairtick_request_seconds',
      help: 'Time to answer a request',
      labelNames: ['path', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [this.registry],
    });
    const { readers } = options;
    new Gauge({
      name: 'fairtick_stream_readers',
      help: 'Open readers of the stream in this process',
      registers: [this.registry],
      collect() {
        this.set(readers());
      },
    });
    this.#addFigures(options.db);
  }

  async listen(port: number, host: string): Promise<void> {
    this.#server = createServer((_request, response) => {
      this.registry
        .metrics()
        .then((text) => response.writeHead(200, { 'content-type': this.registry.contentType }).end(text))
        .catch(() => response.writeHead(503).end());
    });
    await new Promise<void>((resolve, reject) => {
      this.#server?.once('error', reject).listen(port, host, resolve);
    });
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => (this.#server ? this.#server.close(() => resolve()) : resolve()));
  }

  #addFigures(db: Queryable): void {
    const names = {
      log_size: 'Entries in the tick log',
      log_silence_ms: 'Time since the log was last written',
      settlement_behind_ms: 'How far settlement is behind the log',
      unsettled_orders: 'Orders that are not settled yet',
      batches_waiting: 'Batches of acceptances that the log does not carry yet',
    };
    const gauges = new Map(
      Object.entries(names).map(([name, help]) => [
        name,
        new Gauge({ name: `fairtick_${name}`, help, registers: [this.registry] }),
      ]),
    );
    const first = gauges.get('log_size') as Gauge & { collect?: () => Promise<void> };
    // One query fills them all: the first gauge asks for it before any is written out.
    first.collect = async () => {
      const { rows } = await db.query<Record<string, string>>(
        `select h.size as log_size,
           extract(epoch from clock_timestamp()) * 1000 + h.offset_ms - h.time_ms as log_silence_ms,
           h.time_ms - s.settled_before_ms as settlement_behind_ms,
           (select count(*) from orders where settles_at_ms >= s.settled_before_ms and settled_at_ms is null) as unsettled_orders,
           p.next_batch - 1 - h.last_batch as batches_waiting
         from log_head h, settlement_head s, placement_head p`,
      );
      for (const [name, value] of Object.entries(rows[0] ?? {})) gauges.get(name)?.set(Number(value));
    };
  }
}
