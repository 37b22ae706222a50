import { durationText } from '@fairtick/ui/durations';
import { useText } from '../messages/text-context.tsx';
import type { Case } from './queries.ts';

/** How long a customer has waited, and the time left until the promised answer, in minutes that add up to the promise. */
export function useWaitText(): (row: Pick<Case, 'waitingSince' | 'answerBy'>, nowMs: number) => string {
  const { t, tag } = useText();
  const text = (minutes: number) => durationText(minutes * 60_000, tag);
  return ({ waitingSince, answerBy }, nowMs) => {
    if (waitingSince === null) return t('chat.answered');
    const waited = Math.max(1, Math.floor((nowMs - waitingSince) / 60_000));
    const time = text(waited);
    if (answerBy === null) return t('chat.waits', { time });
    const left = Math.round((answerBy - waitingSince) / 60_000) - waited;
    if (left === 0) return t('chat.waitsDue', { time });
    return left > 0
      ? t('chat.waitsLeft', { time, left: text(left) })
      : t('chat.waitsLate', { time, late: text(-left) });
  };
}
