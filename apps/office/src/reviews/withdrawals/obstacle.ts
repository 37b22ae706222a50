import type { OfficeData } from '@fairtick/protocol/office';
import { useText } from '../../messages/text-context.tsx';
import { formatTime } from '../../state/format.ts';

/** Returns the reason that prevents an approval; null: there is none. */
export function useObstacle(data: OfficeData<'withdrawal/detail'>, nowMs: number): string | null {
  const { t } = useText();
  if (data.destination.isGone) return t('withdrawal.gone');
  if (data.realStatus !== 'verified') return t('withdrawal.unverified');
  if (data.status !== 'review') return null;
  if (data.waitsForClaim) return t('withdrawal.claimed');
  return data.payableAt !== null && data.payableAt > nowMs
    ? t('withdrawal.held', { time: formatTime(data.payableAt) })
    : null;
}
