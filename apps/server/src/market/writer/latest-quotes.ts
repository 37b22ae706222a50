import type { ListedQuote, Quote } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';
import type { LatestQuotes } from '../feeds/feed.ts';
import { ENTRY_COLUMNS, type EntryRow, LogReader } from '../log/log-reader.ts';
import type { Products } from '../products.ts';
import { RuleBook } from '../rule-book.ts';

/** The quotes of each product's last tick, and those of a gap without a quorum after it, by source. */
export async function readLatestQuotes(db: Queryable, products: Products): Promise<LatestQuotes> {
  const reader = new LogReader(db, products, new RuleBook(db));
  const latest: LatestQuotes = new Map();
  await readArchived(db, reader, latest);
  const { rows } = await db.query<EntryRow>(
    `select ${columnsOf('t')} from product_states s join log_entries t on t.index = s.tick_index
     union all
     select ${columnsOf('g')} from product_states s cross join lateral (
       select * from log_entries l where l.product_id = s.product_id and l.time_ms > s.tick_ms and l.kind = log_kind('gap') and l.body = 'quorum'
       order by l.time_ms desc, l.index desc limit 1
     ) g where s.gap_reason is not null
     order by index`,
  );
  for (const { productId, quotes } of await reader.symbolEntries(rows)) keep(latest, productId, quotes);
  return latest;
}

const columnsOf = (table: string) =>
  ENTRY_COLUMNS.split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ');

/** Reads the last ticks that are no rows any more: of products whose market has been closed for long. */
async function readArchived(db: Queryable, reader: LogReader, latest: LatestQuotes): Promise<void> {
  const { rows } = await db.query<{ product_id: number; index: string }>(
    `select s.product_id, s.tick_index as index from product_states s
     where s.tick_index < (select coalesce(min(index), 0) from log_entries)`,
  );
  for (const row of rows) {
    const { quotes } = await reader.entry(Number(row.index), 'tick');
    keep(latest, row.product_id, quotes);
  }
}

function keep(latest: LatestQuotes, productId: number, listed: readonly ListedQuote[]): void {
  const quotes = latest.get(productId) ?? new Map<string, Quote>();
  for (const quote of listed) {
    if (quote.use === 'none') continue;
    const { source, price, sourceMs, sourceSeq, receivedMs } = quote;
    quotes.set(source, { source, price, sourceMs, sourceSeq, receivedMs });
  }
  latest.set(productId, quotes);
}
