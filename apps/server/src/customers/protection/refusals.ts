import type { ErrorCode } from '@fairtick/protocol';
import { boundText } from '../../platform/amounts.ts';
import type { Asset } from '../../platform/assets.ts';
import { failureOf } from '../../platform/db/database.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';

const SHOWN: readonly ErrorCode[] = ['ON_BREAK', 'SELF_EXCLUDED', 'DEPOSIT_LIMIT'];

/** Turns the database's refusal of a deposit into the customer's; null for any other error. */
export function protectionRefusal(error: unknown, asset: Asset): RefusalError | null {
  const failure = failureOf(error);
  const code = SHOWN.find((one) => one === failure);
  if (code === undefined) return null;
  if (code !== 'DEPOSIT_LIMIT') return new RefusalError(code);
  const { detail = '0' } = error as { detail?: string };
  return refusalOf(code, 'amount', { bound: boundText(detail, asset) });
}
