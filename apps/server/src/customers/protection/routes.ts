import type { ErrorCode, Protection } from '@fairtick/protocol';
import { readAmount } from '../../platform/amounts.ts';
import type { Assets } from '../../platform/assets.ts';
import { callRow } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { type Handlers, refusalOf, type SessionContext } from '../../platform/http/context.ts';
import { readProtection } from './own-limits.ts';

const LEAST_MINUTES = 15;

export function protectionHandlers({ pool, assets }: { pool: Pool; assets: Assets }) {
  /** Calls the database, and answers with the protection that results. */
  const decide = async (
    { customerId, tokenHash }: SessionContext['session'],
    name: 'limit_set' | 'reminder_set' | 'break_take',
    values: object,
  ): Promise<Protection> => {
    const { refused } = await callRow<{ refused: ErrorCode | null }>(pool, name, { tokenHash, ...values });
    if (refused) throw refusalOf(refused, name === 'limit_set' ? 'asset' : null);
    return readProtection(pool, customerId);
  };
  return {
    protection: (_input, { session }) => readProtection(pool, session.customerId),
    setLimit: async ({ asset: code, kind, per, amount: text }, { session }) => {
      const asset = assets.named(code);
      const amount = text === undefined ? null : readAmount(text, asset);
      return decide(session, 'limit_set', { asset: asset.id, kind, per, amount });
    },
    setReminder: async ({ minutes }, { session }) => {
      if (minutes > 0 && minutes < LEAST_MINUTES) throw refusalOf('INVALID_VALUE', 'minutes');
      return decide(session, 'reminder_set', { minutes: minutes || null });
    },
    takeBreak: ({ hours }, { session }) =>
      decide(session, 'break_take', { kind: 'break', hours, months: null }),
    selfExclude: ({ months: chosen }, { session }) => {
      const months = chosen === 'forever' ? null : chosen;
      return decide(session, 'break_take', { kind: 'exclusion', hours: null, months });
    },
  } satisfies Partial<Handlers>;
}
