import { randomUUID } from 'node:crypto';
import type { AnsweredFile, Input, Language } from '@fairtick/protocol';
import type { Assets } from '../../platform/assets.ts';
import { readBalances } from '../../platform/balances.ts';
import { failureOf, type Pool, transaction } from '../../platform/db/database.ts';
import { BOUNDS } from '../../platform/fairness/bounds.ts';
import { type Handlers, RefusalError } from '../../platform/http/context.ts';
import { pageOf, readCursor } from '../../platform/paging.ts';
import { hashInput, hashKey } from '../../platform/request-hashes.ts';
import { WorkThread } from '../../platform/threads/work-thread.ts';
import { claimKey } from '../requests/claim-key.ts';
import { fundCsv } from './export-csv.ts';
import { type FundFilter, readFundLog } from './fund-log.ts';
import { readPeriodBalances, timeText } from './statement.ts';
import type { StatementWork } from './statement-worker.ts';
import { readYear } from './year-statement.ts';

const DEFAULT_LIMIT = 20;

export interface FundRouteParts {
  readonly pool: Pool;
  readonly assets: Assets;
}

/** Of the thread that sets statements: a long one takes some seconds on a slow machine. */
const PRESS = { timeMs: 60_000, bounds: BOUNDS.statements };
/** Maximum lines of an export: CSV is quick, a PDF statement is set line by line. */
const MAX_LINES = { csv: 10_000, pdf: 2_000 } as const;

export function fundHandlers(
  parts: FundRouteParts,
): Pick<Handlers, 'fundLog' | 'fundExport' | 'fundYear' | 'resetDemo'> {
  const press = new WorkThread<StatementWork>(new URL('./statement-worker.ts', import.meta.url), PRESS);
  return {
    fundLog: async (input, { session }) => {
      const limit = input.limit ?? DEFAULT_LIMIT;
      const beforeId = input.cursor === undefined ? null : readCursor(input.cursor);
      const filter = filterOf(parts, input, { customerId: session.customerId, beforeId, limit: limit + 1 });
      return filter
        ? pageOf(await readFundLog(parts.pool, parts.assets, filter), limit)
        : { items: [], nextCursor: null };
    },
    fundExport: (input, { session, language }) =>
      exportFunds({ ...parts, press }, input, session.customerId, language),
    fundYear: async ({ year, zone = 'UTC' }, { session: { customerId }, language }) => {
      const account = await readAccount(parts.pool, customerId);
      const statement = await readYear(parts.pool, parts.assets, { customerId, account, year, zone });
      const bytes = await press.run('year', statement, language);
      return { type: 'application/pdf', bytes, name: `fairtick-${year}.pdf` };
    },
    resetDemo: async (_input, context) => {
      const { customerId } = context.session;
      try {
        await resetPractice(parts, customerId, {
          key: context.idempotencyKey ?? randomUUID(),
          inputHash: hashInput(context.path, context.fields),
        });
      } catch (error) {
        throw failureOf(error) === 'TOO_MANY_RESETS' ? await tooManyResets(parts.pool) : error;
      }
      return readBalances(parts.pool, parts.assets, customerId);
    },
  };
}

/** Null when the asset does not exist, so that nothing can match. */
function filterOf(
  { assets }: FundRouteParts,
  input: Omit<Input<'fundLog'>, 'limit' | 'cursor'>,
  rest: { customerId: string; beforeId: number | null; limit: number },
): FundFilter | null {
  const asset = input.asset === undefined ? undefined : assets.byCode(input.asset);
  if (asset === null) return null;
  return {
    ...rest,
    type: input.type ?? null,
    result: input.result ?? null,
    assetId: asset?.id ?? null,
    fromMs: input.from ?? null,
    toMs: input.to ?? null,
  };
}

/** @throws RefusalError when there are too many lines for one file */
async function exportFunds(
  parts: FundRouteParts & { readonly press: WorkThread<StatementWork> },
  { format, zone = 'UTC', ...input }: Input<'fundExport'>,
  customerId: string,
  language: Language,
): Promise<AnsweredFile> {
  const most = MAX_LINES[format];
  const nowMs = Date.now();
  const filter = filterOf(parts, input, { customerId, beforeId: null, limit: most + 1 });
  const entries = filter ? await readFundLog(parts.pool, parts.assets, filter) : [];
  if (entries.length > most)
    throw new RefusalError('EXPORT_TOO_LONG', { parameters: { count: String(most) } });
  entries.reverse();
  const name = `fairtick-${timeText(nowMs, zone).slice(0, 10)}.${format}`;
  if (format === 'csv') return { type: 'text/csv; charset=utf-8', bytes: fundCsv(entries, zone), name };
  const fromMs = input.from ?? null;
  const toMs = Math.min(input.to ?? nowMs, nowMs);
  const account = await readAccount(parts.pool, customerId);
  const balances = await readPeriodBalances(parts.pool, parts.assets, { customerId, fromMs, toMs });
  const statement = { account, zone, from: fromMs, to: toMs, entries, balances };
  return { type: 'application/pdf', bytes: await parts.press.run('pdf', statement, language), name };
}

async function readAccount(pool: Pool, customerId: string): Promise<string> {
  const { rows } = await pool.query<{ account: string }>('select account from customers where id = $1', [
    customerId,
  ]);
  return rows[0]?.account ?? '';
}

async function tooManyResets(pool: Pool): Promise<RefusalError> {
  const { rows } = await pool.query<{ most: number }>('select ledger.practice_resets_a_day() as most');
  return new RefusalError('TOO_MANY_RESETS', { parameters: { count: String(rows[0]?.most) } });
}

/** Resets practice money, once per key. */
async function resetPractice(
  parts: FundRouteParts,
  customerId: string,
  { key, inputHash }: { key: string; inputHash: Buffer },
): Promise<void> {
  const practice = parts.assets.all.find((asset) => asset.isPractice);
  if (!practice) throw new Error('there is no practice asset');
  const keyHash = hashKey(key);
  await transaction(parts.pool, async (client) => {
    if (!(await claimKey(client, customerId, { keyHash, inputHash }))) return;
    await client.query('select ledger.reset_practice($1, $2, $3, $4)', [
      keyHash.toString('hex'),
      inputHash,
      customerId,
      practice.id,
    ]);
    await client.query(`select pg_notify('orders', $1)`, [`${customerId}:0`]);
  });
}
