import { parseAmount } from '@fairtick/money';
import type { ErrorCode, Protection } from '@fairtick/protocol';
import type { Assets } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import { type Handlers, RefusalError, type SessionContext } from '../../platform/http/context.ts';
import { readProtection } from './own-limits.ts';

type ProtectionEndpoint = 'protection' | 'setLimit' | 'setReminder' | 'takeBreak' | 'selfExclude';

const LEAST_MINUTES = 15;

export function protectionHandlers(parts: {
  pool: Pool;
  assets: Assets;
}): Pick<Handlers, ProtectionEndpoint> {
  const { pool, assets } = parts;
  /** Calls the database, and answers with the protection that results. */
  const decide = async (
    { session }: SessionContext,
    call: string,
    values: readonly unknown[],
    field: string | null = null,
  ): Promise<Protection> => {
    const { rows } = await pool.query<{ refused: ErrorCode | null }>(`select ${call} as refused`, [
      session.tokenHash,
      ...values,
    ]);
    const refused = rows[0]?.refused;
    if (refused) throw new RefusalError(refused, field === null ? {} : { fields: { [field]: refused } });
    return readProtection(pool, assets, session.customerId);
  };
  return {
    protection: (_input, { session }) => readProtection(pool, assets, session.customerId),
    setLimit: ({ asset: code, kind, per, amount }, context) => {
      const asset = assets.byCode(code);
      if (!asset) throw new RefusalError('ASSET_NOT_ACCEPTED', { fields: { asset: 'ASSET_NOT_ACCEPTED' } });
      const most = amount === undefined ? null : parseAmount(amount, asset.scale);
      if (amount !== undefined && most === null)
        throw new RefusalError('INVALID_AMOUNT', { fields: { amount: 'INVALID_AMOUNT' } });
      return decide(context, 'limit_set($1, $2::smallint, $3, $4, $5)', [asset.id, kind, per, most], 'asset');
    },
    setReminder: ({ minutes }, context) => {
      if (minutes > 0 && minutes < LEAST_MINUTES)
        throw new RefusalError('INVALID_VALUE', { fields: { minutes: 'INVALID_VALUE' } });
      return decide(context, 'reminder_set($1, $2)', [minutes || null]);
    },
    takeBreak: ({ hours }, context) => decide(context, `break_take($1, 'break', $2, null)`, [hours]),
    selfExclude: ({ months }, context) =>
      decide(context, `break_take($1, 'exclusion', null, $2)`, [months === 'forever' ? null : months]),
  };
}
