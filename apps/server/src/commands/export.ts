import { createWriteStream, existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isReportZone, MOST_REPORT_MS, REPORT_FORMATS, REPORT_NAMES } from '@fairtick/protocol/office';
import { Temporal } from 'temporal-polyfill';
import { loadSigningKeys } from '../market/keys/signing-keys.ts';
import { readLastCheckpoint } from '../market/log/log-head.ts';
import { exportReport } from '../office/reports/export-report.ts';
import { beginExport } from '../office/reports/office.ts';
import { Assets } from '../platform/assets.ts';
import { call } from '../platform/db/call.ts';
import { withClient } from '../platform/db/with-client.ts';
import type { Arguments, Command } from './command.ts';
import { withInstallation } from './installation.ts';

export const EXPORT: Command = {
  name: 'export',
  needs: ['REPORT', 'FILE'],
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    zone: { type: 'string' },
    format: { type: 'string' },
    reason: { type: 'string' },
  },
  usage: '--from DAY --to DAY --reason TEXT [--zone ZONE] [--format FORMAT]',
  does: 'Writes a report of the house into a file, and what it is, signed, into FILE.note.txt',
  help: `REPORT is one of ${REPORT_NAMES.join(', ')}. Both days (2026-11-01) belong to the period, in ZONE (UTC without it);
balances are those of the period's end. FORMAT is ${REPORT_FORMATS.join(', ')} (csv without it). The audit log names the export.`,
  failure: 'Nothing was exported',
  run: async ({ values, positionals: [report = '', file = ''] }) => {
    const order = readOrder(report, values);
    if (existsSync(file)) throw new Error(`${file} exists`);
    const { id, rows, sha256 } = await withInstallation(({ database, signingKeyFile }) =>
      withClient(database.admin, 'export', async (client) => {
        await client.query(`set timezone = 'UTC'`);
        await client.query('set jit = off');
        if (!existsSync(signingKeyFile)) throw new Error(`${signingKeyFile} is missing`);
        const origin = await client.query<{ origin: string }>('select origin from log_head');
        const note = await readLastCheckpoint(client);
        const keys = loadSigningKeys(signingKeyFile, origin.rows[0]?.origin ?? '', note);
        const ordered = await call<string>(client, 'report_order', order);
        const begun = await beginExport(client, { id: ordered, staffId: null });
        const parts = { client, assets: await Assets.load(client), signer: keys.acceptances, staffId: null };
        // A file that exists is not overwritten.
        const to = createWriteStream(file, { flags: 'wx', mode: 0o600 });
        await pipeline(Readable.from(exportReport(parts, begun)), to);
        const made = await client.query<{ note: string; rows: string; sha256: string }>(
          `select note, rows, encode(sha256, 'hex') as sha256 from report_exports where id = $1`,
          [begun.id],
        );
        const done = made.rows[0] as (typeof made.rows)[0];
        await writeFile(`${file}.note.txt`, done.note, { flag: 'wx', mode: 0o600 });
        return { id: begun.id, ...done };
      }),
    );
    console.log(`export ${id}: ${rows} rows in ${file}, SHA-256 ${sha256}`);
    return 0;
  },
};

function readOrder(report: string, values: Arguments['values']) {
  const { from, to, zone = 'UTC', format = 'csv', reason } = values as Partial<Record<string, string>>;
  if (!REPORT_NAMES.some((name) => name === report)) throw new Error(`there is no report ${report}`);
  if (!REPORT_FORMATS.some((name) => name === format)) throw new Error(`there is no format ${format}`);
  if (!isReportZone(zone)) throw new Error(`there is no time zone ${zone}`);
  if (reason === undefined || reason.length < 5)
    throw new Error('say why with --reason, in five characters or more');
  const [since, until] = [startOf(from, zone, 0), startOf(to, zone, 1)];
  if (until <= since || until.getTime() - since.getTime() > MOST_REPORT_MS)
    throw new Error('the period has to end after its begin, and within a year');
  return { staff: null, report, format, zone, since, until, reason };
}

function startOf(day: string | undefined, zone: string, later: number): Date {
  if (day === undefined || !/^\d{4}-\d\d-\d\d$/.test(day))
    throw new Error('say the period with --from and --to, each as 2026-11-01');
  const start = Temporal.PlainDate.from(day, { overflow: 'reject' })
    .add({ days: later })
    .toZonedDateTime(zone);
  return new Date(start.epochMilliseconds);
}
