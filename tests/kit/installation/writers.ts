import { leafHash, rootOf } from '@fairtick/proof';
import type { Feed } from '../../../apps/server/src/market/feeds/feed.ts';
import { loadSigningKeys, type SigningKeys } from '../../../apps/server/src/market/keys/signing-keys.ts';
import { readLogHead } from '../../../apps/server/src/market/log/log-head.ts';
import {
  ENTRY_COLUMNS,
  type EntryRow,
  type IndexedEntry,
} from '../../../apps/server/src/market/log/log-reader.ts';
import type { Product } from '../../../apps/server/src/market/products.ts';
import { SeedBook } from '../../../apps/server/src/market/simulated/seed-book.ts';
import { SimulatedFeed } from '../../../apps/server/src/market/simulated/simulated-feed.ts';
import type { LogClock } from '../../../apps/server/src/market/writer/log-clock.ts';
import { WriterTerm } from '../../../apps/server/src/market/writer/writer-term.ts';
import type { Pool } from '../../../apps/server/src/platform/db/database.ts';
import { KeyRing } from '../../../apps/server/src/platform/sealing/key-ring.ts';
import { encryptionKeyFile, signingKeyFile } from '../folder.ts';
import { type House, ORIGIN } from './house.ts';

/** The signing keys that an installation generated. */
export function keysOf(house: Pick<House, 'db'>): SigningKeys {
  return loadSigningKeys(signingKeyFile(house.db), ORIGIN);
}

/** Takes the writer's lease at once, as a process does that has waited for its end. */
export async function takeLease(db: Pool, holder = 'another'): Promise<number> {
  const { epoch, beat } = await readLogHead(db);
  const { rows } = await db.query<{ epoch: string | null }>('select log_acquire($1, $2, $3) as epoch', [
    holder,
    epoch,
    beat,
  ]);
  if (rows[0]?.epoch == null) throw new Error('the lease was not to be had');
  return Number(rows[0].epoch);
}

/** Another writer on an installation's log, as after a restart: it takes the lease and knows only the database's state. */
export async function openWriter(
  house: House,
  feed: Feed,
  clockOf: (offsetMs: number) => LogClock = () => house.clock,
  sending: Pick<Parameters<typeof WriterTerm.open>[1], 'wire' | 'steps'> = {},
): Promise<WriterTerm> {
  const epoch = await takeLease(house.db.server);
  return WriterTerm.open(house.db.server, {
    feed,
    products: house.products,
    signer: keysOf(house).checkpoints,
    epoch,
    clockOf,
    ...sending,
  });
}

/** Every entry's exact text, in log order. */
export async function readTexts(house: Pick<House, 'db' | 'reader'>): Promise<string[]> {
  const { size } = await readLogHead(house.db.server);
  const texts: string[] = [];
  for (let number = 0; texts.length < size; number += 1) {
    const bundle = await house.reader.bundle(number);
    if (bundle.length === 0) throw new Error(`the log ends at ${texts.length}, not at ${size}`);
    texts.push(...bundle.slice(0, size - texts.length));
  }
  return texts;
}

/** A product's ticks and gaps, in log order. */
export async function readMarks(house: House, symbol: string): Promise<IndexedEntry[]> {
  const { rows } = await house.db.server.query<EntryRow>(
    `select ${ENTRY_COLUMNS} from log_entries where product_id = $1 and kind <= log_kind('gap') order by index`,
    [house.product(symbol).id],
  );
  return house.reader.symbolEntries(rows);
}

/** A product's entries in short form: `tick 1.08451`, `gap quorum`. */
export async function storyOf(house: House, symbol: string): Promise<string[]> {
  const entries = (await readTexts(house)).map((text) => text.split('|'));
  return entries
    .filter(([kind, , name]) => (kind === 'tick' || kind === 'gap') && name === symbol)
    .map(([kind, , , , , value]) => `${kind} ${value}`);
}

/** Appends an entry of rules of a product, as a holder of the lease could without our programs. */
export async function appendRules(house: House, productId: number, text: string): Promise<void> {
  await house.db.server.query(
    `select log_append(h.epoch, h.size, sha256(''), '', h.time_ms, h.offset_ms, null, _kinds => array[4]::smallint[],
       _times => array[h.time_ms], _products => array[$1]::smallint[], _ns => array[$2]::bigint[], _bodies => array[$3]) from log_head h`,
    [productId, text.split('|')[3], text],
  );
}

/** Tries to put a product under the rules that `pick` (SQL on product_states s) names, as a holder of the lease could. */
export async function putUnderRules(house: House, productId: number, pick: string): Promise<void> {
  await house.db.server.query(
    `select log_append(h.epoch, h.size, h.root, h.peaks, h.time_ms, h.offset_ms, null, _state_products => array[s.product_id],
       _state_ns => array[s.last_n], _state_times => array[s.last_ms], _tick_ns => array[s.tick_n], _tick_times => array[s.tick_ms],
       _tick_prices => array[s.tick_price], _tick_indexes => array[s.tick_index], _gaps => array[s.gap_reason],
       _gap_times => array[s.gap_ms], _orders_from => array[s.orders_from_ms], _state_rules => array[(${pick})])
     from log_head h, product_states s where s.product_id = $1`,
    [productId],
  );
}

/** The root of a log with these texts, in hex. */
export function rootOfTexts(texts: readonly string[]): string {
  const leaves = texts.map((text) => leafHash(text));
  return Buffer.from(rootOf(leaves)).toString('hex');
}

/** The simulated market's secrets, as a process opens them. */
export async function openSeeds({ db }: Pick<House, 'db'>, installedMs: number): Promise<SeedBook> {
  const keys = await KeyRing.load(db.server, encryptionKeyFile(db), { mayMake: true });
  const seeds = new SeedBook(db.server, keys, installedMs);
  await seeds.load(installedMs);
  return seeds;
}

/** A writer of the simulated market on an installation's log, with the secrets in its database. */
export async function openSimulatedWriter(
  house: House,
  installedMs: number,
): Promise<{ writer: WriterTerm; feed: SimulatedFeed; seeds: SeedBook }> {
  const seeds = await openSeeds(house, installedMs);
  const feed = new SimulatedFeed({ products: house.products, seeds, installedMs, sinceMs: installedMs });
  return { writer: await openWriter(house, feed), feed, seeds };
}

/** Makes a product tick at every grid time. */
export async function watch(house: House, product: Product): Promise<void> {
  await house.db.server.query(`insert into watched_products values ($1, now() + interval '10 minutes')`, [
    product.id,
  ]);
}
