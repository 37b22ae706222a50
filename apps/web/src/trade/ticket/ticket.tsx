import type { ProductDetail } from '@fairtick/protocol';
import { Button, buttonClass, DirectionMark, Segments } from '@fairtick/ui';
import { type RefObject, useEffect, useRef } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { focusOrder } from '../../orders/focus-order.ts';
import { Link } from '../../shell/link.tsx';
import { formatAmount, formatPublic } from '../../state/format.ts';
import { useSettings } from '../../state/settings.ts';
import { StateLine } from '../market/product-state.tsx';
import { AmountField } from './amount-field.tsx';
import { CycleChoice } from './cycle-choice.tsx';
import type { OpenTicket } from './open-ticket.ts';
import { Outcomes } from './outcomes.tsx';
import { Terms } from './terms.tsx';
import css from './ticket.module.css';
import { useTicketKeys } from './ticket-keys.ts';
import { faultOf, type ShownTicket, useTicket } from './use-ticket.ts';

export default function Ticket(props: {
  ticket: OpenTicket;
  detail: ProductDetail | null;
  /** Closes a sheet over the lower part of a phone; without it the ticket is a column that is always open. */
  onClose?: () => void;
  onShowRules: () => void;
}) {
  const { ticket, detail, onClose } = props;
  const text = useText();
  const { t, gap } = text;
  const layout = onClose ? 'sheet' : 'column';
  const shown = useTicket(ticket, detail);
  const { form, asset, step, summary, change } = shown;
  const fault = faultOf(shown, text);
  const section = useRef<HTMLElement>(null);
  useOnPlaced(ticket, shown, { section, onClose });
  useTicketKeys(shown, layout === 'column');
  useEffect(() => {
    // The button that opened the sheet is gone: focus moves to the first choice.
    if (layout === 'sheet')
      section.current?.querySelector<HTMLElement>('input:checked')?.focus({ preventScroll: true });
  }, [layout]);
  return (
    <section
      ref={section}
      className={css.ticket}
      data-layout={layout}
      data-armed={step === 'armed' || undefined}
      aria-label={t('ticket.title')}
      role={layout === 'sheet' ? 'dialog' : undefined}
      onKeyDown={(event) => event.key === 'Escape' && step === 'ready' && onClose?.()}
    >
      {layout === 'sheet' && (
        <button type="button" className={css.grab} aria-label={t('shell.close')} onClick={onClose}>
          <span />
        </button>
      )}
      <Choices shown={shown} layout={layout} />
      <AmountField
        amount={form.amount}
        asset={asset}
        fault={fault.text}
        isFaulty={fault.isAmounts && form.amount !== ''}
        isLocked={step !== 'ready'}
        isClosed={shown.isClosed}
        limits={summary.limits}
        aside={balanceText(shown, t)}
        onChange={(amount) => change({ amount })}
      />
      <Outcomes summary={summary} asset={asset} />
      <Terms symbol={shown.symbol} asset={asset} summary={summary} layout={layout} />
      <p className={`caption line-above ${css.rule}`}>
        {t('ticket.rule', { seconds: Math.round(shown.waitMs / 1000) })}
        {gap}
        <button type="button" className="link reach ink-2" onClick={props.onShowRules}>
          {t('ticket.allRules')}
        </button>
      </p>
      {/* Stays in sight while the rest scrolls. */}
      <div className={css.confirmBar}>
        <StateLine state={shown.state} />
        {shown.isMember ? (
          <ConfirmButton shown={shown} />
        ) : (
          <div className="flex wrap gap-12">
            <Link href="/register" className={`${buttonClass} grow`} data-look="line">
              {t('account.register')}
            </Link>
            <Link href="/login" className={`${buttonClass} grow`} data-look="gold">
              {t('ticket.loginToTrade')}
            </Link>
          </div>
        )}
      </div>
    </section>
  );
}

/** Clears and closes the ticket of an order that is placed, and moves the focus to the order. */
function useOnPlaced(
  ticket: OpenTicket,
  { placing, form }: ShownTicket,
  { section, onClose }: { section: RefObject<HTMLElement | null>; onClose: (() => void) | undefined },
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each order
  useEffect(() => {
    if (placing?.state !== 'placed') return;
    const { order } = placing;
    const { stakes, choose } = useSettings.getState();
    choose('stakes', { ...stakes, [order.asset]: form.amount });
    ticket.setState({ key: null, fault: null, form: { ...form, amount: onClose ? form.amount : '' } });
    onClose?.();
    // A sheet has closed, so its page has set the focus; in a column the button is disabled now.
    focusOrder(order.id, () => section.current?.querySelector<HTMLElement>('#ticket-amount') ?? null);
  }, [placing]);
}

/** Direction and cycle. Locked while an order is sent or its outcome is unknown, so that it can't be taken for another one. */
function Choices({ shown, layout }: { shown: ShownTicket; layout: string }) {
  const { t } = useText();
  const { form, step, cycles, summary, change } = shown;
  return (
    <fieldset disabled={step === 'sending' || step === 'unknown'}>
      <Segments
        label={t('trade.direction')}
        name={`direction-${layout}`}
        value={form.direction}
        className={css.directions ?? ''}
        onChange={(direction) => change({ direction })}
        choices={(['up', 'down'] as const).map((value) => ({
          value,
          label: <DirectionMark way={value}>{t(`trade.${value}`)}</DirectionMark>,
        }))}
      />
      <CycleChoice
        cycles={cycles}
        minutes={form.minutes}
        settlesAtMs={summary.settlesAtMs}
        odds={summary}
        onChange={(minutes) => {
          change({ minutes });
          useSettings.getState().choose('minutes', minutes);
        }}
      />
    </fieldset>
  );
}

function balanceText({ available, asset, step, summary }: ShownTicket, t: ReturnType<typeof useText>['t']) {
  if (available === null) return '';
  const after = step === 'armed' ? summary.afterwards : null;
  if (after !== null) return t('ticket.afterwards', { amount: formatAmount(after) });
  return t('ticket.available', { amount: `${formatAmount(available)} ${asset}` });
}

function ConfirmButton({ shown }: { shown: ShownTicket }) {
  const { t } = useText();
  const { form, step, asset, summary } = shown;
  const direction = t(`trade.${form.direction}`);
  /** A stake that the ticket takes, else ''. */
  const stake =
    summary.amount === null || summary.income === null ? '' : `${formatPublic(summary.amount)} ${asset}`;
  return (
    <Button
      ref={shown.button}
      look="gold"
      isBlock
      className={css.confirm ?? ''}
      data-state={step}
      // The first tap only arms.
      decides={step !== 'ready'}
      meaning={step}
      disabled={!shown.isEnabled}
      aria-busy={step === 'sending' || undefined}
      onClick={shown.tap}
    >
      {step === 'armed' ? (
        <span className={`stack wraps ${css.armed}`}>
          <b>{t('ticket.tapAgain')}</b>
          <span>{t('ticket.order', { direction, minutes: form.minutes, amount: stake })}</span>
        </span>
      ) : step === 'sending' ? (
        t('ticket.sending')
      ) : step === 'unknown' ? (
        t('ticket.askAgain')
      ) : form.amount === '' && summary.fault === null ? (
        t('ticket.enterAmount')
      ) : (
        <span className={css.label}>
          <DirectionMark way={form.direction}>{direction}</DirectionMark>
          {stake}
        </span>
      )}
    </Button>
  );
}
