import type { Statistics } from '@fairtick/protocol';
import { Button, buttonClass } from '@fairtick/ui';
import { durationText } from '@fairtick/ui/durations';
import { useEffect, useRef, useState } from 'react';
import { usePathname } from 'wouter/use-browser-location';
import { get } from '../api/client.ts';
import { onOrder } from '../live/orders.ts';
import { useText, WithTexts } from '../messages/text-context.tsx';
import { orderPath } from '../orders/order-card.tsx';
import { resultText } from '../orders/order-words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Link } from '../shell/link.tsx';
import { formatSigned } from '../state/format.ts';
import { useSession } from '../state/session.ts';
import { useSettings } from '../state/settings.ts';
import { readStored, storeInSession } from '../state/storage.ts';
import { useToast } from '../state/toast.ts';
import { DailyCheck } from './daily-check.tsx';
import css from './protection.module.css';
import { beHere, readHere } from './reminder-model.ts';

export default function Companion() {
  return (
    <WithTexts part="protection">
      <Settlements />
      <Reminder />
      <DailyCheck />
    </WithTexts>
  );
}

/** Screens that show results of orders themselves. */
const SHOW_ORDERS = new Set(['/index', '/product', '/historyOrder']);

function Settlements() {
  const { t } = useText();
  const path = usePathname();
  const tells = useSettings((state) => state.tellsSettlements);
  useEffect(() => {
    if (!tells || SHOW_ORDERS.has(path)) return;
    return onOrder((order) => {
      if (order.status !== 'settled') return;
      const profit = order.profit === null ? '' : `${formatSigned(order.profit)} ${order.asset}`;
      useToast.getState().show(
        t('care.settled', {
          symbol: order.symbol,
          direction: t(`trade.${order.direction}`),
          result: resultText(order, t),
          amount: profit,
        }),
        { href: orderPath(order) },
      );
    });
  }, [t, path, tells]);
  return null;
}

const LOOK_MS = 20_000;

function Reminder() {
  const { t, tag } = useText();
  const every = useSession((state) => state.userInfo?.reminderMinutes ?? null);
  const [due, setDue] = useState<number | null>(null);
  useEffect(() => {
    const look = () => {
      // Skipped in a hidden tab: another one may be in use.
      if (document.visibilityState !== 'visible') return;
      // Stores nothing after a logout.
      if (useSession.getState().token === null) return;
      const step = beHere(readHere(readStored('here')), Date.now(), every);
      storeInSession('here', JSON.stringify(step.here));
      if (step.due !== null) setDue(step.due);
    };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [every]);
  const close = () => setDue(null);
  return (
    <Dialog
      title={t('care.hereFor', { time: durationText((due ?? 0) * 60_000, tag, 'long') })}
      isOpen={due !== null}
      onClose={close}
    >
      <LastDay />
      <div className={`mt-20 ${css.actions}`}>
        <Button onClick={close}>{t('care.goOn')}</Button>
        <Link href="/limits" className={buttonClass} data-look="gold" onClick={close}>
          {t('care.rest')}
        </Link>
      </div>
    </Dialog>
  );
}

function LastDay() {
  const { t } = useText();
  const asset = useSettings((state) => state.asset);
  const [day, setDay] = useState<Statistics | null>(null);
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    get('statistics/own', { asset, days: 1 }, { isSilent: true }).then(
      (statistics) => isHere.current && setDay(statistics),
      // The reminder works without it.
      () => {},
    );
    return () => {
      isHere.current = false;
    };
  }, [asset]);
  return (
    <p className="secondary mt-4" style={{ minHeight: 40 }}>
      {day === null
        ? ''
        : day.orders === 0
          ? t('care.noOrders')
          : t('care.lastDay', { orders: day.orders, result: formatSigned(day.result), asset })}
    </p>
  );
}
