import type pg from 'pg';

/** The highest transaction ids that rows hold; each table is there after the tables were made. */
const COLUMNS = [
  'ledger.house_watermark.xid',
  'ledger.house_movements.xid',
  'ledger.transfers.xid',
  'public.settled_promises.xid',
  'public.settled_income.xid',
  'public.public_heads.upto',
  'public.outbox.xid',
].map((column) => column.replace(/\.(\w+)$/, ' $1').split(' '));
const HIGHEST = `select greatest(${COLUMNS.map(
  ([table, column]) => `(select ${column} from ${table} order by ${column} desc limit 1)`,
).join(', ')})::text as highest`;
/** Each turn ends one transaction with an id. */
const PASS = (count: number) => `do $$ begin
  for _turn in 1..${count} loop perform pg_current_xact_id(); commit; end loop;
end $$`;
const AT_ONCE = 100_000;

/**
 * Rows of the ledger hold the ids of their transactions, by which sums count each once. A database that came from another server, by a
 * copy or a dump, has ids that this server has not reached: they are passed here, so that new rows have higher ones.
 */
export async function passTransactions(client: pg.Client, say: (text: string) => void): Promise<void> {
  const { rows } = await client.query<{ highest: string | null }>(HIGHEST);
  const highest = BigInt(rows[0]?.highest ?? 0);
  let isTold = false;
  for (;;) {
    const { rows: now } = await client.query<{ next: string }>(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
    );
    const missing = highest - BigInt(now[0]?.next ?? 0) + 1n;
    if (missing <= 0n) return;
    if (!isTold) say(`${missing} transaction ids of the server that the rows come from are passed`);
    isTold = true;
    await client.query(PASS(Number(missing < AT_ONCE ? missing : AT_ONCE)));
  }
}
