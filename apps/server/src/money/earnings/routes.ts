import { randomUUID } from 'node:crypto';
import { parseAmount } from '@fairtick/money';
import type { EarningsSummary, Input } from '@fairtick/protocol';
import { isDay } from '@fairtick/protocol/day';
import type { Asset, Assets } from '../../platform/assets.ts';
import { type Pool, transaction } from '../../platform/db/database.ts';
import { type Handlers, RefusalError, type SessionContext } from '../../platform/http/context.ts';
import { pageOf } from '../../platform/paging.ts';
import { hashInput, hashKey } from '../../platform/request-hashes.ts';
import { claimKey } from '../requests/claim-key.ts';
import { refusalOf } from '../requests/refusals.ts';
import { type RecordFilter, readRecords, readSummary } from './earnings-queries.ts';

const DEFAULT_LIMIT = 20;
/** The asset when a request names none. */
const DEFAULT_ASSET = 'USDT';

export interface EarningsParts {
  readonly pool: Pool;
  readonly assets: Assets;
}

type EarningsEndpoint = 'profitSummary' | 'profitTransferIn' | 'profitTransferOut' | 'profitRecords';

export function earningsHandlers(parts: EarningsParts): Pick<Handlers, EarningsEndpoint> {
  const { pool, assets } = parts;
  const summary = (asset: Asset, { session, language }: SessionContext): Promise<EarningsSummary> =>
    readSummary(pool, assets, { customerId: session.customerId, asset, language });
  const move = async (
    input: Input<'profitTransferIn'>,
    context: SessionContext,
    sign: 1n | -1n,
  ): Promise<EarningsSummary> => {
    const asset = earningAsset(assets, input.asset);
    const amount = parseAmount(input.amount, asset.scale);
    if (amount === null) throw refusalOf('INVALID_AMOUNT', 'amount');
    await moveEarnings(pool, context, { asset, amount: sign * amount });
    return summary(asset, context);
  };
  return {
    profitSummary: ({ asset }, context) => summary(earningAsset(assets, asset ?? DEFAULT_ASSET), context),
    profitTransferIn: (input, context) => move(input, context, 1n),
    profitTransferOut: (input, context) => move(input, context, -1n),
    profitRecords: async (input, { session }) => {
      const limit = input.limit ?? DEFAULT_LIMIT;
      const isDaily = input.kind === 'daily';
      const named = input.asset ?? (isDaily ? DEFAULT_ASSET : undefined);
      const records = await readRecords(pool, assets, {
        customerId: session.customerId,
        assetId: named === undefined ? null : earningAsset(assets, named).id,
        hasEmptyDays: isDaily,
        before: input.cursor === undefined ? null : readDayCursor(input.cursor),
        limit: limit + 1,
      });
      const { items, nextCursor } = pageOf(records, limit);
      return { items: items.map(({ id: _, ...record }) => record), nextCursor };
    },
  };
}

/** @throws RefusalError for an unknown asset, or for practice money */
function earningAsset(assets: Assets, code: string): Asset {
  const asset = assets.byCode(code);
  if (!asset || asset.isPractice) throw refusalOf('ASSET_NOT_ACCEPTED', 'asset');
  return asset;
}

/** @throws RefusalError for a cursor that the API never issued */
function readDayCursor(cursor: string): RecordFilter['before'] {
  const [, year, month, date, assetId] = /^(\d{4})(\d{2})(\d{2})-(\d{1,4})$/.exec(cursor) ?? [];
  const day = `${year}-${month}-${date}`;
  if (assetId === undefined || !isDay(day))
    throw new RefusalError('INVALID_CURSOR', { fields: { cursor: 'INVALID_CURSOR' } });
  return { day, assetId: Number(assetId) };
}

/** Moves an amount in (above zero) or out, once per key; a refusal does not use up the key. */
async function moveEarnings(
  pool: Pool,
  context: SessionContext,
  { asset, amount }: { asset: Asset; amount: bigint },
): Promise<void> {
  const { customerId, tokenHash } = context.session;
  const keyHash = hashKey(context.idempotencyKey ?? randomUUID());
  const inputHash = hashInput(context.path, context.fields);
  await transaction(pool, async (client) => {
    if (!(await claimKey(client, customerId, { keyHash, inputHash }))) return;
    const { rows } = await client.query<{ refused: Parameters<typeof refusalOf>[0] | null }>(
      'select earning_move($1, $2, $3::smallint, $4) as refused',
      [tokenHash, keyHash, asset.id, amount],
    );
    const refused = rows[0]?.refused;
    if (refused) throw refusalOf(refused, fieldOf(refused));
  });
}

function fieldOf(refused: string): string | null {
  if (refused === 'INSUFFICIENT_BALANCE' || refused === 'EARNINGS_SMALLER') return 'amount';
  return refused === 'REAUTH_REQUIRED' ? null : 'asset';
}
