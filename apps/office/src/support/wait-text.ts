import { useText } from '../messages/text-context.tsx';
import type { Case } from './queries.ts';

/** How long a customer has waited, and the time left until the promised answer. */
export function useWaitText(): (row: Pick<Case, 'waitingSince' | 'answerBy'>, nowMs: number) => string {
  const { t } = useText();
  return ({ waitingSince, answerBy }, nowMs) => {
    if (waitingSince === null) return t('chat.answered');
    const minutes = Math.max(0, Math.floor((nowMs - waitingSince) / 60_000));
    if (answerBy === null) return t('chat.waits', { minutes });
    const left = Math.ceil((answerBy - nowMs) / 60_000);
    return left > 0 ? t('chat.waitsLeft', { minutes, left }) : t('chat.waitsLate', { minutes, late: -left });
  };
}
