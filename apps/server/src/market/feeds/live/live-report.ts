import { Gauge, type Registry } from 'prom-client';
import type { Queryable } from '../../../platform/db/database.ts';
import { singleFlight } from '../../../platform/single-flight.ts';
import type { SourceFigures } from './quote-board.ts';

/** The state of the leading feed process's sources, as `live_sources` keeps it. */
export interface LiveReport {
  readonly sources: readonly (SourceFigures & {
    readonly source: string;
    readonly isConnected: boolean;
    /** How often its connection brought a first price. */
    readonly connections: number;
    /** The last fault of the connection, in the words of the network. */
    readonly fault: string | null;
  })[];
  /** Of each product with sources: how many have a price now, and how many a price needs. */
  readonly products: readonly { readonly symbol: string; readonly priced: number; readonly quorum: number }[];
}

/** A report that is older says nothing of now. */
const OLDEST = '30 seconds';

/** The last report; null without one of the last half minute. */
export async function readLiveReport(db: Queryable): Promise<LiveReport | null> {
  const { rows } = await db.query<{ report: LiveReport }>(
    `select report from live_sources where at > clock_timestamp() - interval '${OLDEST}'`,
  );
  return rows[0]?.report ?? null;
}

/** Adds the state of live sources to the metrics; nothing where there is no report. */
export function measureSources(registry: Registry, db: Queryable): void {
  const registers = [registry];
  const read = singleFlight(() => readLiveReport(db));
  new Gauge({
    name: 'fairtick_source_connected',
    help: '1: the live source sends prices; 0: it does not',
    labelNames: ['source'],
    registers,
    async collect() {
      this.reset();
      for (const { source, isConnected } of (await read())?.sources ?? [])
        this.set({ source }, Number(isConnected));
    },
  });
  new Gauge({
    name: 'fairtick_source_lag_seconds',
    help: 'Time from a live source’s own time to the receipt of its last price',
    labelNames: ['source'],
    registers,
    async collect() {
      this.reset();
      for (const { source, lagMs } of (await read())?.sources ?? [])
        if (lagMs !== null) this.set({ source }, lagMs / 1_000);
    },
  });
  new Gauge({
    name: 'fairtick_sources_spare',
    help: 'Live sources of a product with a price, beyond those that its price needs; below 0 it is closed',
    labelNames: ['symbol'],
    registers,
    async collect() {
      this.reset();
      for (const { symbol, priced, quorum } of (await read())?.products ?? [])
        this.set({ symbol }, priced - quorum);
    },
  });
}
