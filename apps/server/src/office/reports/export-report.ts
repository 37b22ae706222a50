import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { NoteSigner } from '@fairtick/proof';
import type pg from 'pg';
import type { Assets } from '../../platform/assets.ts';
import { perform } from '../../platform/db/call.ts';
import { ReportFile } from './report-file.ts';
import { type ExportOrder, exportNote, type Moment, type Totals } from './report-note.ts';
import { REPORT_SOURCES, type ReportSource } from './report-sources.ts';

/** Rows in memory at a time; to write them takes some milliseconds. */
const ROWS_AT_ONCE = 500;
const MOST_ROWS = 20_000_000;
/** Of one statement: the snapshot's rows of a year are written to a temporary file of the database. */
const STATEMENT_MS = 30 * 60_000;

export interface ExportParts {
  /** A connection for this export alone, of the server's role under the session of staff or of the owner. */
  readonly client: pg.Client;
  readonly assets: Assets;
  /** The key of acceptances. */
  readonly signer: NoteSigner;
  /** Null: a command of the operator. */
  readonly staffId: string | null;
}

/**
 * The bytes of an export that was begun. One snapshot has the rows, the heads, and the totals that the ledger has by itself. Its rows are
 * kept in the database until they are fetched, so that a slow reader holds no snapshot open. The views of the customers whom the
 * rows name are committed before the first row is shown.
 * @throws Error when the totals differ from the ledger's; the file then has no end and no note
 */
export async function* exportReport(parts: ExportParts, order: ExportOrder): AsyncGenerator<Buffer> {
  let isWhole = false;
  try {
    yield* writeFile(parts, order);
    isWhole = true;
  } finally {
    // Also when the reader has gone, which ends the work at its last yield.
    if (!isWhole) await noteBreak(parts, order).catch(() => {});
  }
}

async function noteBreak({ client, staffId }: ExportParts, { id }: ExportOrder): Promise<void> {
  await client.query('rollback');
  await perform(client, 'report_end', { staff: staffId, id, rows: null, sha256: null, note: null });
}

async function* writeFile(parts: ExportParts, order: ExportOrder): AsyncGenerator<Buffer> {
  const { client, assets } = parts;
  const source = REPORT_SOURCES[order.report];
  const file = new ReportFile(source, { ...order, assets });
  const hash = createHash('sha256');
  const hashed = (text: string) => {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    return bytes;
  };
  // The first bytes come before the queries, which take minutes for a long period.
  const begin = hashed(file.begin());
  if (begin.length > 0) yield begin;
  const { moment, totals } = await openRows(parts, order, { source, sql: file.sql });
  for (;;) {
    const { rows } = await client.query<(string | null)[]>({
      text: `fetch ${ROWS_AT_ONCE} from report_rows`,
      rowMode: 'array',
    });
    if (rows.length === 0) break;
    yield hashed(file.next(rows));
    if (file.rows > MOST_ROWS) throw new Error(`the report has more than ${MOST_ROWS} rows`);
    await breathe();
  }
  const end = hashed(file.end());
  demandEqual(order, file.totals, totals);
  const made = { rows: file.rows, sha256: hash.digest(), totals: file.totals, moment };
  await client.query('close report_rows');
  const { rows, sha256 } = made;
  const note = exportNote(order, made, parts);
  await perform(client, 'report_end', { staff: parts.staffId, id: order.id, rows, sha256, note });
  // The file ends after its note is kept, so that a file that arrives has its note.
  if (end.length > 0) yield end;
}

/** Opens the cursor `report_rows`, which outlives its transaction. */
async function openRows(
  { client, staffId }: ExportParts,
  order: ExportOrder,
  { source, sql }: { readonly source: ReportSource; readonly sql: string },
): Promise<{ moment: Moment; totals: Totals | null }> {
  const values = [new Date(order.since).toISOString(), new Date(order.until).toISOString(), order.zone];
  // Each query has all parameters, whether it needs them or not.
  const given = 'num_nulls($1::timestamptz, $2::timestamptz, $3::text) = 0';
  await client.query('begin isolation level repeatable read');
  await client.query(`select set_config('statement_timeout', $1, true)`, [String(STATEMENT_MS)]);
  // A loop over an index for each of millions of rows would take hours, and parallel workers would take processors from placement.
  await client.query('set local enable_nestloop = off');
  await client.query('set local max_parallel_workers_per_gather = 0');
  const moment = await readMoment(client);
  if (staffId !== null && source.columns.some(([name]) => name === 'customer')) {
    await client.query(
      `insert into personal_data_views (staff_id, customer_id, what, subject_id)
       select $4::bigint, r.customer, 'report', $5::bigint from (select distinct customer from (${source.rows}) r where ${given}) r where r.customer is not null`,
      [...values, staffId, order.id],
    );
  }
  const sorted = source.order.map((name) => `r."${name}"`).join(', ');
  const totals = source.totals ? await readTotals(client, source, { given, values }) : null;
  await client.query(
    `declare report_rows no scroll cursor with hold for select ${sql} from (${source.rows}) r where ${given} order by ${sorted}`,
    values,
  );
  await client.query('commit');
  return { moment, totals };
}

async function readMoment(client: pg.Client): Promise<Moment> {
  const { rows } = await client.query<Moment>(
    `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, encode(l.head, 'hex') as "ledgerHead",
       l.after::text as "ledgerAfter", l.upto::text as "ledgerUpto", h.size::text as "auditSize", encode(h.hash, 'hex') as "auditHead"
     from ledger_head_now() l cross join audit_head h`,
  );
  return rows[0] as Moment;
}

async function readTotals(
  client: pg.Client,
  { columns, totals }: ReportSource,
  { given, values }: { given: string; values: readonly string[] },
): Promise<Totals> {
  const names = columns.filter(([, , total]) => total).map(([name]) => name);
  const { rows } = await client.query<Record<string, string | null>>(
    `select r.* from (${totals}) r where ${given}`,
    [...values],
  );
  return new Map(
    rows.map((row) => [
      Number(row.asset),
      new Map(names.map((name) => [name, BigInt(row[name] ?? 0)] as const)),
    ]),
  );
}

/** @throws Error when a total of the rows is not the ledger's; an absent one is zero in both */
function demandEqual(order: ExportOrder, own: Totals, ledger: Totals | null): void {
  if (ledger === null) return;
  for (const asset of new Set([...own.keys(), ...ledger.keys()])) {
    const [ours, theirs] = [own.get(asset), ledger.get(asset)];
    for (const name of new Set([...(ours?.keys() ?? []), ...(theirs?.keys() ?? [])])) {
      const [sum, said] = [ours?.get(name) ?? 0n, theirs?.get(name) ?? 0n];
      if (sum !== said)
        throw new Error(
          `export ${order.id}: ${name} of asset ${asset} adds up to ${sum}, and the ledger says ${said}`,
        );
    }
  }
}
