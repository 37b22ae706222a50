import type { AnsweredFile, FundEntry, Input, Language } from '@fairtick/protocol';
import type { Assets } from '../../platform/assets.ts';
import { readBalances } from '../../platform/balances.ts';
import { call } from '../../platform/db/call.ts';
import { failureOf, type Pool } from '../../platform/db/database.ts';
import { BOUNDS } from '../../platform/fairness/bounds.ts';
import { type Handlers, refusalOf, type SessionContext } from '../../platform/http/context.ts';
import { readPage } from '../../platform/paging.ts';
import { WorkThread } from '../../platform/threads/work-thread.ts';
import { claimOf, once } from '../requests/claim-key.ts';
import { fundCsv } from './export-csv.ts';
import { type FundFilter, readFundLog } from './fund-log.ts';
import { readPeriodBalances, timeText } from './statement.ts';
import type { StatementWork } from './statement-worker.ts';
import { readYear } from './year-statement.ts';

export interface FundRouteParts {
  readonly pool: Pool;
  readonly assets: Assets;
}

/** Of the thread that sets statements: a long one takes some seconds on a slow machine. */
const PRESS = { timeMs: 60_000, bounds: BOUNDS.statements };
/** Maximum lines of an export: CSV is quick, a PDF statement is set line by line. */
const MAX_LINES = { csv: 10_000, pdf: 2_000 } as const;

export function fundHandlers(parts: FundRouteParts) {
  const press = new WorkThread<StatementWork>(new URL('./statement-worker.ts', import.meta.url), PRESS);
  return {
    fundLog: (input, { session }) => readPage(input, (limit) => readOwn(parts, session, { ...input, limit })),
    fundExport: (input, { session, language }) => exportFunds({ ...parts, press }, input, session, language),
    fundYear: async ({ year, zone = 'UTC' }, { session: { customerId }, language }) => {
      const account = await readAccount(parts.pool, customerId);
      const statement = await readYear(parts.pool, parts.assets, { customerId, account, year, zone });
      const bytes = await press.run('year', statement, language);
      return { type: 'application/pdf', bytes, name: `fairtick-${year}.pdf` };
    },
    resetDemo: async (_input, context) => {
      try {
        await resetPractice(parts, context);
      } catch (error) {
        throw failureOf(error) === 'TOO_MANY_RESETS' ? await tooManyResets(parts.pool) : error;
      }
      return readBalances(parts.pool, parts.assets, context.session.customerId);
    },
  } satisfies Partial<Handlers>;
}

/** The customer's own entries; an empty list if the asset does not exist. */
async function readOwn(
  { pool, assets }: FundRouteParts,
  { customerId }: SessionContext['session'],
  { asset, ...filter }: Omit<FundFilter, 'customerId' | 'assetId'> & { asset?: string | undefined },
): Promise<FundEntry[]> {
  const known = asset === undefined ? undefined : assets.byCode(asset);
  return known === null ? [] : readFundLog(pool, { ...filter, customerId, assetId: known?.id });
}

/** @throws RefusalError when there are too many lines for one file */
async function exportFunds(
  parts: FundRouteParts & { readonly press: WorkThread<StatementWork> },
  { format, zone = 'UTC', ...input }: Input<'fundExport'>,
  session: SessionContext['session'],
  language: Language,
): Promise<AnsweredFile> {
  const { customerId } = session;
  const most = MAX_LINES[format];
  const nowMs = Date.now();
  const entries = await readOwn(parts, session, { ...input, limit: most + 1 });
  if (entries.length > most) throw refusalOf('EXPORT_TOO_LONG', null, { count: String(most) });
  entries.reverse();
  const name = `fairtick-${timeText(nowMs, zone).slice(0, 10)}.${format}`;
  if (format === 'csv') return { type: 'text/csv; charset=utf-8', bytes: fundCsv(entries, zone), name };
  const fromMs = input.from ?? null;
  const toMs = Math.min(input.to ?? nowMs, nowMs);
  const account = await readAccount(parts.pool, customerId);
  const balances = await readPeriodBalances(parts.pool, { customerId, fromMs, toMs });
  const statement = { account, zone, from: fromMs, to: toMs, entries, balances };
  return { type: 'application/pdf', bytes: await parts.press.run('pdf', statement, language), name };
}

async function readAccount(pool: Pool, customerId: string): Promise<string> {
  const { rows } = await pool.query<{ account: string }>('select account from customers where id = $1', [
    customerId,
  ]);
  return rows[0]?.account ?? '';
}

async function tooManyResets(pool: Pool): Promise<Error> {
  const most = await call<number>(pool, 'ledger.practice_resets_a_day');
  return refusalOf('TOO_MANY_RESETS', null, { count: String(most) });
}

/** Resets practice money, once per key. */
async function resetPractice({ pool, assets }: FundRouteParts, context: SessionContext): Promise<void> {
  const { customerId } = context.session;
  const practice = assets.all.find((asset) => asset.isPractice);
  if (!practice) throw new Error('there is no practice asset');
  const claim = claimOf(context);
  await once(pool, customerId, claim, async (client) => {
    await client.query('select ledger.reset_practice($1, $2, $3, $4)', [
      claim.keyHash.toString('hex'),
      claim.inputHash,
      customerId,
      practice.id,
    ]);
    await client.query(`select tell('orders', $1)`, [`${customerId}:0`]);
  });
}
