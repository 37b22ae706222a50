import type { OfficePath } from '@fairtick/protocol/office';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { cached } from '../../platform/cached.ts';
import { officeSeries } from '../../platform/http/known-series.ts';
import { isFailure } from '../../platform/http/metrics.ts';

/** A queue of the start page: its length, and since when its oldest item waits. */
export interface WaitingQueue {
  readonly queue: string;
  readonly waiting: number;
  readonly oldestAt: number | null;
}

/** Metrics of the office for operators, besides those of the process: without names and amounts. */
export class OfficeMetrics {
  readonly #requestSeconds: Histogram<'operation' | 'status'>;
  readonly #answers: Counter<'operation' | 'answer'>;
  readonly #failures: Counter;
  readonly #registries: readonly Registry[];

  constructor(
    { registry, figures }: { readonly registry: Registry; readonly figures: Registry },
    readQueues: () => Promise<readonly WaitingQueue[]>,
  ) {
    this.#registries = [registry, figures];
    const registers = [registry];
    this.#requestSeconds = new Histogram({
      name: 'fairtick_office_request_seconds',
      help: 'Time to answer a request of staff',
      labelNames: ['operation', 'status'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.#answers = new Counter({
      name: 'fairtick_office_answers_total',
      help: 'What staff were answered: done, or the code of a refusal; decisions and refused logins among them',
      labelNames: ['operation', 'answer'],
      registers,
    });
    for (const labels of officeSeries()) this.#answers.inc(labels, 0);
    this.#failures = new Counter({
      name: 'fairtick_office_failures_total',
      help: 'Requests of staff answered with a status of 500 or above, 503 excepted',
      registers,
    });
    const read = cached(0, readQueues);
    new Gauge({
      name: 'fairtick_office_queue_waiting',
      help: 'How many wait for a decision of staff',
      labelNames: ['queue'],
      registers: [figures],
      async collect() {
        for (const { queue, waiting } of await read()) this.set({ queue }, waiting);
      },
    });
    new Gauge({
      name: 'fairtick_office_queue_seconds',
      help: 'How long the oldest of a queue has waited; 0: nothing waits',
      labelNames: ['queue'],
      registers: [figures],
      async collect() {
        for (const { queue, oldestAt } of await read()) {
          this.set({ queue }, oldestAt === null ? 0 : Math.max(0, (Date.now() - oldestAt) / 1000));
        }
      },
    });
  }

  /** Takes the office's metrics out of the process's: its database connections are about to be closed. */
  stop(): void {
    for (const name of [
      'request_seconds',
      'failures_total',
      'answers_total',
      'queue_waiting',
      'queue_seconds',
    ])
      for (const registry of this.#registries) registry.removeSingleMetric(`fairtick_office_${name}`);
  }

  /** @param seconds from the request to its answer */
  ended(operation: string, status: number, seconds: number): void {
    this.#requestSeconds.observe({ operation, status: String(status) }, seconds);
    if (isFailure(status)) this.#failures.inc();
  }

  answered(operation: OfficePath, answer: string): void {
    this.#answers.inc({ operation, answer });
  }
}
