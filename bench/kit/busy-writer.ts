import { join } from 'node:path';
import { SteppedClock } from '@fairtick/kit/installation/clocks.ts';
import { points } from '@fairtick/money';
import { FIX_MS, GRID_MS, type KnownRecord, type ProductRules, ROUND_THE_CLOCK } from '@fairtick/trading';
import type { Arrival, Feed } from '../../apps/server/src/market/feeds/feed.ts';
import { loadSigningKeys } from '../../apps/server/src/market/keys/signing-keys.ts';
import { readLogHead } from '../../apps/server/src/market/log/log-head.ts';
import { type Product, Products } from '../../apps/server/src/market/products.ts';
import { RuleBook } from '../../apps/server/src/market/rule-book.ts';
import { simulatedRules } from '../../apps/server/src/market/simulated/simulated-feed.ts';
import { SOURCES } from '../../apps/server/src/market/simulated/sources.ts';
import type { ProductState } from '../../apps/server/src/market/writer/draft-entry.ts';
import { FixWriter } from '../../apps/server/src/market/writer/fix-writer.ts';
import { LogDraft } from '../../apps/server/src/market/writer/log-draft.ts';
import { LogWriter } from '../../apps/server/src/market/writer/log-writer.ts';
import { initialState } from '../../apps/server/src/market/writer/product-states.ts';
import { TickWriter } from '../../apps/server/src/market/writer/tick-writer.ts';
import { WriterTerm } from '../../apps/server/src/market/writer/writer-term.ts';
import type { BenchInstallation } from './installation.ts';

/** The minute of a day ago, where a benchmark's log begins: the log's time can't lead the database's clock. */
export const aDayAgoMs = (): number => Math.floor((Date.now() - 86_400_000) / 60_000) * 60_000;

/**
 * Every source quotes every product at every grid time, each price slightly different: as expensive as the worst hour. For products
 * that trade round the clock the rules are the demo's, so that a demo can go on with the log at once.
 */
export class BusyFeed implements Feed {
  readonly name = 'bench';
  readonly receivesSinceMs = 0;
  readonly #products: readonly Product[];
  #sequence = 0n;

  constructor(products: readonly Product[]) {
    this.#products = products;
  }

  rulesOf(product: Product): ProductRules | null {
    const rules = simulatedRules(product);
    return rules && { ...rules, schedule: ROUND_THE_CLOCK };
  }

  take(timeMs: number): readonly Arrival[] {
    this.#sequence += 1n;
    return this.#products.flatMap(({ id }) =>
      SOURCES.map((source, place) => ({
        productId: id,
        quote: {
          source,
          price: priceOf(id, place, timeMs),
          sourceMs: timeMs - 40 - place * 7,
          sourceSeq: 1_000_000n + this.#sequence,
          receivedMs: timeMs - 10 - place,
        },
      })),
    );
  }

  recordsAt(productId: number, fixMs: number): KnownRecord[] {
    return SOURCES.map((source, place) => ({
      source,
      last: {
        number: BigInt(fixMs / GRID_MS),
        timeMs: fixMs - 40 - place * 7,
        price: priceOf(productId, place, fixMs),
      },
      closing: { by: 'said' },
    }));
  }
}

const priceOf = (productId: number, place: number, timeMs: number) =>
  points(108_000n + BigInt(productId) * 1_000n + BigInt((timeMs / GRID_MS) % 97) + BigInt(place));

/**
 * The two parts of a log session: making entries of quotes, and appending them. Its rules must be in the log.
 * @param options.hasFixes each product has a fix of each second
 */
export async function openBusyParts(
  { server, dataDir }: Pick<BenchInstallation, 'server' | 'dataDir'>,
  fromMs: number,
  { hasFixes = false } = {},
): Promise<{ draft: (gridTimes: number) => BusyDraft; append: (draft: BusyDraft) => Promise<number> }> {
  const products = await Products.load(server);
  const feed = new BusyFeed(products.all);
  const head = await readLogHead(server);
  const ticks = new TickWriter({ feed, products });
  const fixes = new FixWriter({ feed, products, away: { has: () => false } });
  const states = new Map(products.all.map((product) => [product.id, initialState(product.id)]));
  for (const rules of (await new RuleBook(server).latest({ isOwn: false })).values()) {
    ticks.setRules(rules);
    fixes.addRules([rules]);
    states.set(rules.productId, { ...initialState(rules.productId), rulesId: rules.id });
  }
  const signer = loadSigningKeys(join(dataDir, 'signing.key'), head.origin).checkpoints;
  const writer = new LogWriter(server, head, { epoch: head.epoch, signer });
  let timeMs = fromMs;
  let size = head.size;
  let fixed = 0;
  const draft = (gridTimes: number): BusyDraft => {
    const made = new LogDraft(states, size);
    const before = new Map(states);
    for (let step = 0; step < gridTimes; step += 1) {
      timeMs += GRID_MS;
      ticks.addStep(made, timeMs, { busy: new Set(), hasStepped: false });
      if (!hasFixes || timeMs % FIX_MS > 0) continue;
      const due = products.all.map(({ id: productId }) => ({ productId, lastN: fixed, times: [timeMs] }));
      fixes.addDue(made, timeMs, due);
      fixed += 1;
    }
    for (const state of made.changed) states.set(state.productId, state);
    size += made.entries.length;
    return { draft: made, before, timeMs };
  };
  const append = async ({ draft: made, before, timeMs }: BusyDraft): Promise<number> => {
    const clock = { timeMs, offsetMs: timeMs - Date.now() };
    await writer.append(made.entries, { before, after: made.changed }, clock);
    return made.entries.length;
  };
  return { draft, append };
}

/** Entries that are ready to append. */
export interface BusyDraft {
  readonly draft: LogDraft;
  readonly before: ReadonlyMap<number, ProductState>;
  readonly timeMs: number;
}

/** The real writer under its own lease, with a clock that the benchmark controls. */
export async function openBusyWriter(
  { server, dataDir }: Pick<BenchInstallation, 'server' | 'dataDir'>,
  startMs: number,
): Promise<{ session: WriterTerm; clock: SteppedClock }> {
  const products = await Products.load(server);
  const { epoch, beat, origin } = await readLogHead(server);
  const { rows } = await server.query<{ epoch: string }>('select log_acquire($1, $2, $3) as epoch', [
    'bench',
    epoch,
    beat,
  ]);
  const clock = new SteppedClock(startMs);
  const session = await WriterTerm.open(server, {
    feed: new BusyFeed(products.all),
    products,
    signer: loadSigningKeys(join(dataDir, 'signing.key'), origin).checkpoints,
    epoch: Number(rows[0]?.epoch),
    clockOf: () => clock,
  });
  return { session, clock };
}
