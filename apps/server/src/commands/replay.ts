import { parseArgs } from 'node:util';
import { isDay } from '@fairtick/protocol/day';
import { withClient } from '../platform/db/with-client.ts';
import { ordersOfDay } from '../transparency/replay/ledger-orders.ts';
import {
  type DecidedOrder,
  type DecidingPrice,
  type ReplayReport,
  replayOrders,
  wordsOfBatchFault,
} from '../transparency/replay/replay-orders.ts';
import { withInstallation } from './installation.ts';

/**
 * `npm run fairtick -- replay`: settles one order, a day's or all again from the log of an installation, running or not,
 * compares them with the ledger, and changes nothing. The database is that of DATABASE_URL, else the embedded one under
 * DATA_DIR. Exits with 0 when nothing differs, 1 when something does, 2 when the replay could not run.
 */
const REPLAY_USAGE = `fairtick replay [--day YYYY-MM-DD | --order ID] [--json]
  Settles orders again from the log alone and compares with the ledger: those of a day (by their acceptance, UTC), one, or
  all. Of one order it prints the prices that decide it. Reads the database of DATABASE_URL, or the one under DATA_DIR; a server may run meanwhile.
`;

interface Wanted {
  readonly dayMs: number | null;
  readonly order: number | null;
  readonly isJson: boolean;
}

export async function replay(args: readonly string[]): Promise<number> {
  const wanted = readWanted(args);
  if (wanted === null) {
    process.stderr.write(REPLAY_USAGE);
    return 2;
  }
  try {
    return await run(wanted);
  } catch (error) {
    process.stderr.write(`Nothing was compared: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

function readWanted(args: readonly string[]): Wanted | null {
  try {
    const options = {
      day: { type: 'string' },
      order: { type: 'string' },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseArgs({ args: [...args], options });
    if (values.day !== undefined && !isDay(values.day)) return null;
    const dayMs = values.day === undefined ? null : Date.parse(values.day);
    const isOrder = values.order === undefined || /^[1-9]\d{0,15}$/.test(values.order);
    if (!isOrder || (dayMs !== null && values.order !== undefined)) return null;
    const order = values.order === undefined ? null : Number(values.order);
    return { dayMs, order, isJson: values.json === true };
  } catch (error) {
    // parseArgs throws this for an unknown argument.
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function run({ dayMs, order, isJson }: Wanted): Promise<number> {
  return withInstallation(({ database }) =>
    withClient(database.server, 'replay', async (client) => {
      await client.query('begin isolation level repeatable read read only');
      const day = dayMs === null ? null : await ordersOfDay(client, dayMs);
      if (dayMs !== null && day === null) {
        process.stdout.write('No order was accepted on that day.\n');
        return 0;
      }
      const all = { first: 0, last: Number.MAX_SAFE_INTEGER };
      const range = order === null ? (day ?? all) : { first: order, last: order };
      const begunMs = performance.now();
      const report = await replayOrders(client, range);
      const seconds = (performance.now() - begunMs) / 1000;
      const lines = isJson ? [JSON.stringify({ ...report, seconds })] : wordsOfReplay(report, seconds);
      process.stdout.write(`${lines.join('\n')}\n`);
      return report.differing + report.batchFaults.length === 0 ? 0 : 1;
    }),
  );
}

function wordsOfReplay(report: ReplayReport, seconds: number): string[] {
  const { entries, same, open, due, voids, differing, differences, batchFaults, decided } = report;
  const rate = Math.round(entries / Math.max(seconds, 0.001));
  return [
    `Read ${entries} entries of the log in ${seconds.toFixed(1)} s (${rate} a second).`,
    `${same} orders came to what the ledger says of them, ${voids} of all being void. ${open} are open, ${due} are due.`,
    ...wordsOfDecided(decided),
    ...differences.map(
      ({ orderId, what, byLog, inLedger }) =>
        `DIFFERS order ${orderId}, ${what}: by the log ${byLog}, in the ledger ${inLedger}`,
    ),
    ...batchFaults.map((fault) => `WRONG: ${wordsOfBatchFault(fault)}`),
    differing === 0 ? 'Nothing differs.' : `${differing} orders differ from what the log says.`,
  ];
}

function wordsOfDecided(decided: DecidedOrder | null): string[] {
  if (decided === null) return [];
  const { orderId, result, voidReason, opening, settlement } = decided;
  const at = (ms: number) => new Date(ms).toISOString();
  const words = (name: string, price: DecidingPrice | null) =>
    price === null
      ? [`  ${name}: none`]
      : [
          `  ${name} ${price.price} at ${at(price.fixMs)}, entry ${price.index} of the log`,
          ...price.records.map(({ source, use, record }) =>
            record === null
              ? `    ${source}: ${use}`
              : `    ${source}: ${record.price}, record ${record.number} of ${at(record.timeMs)}, ${use}`,
          ),
        ];
  return [
    `Order ${orderId}: ${result}${voidReason === null ? '' : `, void: ${voidReason}`}.`,
    ...words('opening', opening),
    ...words('settlement', settlement),
  ];
}
