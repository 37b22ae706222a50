import type { EarningsSummary, ErrorCode, Input } from '@fairtick/protocol';
import { isDay } from '@fairtick/protocol/day';
import { readAmount } from '../../platform/amounts.ts';
import type { Asset, Assets } from '../../platform/assets.ts';
import { callRow } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { type Handlers, refusalOf, type SessionContext } from '../../platform/http/context.ts';
import { readPage } from '../../platform/paging.ts';
import { claimOf, once } from '../requests/claim-key.ts';
import { type RecordFilter, readRecords, readSummary } from './earnings-queries.ts';

/** The asset when a request names none. */
const DEFAULT_ASSET = 'USDT';

export interface EarningsParts {
  readonly pool: Pool;
  readonly assets: Assets;
}

export function earningsHandlers({ pool, assets }: EarningsParts) {
  const summary = (asset: Asset, { session, language }: SessionContext): Promise<EarningsSummary> =>
    readSummary(pool, { customerId: session.customerId, asset, language });
  const move = async (
    input: Input<'profitTransferIn'>,
    context: SessionContext,
    sign: 1n | -1n,
  ): Promise<EarningsSummary> => {
    const asset = assets.real(input.asset);
    await moveEarnings(pool, context, asset, sign * readAmount(input.amount, asset));
    return summary(asset, context);
  };
  return {
    profitSummary: async ({ asset }, context) => summary(assets.real(asset ?? DEFAULT_ASSET), context),
    profitTransferIn: (input, context) => move(input, context, 1n),
    profitTransferOut: (input, context) => move(input, context, -1n),
    profitRecords: async (input, { session }) => {
      const isDaily = input.kind === 'daily';
      const named = input.asset ?? (isDaily ? DEFAULT_ASSET : undefined);
      const filter = {
        customerId: session.customerId,
        assetId: named === undefined ? undefined : assets.real(named).id,
        hasEmptyDays: isDaily,
        before: input.cursor === undefined ? undefined : readDayCursor(input.cursor),
      };
      const { items, nextCursor } = await readPage(input, (limit) => readRecords(pool, { ...filter, limit }));
      return { items: items.map(({ id: _, ...record }) => record), nextCursor };
    },
  } satisfies Partial<Handlers>;
}

/** @throws RefusalError for a cursor that the API never issued */
function readDayCursor(cursor: string): RecordFilter['before'] {
  const [, year, month, date, assetId] = /^(\d{4})(\d{2})(\d{2})-(\d{1,4})$/.exec(cursor) ?? [];
  const day = `${year}-${month}-${date}`;
  if (assetId === undefined || !isDay(day)) throw refusalOf('INVALID_CURSOR', 'cursor');
  return { day, assetId: Number(assetId) };
}

/** Moves an amount in (above zero) or out, once per key; a refusal does not use up the key. */
async function moveEarnings(
  pool: Pool,
  context: SessionContext,
  asset: Asset,
  amount: bigint,
): Promise<void> {
  const { customerId, tokenHash } = context.session;
  const claim = claimOf(context);
  await once(pool, customerId, claim, async (client) => {
    const values = { tokenHash, keyHash: claim.keyHash, asset: asset.id, amount };
    const { refused } = await callRow<{ refused: ErrorCode | null }>(client, 'earning_move', values);
    if (refused) throw refusalOf(refused, fieldOf(refused));
  });
}

function fieldOf(refused: string): string | null {
  if (refused === 'INSUFFICIENT_BALANCE' || refused === 'EARNINGS_SMALLER') return 'amount';
  return refused === 'REAUTH_REQUIRED' ? null : 'asset';
}
