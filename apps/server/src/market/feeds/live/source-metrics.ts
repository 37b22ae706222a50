import { Counter, Gauge, type Registry } from 'prom-client';
import { cached } from '../../../platform/cached.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import { type LiveReport, readLiveReport } from './live-report.ts';

type Source = LiveReport['sources'][number];
/** Labels beside the source's name, and the value; null: there is none. */
type Series = readonly [labels: Readonly<Record<string, string>>, value: number | null];

const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000);

const GAUGES: Readonly<
  Record<string, { readonly help: string; readonly labels?: string; of(source: Source): readonly Series[] }>
> = {
  connected: {
    help: '1: the live source sends prices; 0: it does not',
    of: ({ isConnected }) => [[{}, Number(isConnected)]],
  },
  quotes_per_second: {
    help: 'Prices of a live source that were taken, over the last minute',
    of: ({ quotesPerSecond }) => [[{}, quotesPerSecond]],
  },
  lag_seconds: {
    help: 'Time from a live source’s own time to the receipt of its price, over the last minute',
    labels: 'quantile',
    of: ({ lagP50, lagP99 }) => [
      [{ quantile: '0.5' }, seconds(lagP50)],
      [{ quantile: '0.99' }, seconds(lagP99)],
    ],
  },
  clock_seconds: {
    help: 'Smallest lag of a live source in the last minute; below 0 our clock is behind the source’s',
    of: ({ clockMs }) => [[{}, seconds(clockMs)]],
  },
  tick_share: {
    help: 'Share of the last minute’s ticks in which the source’s quote was used, stale, an outlier or absent',
    labels: 'use',
    of: ({ ticks }) => {
      const all = ticks.use + ticks.stale + ticks.outlier + ticks.none;
      const share = (count: number) => (all === 0 ? null : count / all);
      return [
        [{ use: 'used' }, share(ticks.use)],
        [{ use: 'stale' }, share(ticks.stale)],
        [{ use: 'outlier' }, share(ticks.outlier)],
        [{ use: 'absent' }, share(ticks.none)],
      ];
    },
  },
};

/** Counted by the process that leads; where another one takes over they restart at 0, as after its own restart. */
const COUNTERS: Readonly<Record<string, { readonly help: string; of(source: Source): number }>> = {
  reconnects_total: {
    help: 'How often the connection to a live source was lost and brought a price again',
    of: ({ reconnects }) => reconnects,
  },
  gaps_total: {
    help: 'How often a live source’s numbers showed that frames were lost',
    of: ({ gaps }) => gaps,
  },
  ignored_total: {
    help: 'Prices of a live source that were not taken',
    of: ({ ignored }) => ignored,
  },
  refused_total: {
    help: 'What a live source refused, and frames of it that were, such as prices without a signature',
    of: ({ refused }) => refused,
  },
};

/** Figures of each product in its trading hours. */
const OF_PRODUCTS: Readonly<
  Record<string, { readonly help: string; of(product: LiveReport['products'][number]): number }>
> = {
  spare: {
    help: 'Live sources with a price beyond those that a product’s price needs; below 0 it is closed',
    of: ({ priced, quorum }) => priced - quorum,
  },
  lost: {
    help: 'Live sources of a product that have no price',
    of: ({ sources, priced }) => sources - priced,
  },
};

/** Adds the state of live sources to the metrics; nothing where there is no report. */
export function measureSources(registry: Registry, db: Queryable): void {
  const registers = [registry];
  const read = cached(0, () => readLiveReport(db));
  for (const [name, { help, labels, of }] of Object.entries(GAUGES))
    new Gauge({
      name: `fairtick_source_${name}`,
      help,
      labelNames: labels === undefined ? ['source'] : ['source', labels],
      registers,
      async collect() {
        this.reset();
        for (const source of (await read())?.sources ?? [])
          for (const [own, value] of of(source))
            if (value !== null) this.set({ source: source.source, ...own }, value);
      },
    });
  for (const [name, { help, of }] of Object.entries(COUNTERS))
    new Counter({
      name: `fairtick_source_${name}`,
      help,
      labelNames: ['source'],
      registers,
      async collect() {
        this.reset();
        for (const source of (await read())?.sources ?? []) this.inc({ source: source.source }, of(source));
      },
    });
  for (const [name, { help, of }] of Object.entries(OF_PRODUCTS))
    new Gauge({
      name: `fairtick_sources_${name}`,
      help,
      labelNames: ['symbol'],
      registers,
      async collect() {
        this.reset();
        for (const product of (await read())?.products ?? [])
          if (product.isOpen) this.set({ symbol: product.symbol }, of(product));
      },
    });
}
