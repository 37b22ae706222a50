import type { StatusOf } from '@fairtick/protocol/lifecycles';
import { refreshWaiting } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { useToast } from '../state/toast.ts';

/**
 * The state of a proposal after a verdict. `proposed`: approved, and one more person has to agree. `withdrawn`: refused by its
 * proposer.
 */
export type Outcome = StatusOf<'proposal'> | 'withdrawn';

/**
 * Tells the reader the outcome of their verdict and refetches what it concerns.
 * @param done shown once the proposal has taken effect; by default a text for any change
 * @param amount the amount that was approved, if there is one
 */
export function useOutcome(refresh: () => Promise<unknown>, done?: string, amount = '') {
  const { t } = useText();
  const texts = {
    done: done ?? t('staff.done'),
    refused: t('staff.refused'),
    withdrawn: t('decision.withdrawn'),
    proposed: t('decision.oneMore', { amount }),
  };
  return async (outcome: Outcome): Promise<void> => {
    useToast.getState().show(texts[outcome]);
    await Promise.all([refresh(), refreshWaiting()]);
  };
}
