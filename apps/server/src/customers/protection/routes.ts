import { parseAmount } from '@fairtick/money';
import type { ErrorCode, Protection } from '@fairtick/protocol';
import type { QueryConfig } from 'pg';
import type { Assets } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
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
    { customerId }: SessionContext['session'],
    call: QueryConfig,
    field: string | null = null,
  ): Promise<Protection> => {
    const { rows } = await pool.query<{ refused: ErrorCode | null }>(call);
    const refused = rows[0]?.refused;
    if (refused) throw new RefusalError(refused, field === null ? {} : { fields: { [field]: refused } });
    return readProtection(pool, assets, customerId);
  };
  return {
    protection: (_input, { session }) => readProtection(pool, assets, session.customerId),
    setLimit: ({ asset: code, kind, per, amount: text }, { session }) => {
      const asset = assets.byCode(code);
      if (!asset) throw new RefusalError('ASSET_NOT_ACCEPTED', { fields: { asset: 'ASSET_NOT_ACCEPTED' } });
      const amount = text === undefined ? null : parseAmount(text, asset.scale);
      if (text !== undefined && amount === null)
        throw new RefusalError('INVALID_AMOUNT', { fields: { amount: 'INVALID_AMOUNT' } });
      const { tokenHash } = session;
      return decide(session, SET_LIMIT.with({ tokenHash, asset: asset.id, kind, per, amount }), 'asset');
    },
    setReminder: ({ minutes }, { session }) => {
      if (minutes > 0 && minutes < LEAST_MINUTES)
        throw new RefusalError('INVALID_VALUE', { fields: { minutes: 'INVALID_VALUE' } });
      const { tokenHash } = session;
      return decide(session, SET_REMINDER.with({ tokenHash, minutes: minutes || null }));
    },
    takeBreak: ({ hours }, { session }) => {
      const { tokenHash } = session;
      return decide(session, TAKE_BREAK.with({ tokenHash, kind: 'break', hours, months: null }));
    },
    selfExclude: ({ months: chosen }, { session }) => {
      const { tokenHash } = session;
      const months = chosen === 'forever' ? null : chosen;
      return decide(session, TAKE_BREAK.with({ tokenHash, kind: 'exclusion', hours: null, months }));
    },
  };
}

const SET_LIMIT = new NamedCall('limit_set', {
  tokenHash: 'bytea',
  asset: 'smallint',
  kind: 'text',
  per: 'text',
  amount: 'bigint',
});

const SET_REMINDER = new NamedCall('reminder_set', { tokenHash: 'bytea', minutes: 'int' });

const TAKE_BREAK = new NamedCall('break_take', {
  tokenHash: 'bytea',
  kind: 'text',
  hours: 'int',
  months: 'int',
});
