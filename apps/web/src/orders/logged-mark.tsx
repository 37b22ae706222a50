import type { Order } from '@fairtick/protocol';
import { CheckIcon, FaultIcon, HourglassIcon } from '@fairtick/ui';
import { serverNow } from '../live/clock.ts';
import { type EvidenceState, useEvidence } from '../live/evidence.ts';
import { useText } from '../messages/text-context.tsx';
import css from './orders.module.css';

/** An accepted order is in the log a second later: after this, only this device's proof is missing. */
const LOGGED_WITHIN_MS = 10_000;

/** What this device holds of an order, with its words; null until the device's store is read. */
export function useEvidenceOf(order: Order): { state: EvidenceState | 'none'; words: string } | null {
  const { t } = useText();
  const isRead = useEvidence((store) => store.isRead);
  const state = useEvidence((store) => store.states.get(order.id)) ?? 'none';
  if (!isRead) return null;
  return { state, words: t(`evidence.${isLate(order, state) ? 'checking' : state}`) };
}

const isLate = (order: Order, state: EvidenceState | 'none'): boolean =>
  state === 'waiting' && serverNow() - order.createdAt > LOGGED_WITHIN_MS;

export const EVIDENCE_ICONS = { waiting: HourglassIcon, logged: CheckIcon, wrong: FaultIcon } as const;

/** Whether this device holds proof that the order is in the public log. Keeps its room until that is known, and where there is none. */
export function LoggedMark({ order, isShort = false }: { order: Order; isShort?: boolean }) {
  const { t } = useText();
  const evidence = useEvidenceOf(order);
  const state = evidence?.state ?? 'none';
  if (!evidence || state === 'none') return <span className={`caption row gap-4 ${css.mark}`} />;
  const Icon = EVIDENCE_ICONS[state];
  return (
    <span className={`caption row gap-4 ${css.mark}`} data-evidence={state}>
      <Icon size={14} />
      <MarkWords
        words={evidence.words}
        short={isShort && t(`evidence.short.${isLate(order, state) ? 'checking' : state}`)}
      />
    </span>
  );
}

/** The words of a mark. In a narrow column the short ones are seen, and a screen reader reads the long ones. */
export function MarkWords({ words, short }: { words: string; short: string | false }) {
  if (short === false) return words;
  return (
    <>
      <span aria-hidden="true">{short}</span>
      <span className="sr">{words}</span>
    </>
  );
}
