import { Readable } from 'node:stream';
import type { NoteSigner } from '@fairtick/proof';
import {
  MOST_REPORT_MS,
  type OfficeData,
  type OfficeInput,
  REPORTS,
  type ReportFormat,
  type reportOperations,
} from '@fairtick/protocol/office';
import pg from 'pg';
import type { Logger } from 'pino';
import { Temporal } from 'temporal-polyfill';
import type { Assets } from '../../platform/assets.ts';
import { actingHash, tellActing } from '../../platform/db/acting-staff.ts';
import { call } from '../../platform/db/call.ts';
import { type Pool, type Queryable, refuseStandby } from '../../platform/db/database.ts';
import { OverloadError } from '../../platform/fairness/overload-error.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import { OfficeFile, type OfficeHandlers, type StaffSession } from '../../platform/office-area.ts';
import { ms, who } from '../../platform/office-queries.ts';
import { readPage } from '../../platform/paging.ts';
import { exportReport } from './export-report.ts';
import type { ExportOrder } from './report-note.ts';

export interface ReportParts {
  readonly pool: Pool;
  readonly address: pg.ClientConfig;
  readonly assets: Assets;
  readonly signer: NoteSigner;
  readonly log: Logger;
}

type Row = OfficeData<'report/list'>['items'][number];

const LEAST_REASON = 5;
/** The longest time of an export, ms: a reader who stops reading would keep its connection. */
const MOST_EXPORT_MS = 3 * 3_600_000;
const TYPES: Readonly<Record<ReportFormat, OfficeFile['type']>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  jsonl: 'application/jsonl',
};

/** Reports as files: ordered with a reason, fetched once by who ordered, one at a time in a process. */
export function reportHandlers(parts: ReportParts): OfficeHandlers<keyof typeof reportOperations> {
  const { pool } = parts;
  let isBusy = false;
  return {
    'report/order': async (input, { session }) => {
      const { report, format, from, to, zone = 'UTC', reason } = demandOrder(input, session);
      const values = { report, format, zone, since: new Date(from), until: new Date(to), reason };
      return { id: await call(pool, 'report_order', { staff: session.staffId, ...values }) };
    },
    'report/file': async ({ id }, { session }) => {
      if (isBusy) throw new OverloadError('an export is made in this process');
      const order = await beginExport(pool, { id, staffId: session.staffId });
      demandRole(order.report, session);
      isBusy = true;
      const bytes = Readable.from(makeFile(parts, order, { staffId: session.staffId, hash: actingHash() }), {
        objectMode: false,
      });
      bytes.once('close', () => {
        isBusy = false;
      });
      return new OfficeFile(TYPES[order.format], bytes, `${nameOf(order)}.${order.format}`);
    },
    'report/note': async ({ id }) => {
      const { rows } = await pool.query<Named & { note: string }>(
        `select id::text, note, report, zone, ${ms('since')} as since, ${ms('until')} as until from report_exports where id = $1 and note is not null`,
        [id],
      );
      if (!rows[0]) throw new RefusalError('REQUEST_NOT_FOUND');
      return new OfficeFile(
        'text/plain; charset=utf-8',
        Buffer.from(rows[0].note),
        `${nameOf(rows[0])}.note.txt`,
      );
    },
    'report/list': (filter) =>
      readPage(filter, async (limit) => (await pool.query<Row>(EXPORTS, [filter.cursor, limit])).rows),
  };
}

/** @throws RefusalError */
function demandOrder(input: OfficeInput<'report/order'>, session: StaffSession): OfficeInput<'report/order'> {
  demandRole(input.report, session);
  if (input.reason.length < LEAST_REASON) throw refusalOf('FORM_INCOMPLETE', 'reason');
  const { from, to } = input;
  if (to <= from || to - from > MOST_REPORT_MS) throw refusalOf('INVALID_VALUE', 'to');
  return input;
}

/** @throws RefusalError */
function demandRole(report: ExportOrder['report'], session: StaffSession): void {
  if (!REPORTS[report].roles.some((role) => session.roles.has(role))) throw new RefusalError('ROLE_MISSING');
}

/** Marks an ordered export as begun. The database refuses one that is another's, too old or begun already. */
export async function beginExport(
  db: Queryable,
  { id, staffId }: { id: string; staffId: string | null },
): Promise<ExportOrder> {
  const { rows } = await db.query<ExportOrder>(
    `select id::text, report, format, zone, ${ms('since')} as since, ${ms('until')} as until from report_begin($1, $2)`,
    [staffId, id],
  );
  return rows[0] as ExportOrder;
}

async function* makeFile(
  { address, assets, signer, log }: ReportParts,
  order: ExportOrder,
  acting: { readonly staffId: string; readonly hash: Buffer | undefined },
): AsyncGenerator<Buffer> {
  const client = new pg.Client({
    ...address,
    application_name: 'fairtick report',
    options: '-c timezone=UTC -c jit=off',
  });
  client.on('error', () => {});
  const end = () => client.end().catch(() => {});
  const deadline = setTimeout(end, MOST_EXPORT_MS);
  try {
    await client.connect();
    await refuseStandby(client);
    await tellActing(client, acting.hash);
    yield* exportReport({ client, assets, signer, staffId: acting.staffId }, order);
  } catch (error) {
    log.error({ err: error, export: order.id }, 'an export of a report broke off');
    throw error;
  } finally {
    clearTimeout(deadline);
    await end();
  }
}

type Named = Pick<ExportOrder, 'id' | 'since' | 'until' | 'zone'> & { readonly report: string };

/** fairtick-orders-2026-11-01-2026-11-30-1000: both days included, as they were ordered. */
const nameOf = ({ id, report, since, until, zone }: Named) =>
  ['fairtick', report, ...[since, until - 1].map((time) => dayIn(zone, time)), id].join('-');
const dayIn = (zone: string, ms: number) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate().toString();

const EXPORTS = `select r.id::text, r.report, r.format, r.zone, ${ms('r.since')} as since, ${ms('r.until')} as until, r.reason,
    ${who('r.ordered_by')} as "orderedBy", ${ms('r.ordered_at')} as "orderedAt",
    case when r.note is not null then 'done' when r.ended_at is null and r.begun_at > now() - interval '3 hours' then 'running'
      when r.begun_at is null and r.ordered_at > now() - interval '15 minutes' then 'ordered' else 'broken' end as state,
    r.rows::float8 as rows, encode(r.sha256, 'hex') as sha256
  from report_exports r where $1::bigint is null or r.id < $1 order by r.id desc limit $2`;
