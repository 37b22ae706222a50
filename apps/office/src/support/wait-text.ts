import { durationText } from '@fairtick/ui/durations';
import { useText } from '../messages/text-context.tsx';
import type { Case } from './queries.ts';

/** How long a customer has waited, and the time left until the promised answer. */
export function useWaitText(): (row: Pick<Case, 'waitingSince' | 'answerBy'>, nowMs: number) => string {
  const { t, tag } = useText();
  const text = (minutes: number) => durationText(minutes * 60_000, tag);
  return ({ waitingSince, answerBy }, nowMs) => {
    if (waitingSince === null) return t('chat.answered');
    const time = text(Math.max(1, Math.floor((nowMs - waitingSince) / 60_000)));
    if (answerBy === null) return t('chat.waits', { time });
    const left = Math.ceil((answerBy - nowMs) / 60_000);
    return left > 0
      ? t('chat.waitsLeft', { time, left: text(left) })
      : t('chat.waitsLate', { time, late: text(Math.max(1, -left)) });
  };
}
