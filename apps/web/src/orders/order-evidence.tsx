import type { Order } from '@fairtick/protocol';
import { Card, CheckIcon, HourglassIcon } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { faultText } from '../api/tell-fault.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useEvidence } from '../live/evidence.ts';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { later } from '../parts/later.tsx';
import { formatCount, formatDayMinute, formatExactTime, formatPrice, formatTime } from '../state/format.ts';
import { useSession } from '../state/session.ts';
import { useCheckedAt } from './checked-receipts.tsx';
import css from './history.module.css';
import { EVIDENCE_ICONS, useEvidenceOf } from './logged-mark.tsx';
import { isUnpriced } from './order-words.ts';
import type { HeldEvidence } from './receipt-check/held-evidence.ts';

const Contradiction = later(() => import('./receipt-check/contradiction.tsx'), { part: 'receipt' });

/**
 * The places of the order's prices in the public log; each entry can be opened. It shows only where to look: the stamp comes from
 * the check below it.
 */
export function OrderEvidence({ order }: { order: Order }) {
  const { t, tag } = useText();
  const [index, setIndex] = useState<number | null>(null);
  const held = useHeld(order);
  const isOver = order.status === 'settled';
  const hasOpened = order.openIndex !== null && order.openedAt !== null && order.openPrice !== null;
  const hasSettled = order.settleIndex !== null && order.settleTickAt !== null && order.settlePrice !== null;
  return (
    <Card className={css.evidence ?? ''}>
      {held?.contradiction && (
        <Contradiction
          kind={held.contradiction}
          orderId={order.id}
          held={held.document}
          shown={order}
          isSound={held.isSound}
        />
      )}
      <h2>{t('evidence.title')}</h2>
      <p className="caption">{t('evidence.intro')}</p>
      <ol className={`mt-12 ${css.steps}`}>
        <Step isDone title={t('evidence.accepted')}>
          <small>{t('evidence.acceptedAt', { time: formatExactTime(order.createdAt, tag) })}</small>
        </Step>
        <LoggedStep order={order} held={held ?? null} />
        <Step
          isDone={hasOpened}
          isOver={isOver}
          title={t('evidence.open')}
          pending={t('evidence.opensAt', { time: formatTime(order.opensAt, tag) })}
        >
          <Place index={order.openIndex} timeMs={order.opensAt} price={order.openPrice} onShow={setIndex} />
        </Step>
        <Step
          isDone={hasSettled}
          isOver={isOver}
          title={t('evidence.settle')}
          {...(isUnpriced(order) ? { without: t('orders.unpriced') } : {})}
        >
          <Place
            index={order.settleIndex}
            timeMs={order.settlesAt}
            price={order.settlePrice}
            onShow={setIndex}
          />
        </Step>
      </ol>
      {order.status !== 'settled' && <p className="caption py-12 line-above">{t('evidence.note')}</p>}
      <EntryDialog index={index} onClose={() => setIndex(null)} />
    </Card>
  );
}

/** Where a price stands in the log, with a button that opens the entry. */
function Place(props: {
  index: number | null;
  timeMs: number;
  price: string | null;
  onShow: (index: number) => void;
}) {
  const { t, tag } = useText();
  const { index, timeMs, price, onShow } = props;
  if (index === null || price === null) return null;
  return (
    <>
      <small translate="no">{`#${formatCount(index)} · ${formatTime(timeMs, tag)} · ${formatPrice(price)}`}</small>
      <button type="button" className="link reach text-12 ink-2" onClick={() => onShow(index)}>
        {t('evidence.show')}
      </button>
    </>
  );
}

/** What this device holds of the order, verified again whenever the order or the evidence changes. */
function useHeld(order: Order): HeldEvidence | null | undefined {
  const customerId = useSession((state) => state.userInfo?.id ?? '');
  const state = useEvidence((store) => store.states.get(order.id));
  const { data } = useQuery({
    queryKey: ['orders', 'held', customerId, order.id, state, order.voidReason, order.acceptance.text],
    queryFn: async () => {
      const { lookAtHeld } = await untilLoaded(() => import('./receipt-check/held-evidence.ts'));
      return lookAtHeld(customerId, order);
    },
    staleTime: 0,
    placeholderData: (before) => before,
  });
  return data;
}

function LoggedStep({ order, held }: { order: Order; held: HeldEvidence | null }) {
  const { t, tag } = useText();
  const known = useEvidenceOf(order);
  const checkedAt = useCheckedAt(order);
  // A receipt that holds proves the order's place in the log, too.
  const isProved = known?.state === 'none' && checkedAt !== null;
  const evidence = isProved ? { state: 'logged' as const, words: t('evidence.logged') } : known;
  const isContradicted = held?.contradiction != null;
  const state = isContradicted ? 'wrong' : (evidence?.state ?? 'waiting');
  const Icon = state === 'none' ? null : EVIDENCE_ICONS[state];
  const words = isContradicted ? t('evidence.wrong') : (evidence?.words ?? t('evidence.log'));
  const found = held?.found;
  return (
    <li data-evidence={evidence?.state}>
      <span className={`caption centred rigid ${css.dot}`}>{Icon ? <Icon size={16} /> : '–'}</span>
      <div>
        <b>{words}</b>
        <small className={css.where}>
          {found
            ? `#${formatCount(found.index)} · ${formatExactTime(found.timeMs, tag)} · ${t('log.checked')}`
            : isProved
              ? t('evidence.checkedBefore', { time: formatDayMinute(checkedAt, tag) })
              : state === 'none'
                ? t('evidence.noneNote')
                : (!isContradicted && held?.fault) || ''}
        </small>
      </div>
    </li>
  );
}

/** A step; one that a finished order never reached is not shown as pending. */
function Step(props: {
  title: string;
  isDone: boolean;
  isOver?: boolean;
  /** The text of a step that the order finished without. */
  without?: string;
  /** The text of a step that is not done yet. */
  pending?: string;
  children?: ReactNode;
}) {
  const { t } = useText();
  const { isDone, isOver = false, without = t('evidence.noPrice'), pending = '' } = props;
  return (
    <li>
      <span className={`caption centred rigid ${css.dot}`}>
        {isDone ? <CheckIcon size={16} /> : isOver ? '–' : <HourglassIcon size={16} />}
      </span>
      <div>
        <b>{props.title}</b>
        {isDone ? props.children : <small>{isOver ? without : pending}</small>}
      </div>
    </li>
  );
}

function EntryDialog({ index, onClose }: { index: number | null; onClose: () => void }) {
  const { t } = useText();
  const { data, error } = useAnswer(
    'transparency/proof',
    { index: index ?? 0 },
    { isSilent: false, enabled: index !== null, staleTime: Number.POSITIVE_INFINITY },
  );
  return (
    <Dialog
      title={t('evidence.entry', { index: index === null ? '' : formatCount(index) })}
      isOpen={index !== null}
      onClose={onClose}
    >
      <div className="stack gap-12">
        <p>{t('evidence.entryIntro')}</p>
        <code className={css.entry}>{data?.entry ?? (error ? faultText(error, t) : '…')}</code>
      </div>
    </Dialog>
  );
}
