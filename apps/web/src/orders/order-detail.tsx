import { withoutTrailingZeros } from '@fairtick/money';
import type { Order } from '@fairtick/protocol';
import { buttonClass, DirectionMark, Fact, Facts, Notice, Ruler, Skeleton, Tag } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { get } from '../api/client.ts';
import { queryClient } from '../api/query-client.tsx';
import { useSecond } from '../live/clock.ts';
import { priceNow, useRow } from '../live/market.ts';
import { laterOf, useOnOrder } from '../live/orders.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Link } from '../shell/link.tsx';
import { useNavbar } from '../shell/navbar.tsx';
import {
  formatAmount,
  formatCountdown,
  formatDateTime,
  formatPrice,
  formatShare,
  formatSigned,
  formatTime,
} from '../state/format.ts';
import { useSettings } from '../state/settings.ts';
import { keepWish } from '../state/wish.ts';
import { returned } from './checked-receipts.tsx';
import css from './history.module.css';
import { OrderEvidence } from './order-evidence.tsx';
import {
  isBeforeOpening,
  isUnpriced,
  isWaitLong,
  marginText,
  noPriceText,
  untilNext,
} from './order-words.ts';
import { TickPlot } from './plot/tick-plot.tsx';
import { ReceiptCheck } from './receipt-check/receipt-check.tsx';

export function OrderDetail({ id }: { id: string }) {
  const { t } = useText();
  const query = useOrder(id);
  useNavbar(useMemo(() => ({ title: t('orders.order') }), [t]));
  return (
    <Loaded query={query} waiting={<DetailSkeleton />}>
      {(order) => <Detail order={order} />}
    </Loaded>
  );
}

function Detail({ order }: { order: Order }) {
  const { t } = useText();
  return (
    <div className={css.detail}>
      <div className={css.own}>
        <Outcome order={order} />
        {order.voidReason !== null && (
          <div className={`mt-12 mx-side ${css.why}`}>
            <Notice>{`${noPriceText(order, t)} · ${voidedText(order, t)}`}</Notice>
          </div>
        )}
        {isUnpriced(order) && (
          <div className={`mt-12 mx-side ${css.why}`}>
            <Notice>{noPriceText(order, t)}</Notice>
          </div>
        )}
        <TickPlot order={order} />
        <OrderFacts order={order} />
        <Ways order={order} />
        <p className={`caption pt-12 px-side ${css.foot}`}>{t('orders.number', { id: order.id })}</p>
      </div>
      {/* Last on a phone, and beside the rest on a wide window: these grow when the order settles. */}
      <div className={css.proof}>
        <OrderEvidence order={order} />
        <ReceiptCheck order={order} />
      </div>
    </div>
  );
}

/** The words of a void order's payment. No line breaks between an amount and its asset. */
function voidedText({ amount, profit, asset, voidReason }: Order, t: Text['t']): string {
  const money = (value: string) => `${formatAmount(value)}\u00a0${asset}`;
  return voidReason === 'not_logged'
    ? t('orders.returned', { amount: money(amount), extra: money(profit ?? '0') })
    : t('orders.returnedOnly', { amount: money(amount) });
}

function useOrder(id: string) {
  const queryKey = ['orders', 'detail', id];
  useOnOrder((order) => {
    if (order.id === id) queryClient.setQueryData<Order>(queryKey, (known) => laterOf(known, order));
  });
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const order = await get('order/detail', { id }, { signal });
      // The stream may have sent a later state while the answer was on its way.
      return laterOf(queryClient.getQueryData<Order>(queryKey), order);
    },
    // The stream may have missed changes while it was down.
    refetchInterval: ({ state }) => (state.data?.status === 'unsettled' ? 10_000 : false),
  });
}

function Outcome({ order }: { order: Order }) {
  const { t } = useText();
  const isOpen = order.status === 'unsettled';
  const [wasOpen] = useState(isOpen);
  return (
    <section className={css.out} data-status={order.status} data-result={order.result}>
      <div className={`row gap-8 ${css.outHead}`}>
        <b>{order.symbol}</b>
        <DirectionMark way={order.direction}>{t(`trade.${order.direction}`)}</DirectionMark>
        <Tag key={order.status}>{t(isOpen ? 'orders.statusOpen' : 'orders.statusSettled')}</Tag>
      </div>
      {isOpen ? (
        <TimeLeft order={order} />
      ) : (
        <div className={`flex items-baseline gap-8 mt-6 ${css.outcome}`}>
          <b data-testid="profit" translate="no">
            {formatSigned(order.profit ?? '0')}
          </b>
          <span>{order.asset}</span>
          <span>{marginText(order, t)}</span>
        </div>
      )}
      {/* The ruler's place stays, so that a settlement moves nothing. */}
      {!isOpen && wasOpen && <div className={css.ruler} />}
    </section>
  );
}

function TimeLeft({ order }: { order: Order }) {
  const { t, tag } = useText();
  const second = useSecond();
  const left = Math.max(0, untilNext(order, second));
  const isBefore = isBeforeOpening(order, second);
  const total = order.settlesAt - order.opensAt;
  return (
    <>
      <div className={`flex items-baseline gap-8 mt-6 ${css.outcome}`}>
        <b role="timer">{left > 0 ? formatCountdown(left) : t('orders.settling')}</b>
        <span>
          {isBefore
            ? t('orders.opensAt', { time: formatTime(order.opensAt, tag) })
            : t('orders.settlesAt', { time: formatDateTime(order.settlesAt, tag) })}
        </span>
      </div>
      <div className={css.ruler}>
        {left > 0 ? (
          <Ruler units={60} share={isBefore ? 0 : 1 - left / total} />
        ) : (
          // In the ruler's place and on one line, so that nothing moves.
          <p className={`caption ${css.waits}`}>
            {isWaitLong(order, second)
              ? t('orders.settlesLater', { time: formatTime(order.settlesAt, tag) })
              : t('orders.settlesSoon')}
          </p>
        )}
      </div>
    </>
  );
}

function OrderFacts({ order }: { order: Order }) {
  const { t, tag } = useText();
  const row = useRow(order.symbol);
  // The figures that a settlement changes have keys, because a new element causes no layout shift.
  const price = (text: string | null | undefined) => (text ? formatPrice(text) : '–');
  const back = order.profit === null ? null : returned(order);
  return (
    <Facts className={css.facts ?? ''}>
      <Fact name={t('orders.product')}>{row?.name ?? order.symbol}</Fact>
      <Fact name={t('orders.investment')}>{`${formatAmount(order.amount)} ${order.asset}`}</Fact>
      <Fact name={t('orders.openPrice')}>
        {order.openPrice ? price(order.openPrice) : order.status === 'unsettled' ? t('orders.opening') : '–'}
      </Fact>
      <Fact name={t('trade.direction')}>{t(`trade.${order.direction}`)}</Fact>
      <Fact key={`settled ${order.status}`} name={t('orders.settlePrice')}>
        {price(order.settlePrice)}
      </Fact>
      <Fact
        name={t('orders.cycle')}
      >{`${t('trade.minutes', { minutes: order.minutes })} · ${formatShare(Number(order.payoutRate))}`}</Fact>
      {order.status === 'unsettled' ? (
        <Fact key="now" name={t('orders.currentPrice')}>
          {price(priceNow(row))}
        </Fact>
      ) : (
        <Fact key="placed" name={t('orders.placedAt')}>
          {formatDateTime(order.createdAt, tag)}
        </Fact>
      )}
      {back === null ? (
        <Fact key="income" name={t('ticket.expectedIncome')}>
          {formatSigned(order.expectedIncome)}
        </Fact>
      ) : (
        <Fact key="credited" name={t('orders.credited')}>{`${formatAmount(back)} ${order.asset}`}</Fact>
      )}
    </Facts>
  );
}

/** To the product's chart; of a settled order also to a ticket with the same terms, which takes two taps as any other. */
function Ways({ order }: { order: Order }) {
  const { t } = useText();
  const { symbol, direction, minutes, amount, asset } = order;
  const href = `/product?symbol=${encodeURIComponent(symbol)}`;
  const wish = () => {
    useSettings.getState().choose('asset', asset);
    keepWish({ symbol, form: { direction, minutes, amount: withoutTrailingZeros(amount) } });
  };
  return (
    <div className={`row wrap gap-8 mt-14 mx-side ${css.ways}`}>
      <Link href={href} className={buttonClass} data-look="line" data-size="small">
        {t('orders.chart')}
      </Link>
      {order.status === 'settled' && (
        <Link href={href} className={buttonClass} data-look="line" data-size="small" onClick={wish}>
          {t('orders.again')}
        </Link>
      )}
    </div>
  );
}

function DetailSkeleton() {
  return (
    <section className={css.out} aria-busy="true">
      <Skeleton width={160} height={20} />
      <br />
      <Skeleton width={220} height={40} />
    </section>
  );
}
