import type { Order } from '@fairtick/protocol';
import { CheckIcon, FaultIcon, HourglassIcon } from '@fairtick/ui';
import type { MessageId } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { type EvidenceState, useEvidence } from '../state/evidence.ts';
import css from './orders.module.css';

const WORDS: Readonly<Record<EvidenceState | 'none', MessageId>> = {
  waiting: 'evidence.waiting',
  logged: 'evidence.logged',
  wrong: 'evidence.wrong',
  none: 'evidence.none',
};

/** What this device holds of an order, with its words; null until the device's store is read. */
export function useEvidenceOf(order: Order): { state: EvidenceState | 'none'; words: string } | null {
  const { t } = useText();
  const isRead = useEvidence((store) => store.isRead);
  const state = useEvidence((store) => store.states.get(order.id)) ?? 'none';
  return isRead ? { state, words: t(WORDS[state]) } : null;
}

/** Whether this device holds proof that the order is in the public log. Keeps its room until that is known. */
export function LoggedMark({ order }: { order: Order }) {
  const evidence = useEvidenceOf(order);
  if (!evidence) return <span className={css.mark} />;
  const { state, words } = evidence;
  const Icon = state === 'logged' ? CheckIcon : state === 'waiting' ? HourglassIcon : FaultIcon;
  return (
    <span className={css.mark} data-evidence={state}>
      {state !== 'none' && <Icon size={14} />}
      {words}
    </span>
  );
}
