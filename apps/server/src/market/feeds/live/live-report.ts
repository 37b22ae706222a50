import type { LiveSources } from '@fairtick/protocol';
import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../../../platform/db/database.ts';
import type { PriceAges } from '../../price-ages.ts';
import type { SourceFigures } from './source-figures.ts';

/** The state of the leading feed process's sources, as `live_sources` keeps it. */
export interface LiveReport {
  readonly sources: readonly (SourceFigures & {
    readonly source: string;
    readonly isConnected: boolean;
    /** How often its connection was lost and brought a price again, since the process began. */
    readonly reconnects: number;
    /** The last fault, without secrets, and when it was. */
    readonly fault: { readonly why: string; readonly atMs: number } | null;
  })[];
  /** Products with sources: how many of them have a price now, and how many a price needs. */
  readonly products: readonly {
    readonly symbol: string;
    /** Whether its trading hours are now. */
    readonly isOpen: boolean;
    readonly sources: number;
    readonly priced: number;
    readonly quorum: number;
  }[];
}

/** A report that is older says nothing of now. */
const OLDEST = '30 seconds';

/** The last report; null without one of the last half minute. */
export async function readLiveReport(
  db: Queryable,
): Promise<(LiveReport & { readonly atMs: number }) | null> {
  const { rows } = await db.query<{ report: LiveReport; at: number }>(
    `select report, (extract(epoch from at) * 1000)::bigint::float8 as at from live_sources
     where at > clock_timestamp() - interval '${OLDEST}'`,
  );
  return rows[0] ? { ...rows[0].report, atMs: rows[0].at } : null;
}

interface Parts {
  readonly db: Queryable;
  /** The kind of `FEED`. */
  readonly feed: string;
}

type Source = LiveReport['sources'][number];

/** What anybody may see: states and figures, and no text of a fault. */
export async function readPublicSources({ db, feed }: Parts): Promise<LiveSources> {
  const report = feed === 'live' ? await readLiveReport(db) : null;
  return {
    feed,
    at: report?.atMs ?? null,
    sources: report?.sources.map(publicFigures) ?? [],
    products: report?.products.map((product) => ({ ...product })) ?? [],
  };
}

/** Adds texts of faults and the age of each open product's price, for staff. A price grows old when its sources disagree, too. */
export async function readOfficeSources({
  db,
  feed,
  ages,
}: Parts & { readonly ages: PriceAges }): Promise<OfficeData<'sources/state'>> {
  const report = feed === 'live' ? await readLiveReport(db) : null;
  const ageOf = new Map(report ? (await ages()).map(({ symbol, ageMs }) => [symbol, ageMs]) : []);
  return {
    feed,
    at: report?.atMs ?? null,
    sources:
      report?.sources.map((source) => ({
        ...publicFigures(source),
        reconnects: source.reconnects,
        gaps: source.gaps,
        ignored: source.ignored,
        refused: source.refused,
        lastAt: source.lastMs,
        ticks: source.ticks,
        fault: source.fault?.why ?? null,
        faultAt: source.fault?.atMs ?? null,
      })) ?? [],
    products:
      report?.products.map((product) => ({ ...product, priceAge: ageOf.get(product.symbol) ?? null })) ?? [],
  };
}

const publicFigures = (source: Source): LiveSources['sources'][number] => ({
  source: source.source,
  state: stateOf(source),
  quotesPerSecond: source.quotesPerSecond,
  lagP50: source.lagP50,
  lagP99: source.lagP99,
  clockMs: source.clockMs,
});

function stateOf({ isConnected, quotesPerSecond }: Source): LiveSources['sources'][number]['state'] {
  if (!isConnected) return 'lost';
  return quotesPerSecond > 0 ? 'sends' : 'quiet';
}
