import { Gauge, type Registry } from 'prom-client';
import type { Witness } from '../../config/witness-setting.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { readWitnessStates } from './witnesses.ts';

/** Adds the age of each witness's last cosignature to the metrics; it is read from the database at each scrape. */
export function measureWitnesses(registry: Registry, db: Queryable, witnesses: readonly Witness[]): void {
  new Gauge({
    name: 'fairtick_witness_seconds_ago',
    help: 'Time since the last cosignature of each witness came; infinite before the first',
    labelNames: ['witness'],
    registers: [registry],
    async collect() {
      for (const { name, at } of await readWitnessStates(db, witnesses))
        this.set(
          { witness: name },
          at === null ? Number.POSITIVE_INFINITY : Math.max(0, (Date.now() - at) / 1_000),
        );
    },
  });
}
