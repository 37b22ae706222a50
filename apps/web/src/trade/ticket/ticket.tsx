import type { ClosedReason, ProductDetail } from '@fairtick/protocol';
import { MIN_DELAY_MS } from '@fairtick/trading';
import { Button, buttonClass, DirectionMark, Segments } from '@fairtick/ui';
import { useEffect, useRef, useState } from 'react';
import { serverClock } from '../../api/server-clock.ts';
import { useStream } from '../../api/stream.ts';
import { serverNow, useSecond } from '../../live/clock.ts';
import { type BoardRow, useRow } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { focusOrder } from '../../orders/focus-order.ts';
import { Link } from '../../shell/link.tsx';
import { formatAmount, formatMoment, formatPublic } from '../../state/format.ts';
import { closedForOrders, useIsLoggedIn, useSession } from '../../state/session.ts';
import { useSettings } from '../../state/settings.ts';
import { closedSentence } from '../market/closed-text.ts';
import { AmountField } from './amount-field.tsx';
import { CycleChoice } from './cycle-choice.tsx';
import { openingTime } from './opening-time.ts';
import { Outcomes } from './outcomes.tsx';
import { Terms } from './terms.tsx';
import css from './ticket.module.css';
import {
  cyclesFor,
  offeredMinutes,
  summarise,
  type TicketFault,
  type TicketForm,
  type TicketSummary,
} from './ticket-model.ts';
import { usePlacing } from './use-placing.ts';
import { type KeptTicket, keepNothing, useTicketForm } from './wish.ts';

interface TicketProps {
  readonly symbol: string;
  readonly detail: ProductDetail | null;
  readonly first: 'up' | 'down';
  /** A sheet over the lower part of a phone, or a column of a wide screen that is always open. */
  readonly layout: 'sheet' | 'column';
  readonly kept?: KeptTicket;
  readonly onClose?: () => void;
  readonly onShowRules: () => void;
}

/** The ticket: direction, cycle, amount, the derived terms, and two taps to confirm. */
export default function Ticket({
  symbol,
  detail,
  first,
  layout,
  onClose,
  onShowRules,
  ...rest
}: TicketProps) {
  const { t, tag, gap } = useText();
  const asset = useSettings((state) => state.asset);
  const pause = useSession(closedForOrders);
  const available = useSession(
    (state) => state.userInfo?.balances.find((entry) => entry.asset === asset)?.available ?? null,
  );
  const isMember = useIsLoggedIn();
  const [kept] = useState(rest.kept ?? keepNothing);
  const [filled, setForm] = useTicketForm(symbol, beginning(first, asset, layout), kept.form);
  const cycles = cyclesFor(detail, asset);
  const form: TicketForm = { ...filled, minutes: offeredMinutes(cycles, filled.minutes) };
  const isStale = useStream((state) => state.isStale);
  const row = useRow(symbol);
  const closedBecause = closedOf(row ?? detail);
  const delayMs = detail?.delayMs ?? MIN_DELAY_MS;
  const { marginMs } = serverClock;
  useSecond();
  const summary = summarise({
    form,
    detail,
    asset,
    available: isMember ? available : null,
    nowMs: serverNow(),
    opensAtMs: openingTime(serverNow(), { delayMs, marginMs }),
    isStale,
    closedBecause,
    pause: isMember ? pause : null,
  });
  const { amount } = summary;
  const placement =
    summary.isComplete && amount !== null && isMember ? { symbol, ...form, amount, asset } : null;
  const section = useRef<HTMLElement>(null);
  const shown = {
    price: row?.price ?? null,
    payoutRate: summary.payoutRate,
    delayMs,
    attempt: kept.attempt,
  };
  const placing = usePlacing(placement, shown, (order) => {
    useSettings.getState().setStake(order.asset, form.amount);
    setForm((filled) => ({ ...filled, amount: layout === 'sheet' ? filled.amount : '' }));
    onClose?.();
    // A sheet has closed, so its page has set the focus; in a column the button is disabled now.
    focusOrder(order.id, () => section.current?.querySelector<HTMLElement>('#ticket-amount') ?? null);
  });
  const change = (changed: Partial<TicketForm>) => {
    placing.clearFault();
    setForm((filled) => ({ ...filled, ...changed }));
  };
  useEffect(() => {
    // The button that opened the sheet is gone: focus moves to the first choice.
    if (layout === 'sheet')
      section.current?.querySelector<HTMLElement>('input:checked')?.focus({ preventScroll: true });
  }, [layout]);
  // While an order is sent its stake may be held already, so the balance says nothing about the amount.
  const own = placing.state === 'sending' ? null : summary.fault;
  const fault = placing.fault?.text ?? (own && faultText(own, { row, asset, t, tag }));
  const isAmountAtFault = placing.fault ? placing.fault.isAmounts : own !== null && summary.isAmountAtFault;
  return (
    <section
      ref={section}
      className={css.ticket}
      data-layout={layout}
      data-armed={placing.state === 'armed' || undefined}
      aria-label={t('ticket.title')}
      role={layout === 'sheet' ? 'dialog' : undefined}
      onKeyDown={(event) => event.key === 'Escape' && placing.state === 'ready' && onClose?.()}
    >
      {layout === 'sheet' && (
        <button type="button" className={css.grab} aria-label={t('shell.close')} onClick={onClose}>
          <span />
        </button>
      )}
      {/* Locked while an order is sent or its outcome is unknown, so that it can't be taken for another one. */}
      <fieldset className={css.choices} disabled={placing.state === 'sending' || placing.state === 'unknown'}>
        <Segments
          label={t('trade.direction')}
          name={`direction-${layout}`}
          value={form.direction}
          className={css.directions ?? ''}
          onChange={(direction) => change({ direction })}
          choices={(['up', 'down'] as const).map((direction) => ({
            value: direction,
            label: (
              <DirectionMark way={direction}>
                {t(direction === 'up' ? 'trade.up' : 'trade.down')}
              </DirectionMark>
            ),
          }))}
        />
        <CycleChoice
          cycles={cycles}
          minutes={form.minutes}
          settlesAtMs={summary.settlesAtMs}
          odds={summary}
          onChange={(chosen) => {
            change({ minutes: chosen });
            useSettings.getState().setMinutes(chosen);
          }}
        />
      </fieldset>
      <AmountField
        amount={form.amount}
        asset={asset}
        fault={fault}
        isFaulty={isAmountAtFault && form.amount !== ''}
        isLocked={placing.state !== 'ready'}
        isClosed={closedBecause !== null}
        limits={summary.limits}
        aside={
          isMember
            ? balanceText(t, {
                available,
                asset,
                after: placing.state === 'armed' ? summary.afterwards : null,
              })
            : ''
        }
        onChange={(amount) => change({ amount })}
      />
      <Outcomes summary={summary} asset={asset} />
      <Terms symbol={symbol} asset={asset} summary={summary} layout={layout} />
      <p className={css.rule}>
        {t('ticket.rule', { seconds: Math.round((delayMs + marginMs) / 1000) })}
        {gap}
        <button type="button" onClick={onShowRules}>
          {t('ticket.allRules')}
        </button>
      </p>
      {/* Stays in sight while the rest scrolls. */}
      <div className={css.confirmBar}>
        {isMember ? (
          <ConfirmButton
            form={form}
            stake={stakeText(summary, asset)}
            isEmpty={form.amount === '' && summary.fault === null}
            placing={placing}
            isEnabled={placement !== null || placing.state === 'unknown'}
          />
        ) : (
          <Link href="/login" className={buttonClass} data-look="gold" data-block>
            {t('ticket.loginToTrade')}
          </Link>
        )}
      </div>
    </section>
  );
}

/** The fields that a ticket begins with. In a column, which is always open, an amount that is already there would ask for an order. */
function beginning(direction: TicketForm['direction'], asset: string, layout: TicketProps['layout']) {
  const { minutes, stakes } = useSettings.getState();
  return { direction, minutes, amount: layout === 'sheet' ? (stakes[asset] ?? '') : '' };
}

const closedOf = (product: Pick<ProductDetail, 'closedBecause'> | null): ClosedReason | null =>
  product?.closedBecause ?? null;

type T = ReturnType<typeof useText>['t'];

function faultText(
  fault: TicketFault,
  { row, asset, t, tag }: { row: BoardRow | undefined; asset: string; t: T; tag: string },
): string {
  const closed = fault.id === 'ticket.closed' ? closedSentence(row, { t, tag }) : null;
  return closed ?? t(fault.id, wordsOf(fault, asset, tag));
}

const wordsOf = ({ bound, count = 0, untilMs, values }: TicketFault, asset: string, tag: string) => ({
  ...values,
  asset,
  count,
  bound: bound ? `${formatPublic(bound)} ${asset}` : '',
  time: untilMs === undefined ? '' : formatMoment(untilMs, tag),
});

/** A stake that the ticket takes, else ''. */
const stakeText = ({ amount, income }: TicketSummary, asset: string): string =>
  amount === null || income === null ? '' : `${formatPublic(amount)} ${asset}`;

function balanceText(
  t: T,
  { available, asset, after }: { available: string | null; asset: string; after: string | null },
): string {
  if (available === null) return '';
  if (after !== null) return t('ticket.afterwards', { amount: formatAmount(after) });
  return t('ticket.available', { amount: `${formatAmount(available)} ${asset}` });
}

function ConfirmButton(props: {
  form: TicketForm;
  stake: string;
  /** Only the amount is missing. */
  isEmpty: boolean;
  placing: ReturnType<typeof usePlacing>;
  isEnabled: boolean;
}) {
  const { t } = useText();
  const { form, stake, placing } = props;
  const word = t(form.direction === 'up' ? 'trade.up' : 'trade.down');
  return (
    <Button
      ref={placing.button}
      look="gold"
      isBlock
      className={css.confirm ?? ''}
      data-state={placing.state}
      // The first tap only arms.
      decides={placing.state !== 'ready'}
      meaning={placing.state}
      disabled={!props.isEnabled}
      aria-busy={placing.state === 'sending' || undefined}
      onClick={placing.tap}
    >
      {placing.state === 'armed' ? (
        <span className={css.armed}>
          <b>{t('ticket.tapAgain')}</b>
          <span>{t('ticket.order', { direction: word, minutes: form.minutes, amount: stake })}</span>
        </span>
      ) : placing.state === 'sending' ? (
        t('ticket.sending')
      ) : placing.state === 'unknown' ? (
        t('ticket.askAgain')
      ) : props.isEmpty ? (
        t('ticket.enterAmount')
      ) : (
        <span className={css.label}>
          <DirectionMark way={form.direction}>{word}</DirectionMark>
          {stake}
        </span>
      )}
    </Button>
  );
}
