import { amountTyped } from '@fairtick/money';
import { Button } from '@fairtick/ui';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { post } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.tsx';
import { faultText } from '../../../api/tell-fault.ts';
import { useRow } from '../../../live/market.ts';
import { useText } from '../../../messages/text-context.tsx';
import { useToast } from '../../../state/toast.ts';
import { typedFault } from '../../../state/typed-amount.ts';
import css from './tools.module.css';

interface AlertProps {
  readonly symbol: string;
  /** As typed, or as the last tap gave it. */
  readonly price: string;
  readonly onPrice: (price: string) => void;
  readonly onEnd: () => void;
}

function useNewAlert({ symbol, price, onEnd }: AlertProps) {
  const { t } = useText();
  const row = useRow(symbol);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const near = { near: row?.price ?? undefined };
  const amount = amountTyped(price, near);
  const unread = typedFault(price, near);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (amount === null || isBusy) return;
    setBusy(true);
    try {
      await post('alert/add', { symbol, price: amount });
      useToast.getState().show(t('chart.alertAdded'));
      void queryClient.invalidateQueries({ queryKey: ['alert/list'] });
      onEnd();
    } catch (error) {
      setFault(faultText(error, t));
    } finally {
      setBusy(false);
    }
  };
  return {
    send,
    isDisabled: amount === null || isBusy,
    fault: unread ? t(unread.id, unread.values) : fault,
    clear: () => setFault(null),
  };
}

/** A price alert set from the chart: a tap gives the price, or the keyboard does. */
export function AlertBar(props: AlertProps) {
  const { price, onPrice, onEnd } = props;
  const { t } = useText();
  const alert = useNewAlert(props);
  const field = useRef<HTMLInputElement>(null);
  // Again after a click on the chart has given a price, so that Enter sets the alert.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each price
  useEffect(() => {
    // A phone's keyboard would cover the chart, where a tap gives the price.
    if (matchMedia('(pointer: fine)').matches) field.current?.focus({ preventScroll: true });
  }, [price]);
  return (
    <form
      className={`row gap-4 text-12 ink-2 ${css.drawingBar} ${css.alertBar}`}
      aria-label={t('chart.priceAlert')}
      onSubmit={alert.send}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Else it would close a full screen.
        event.preventDefault();
        event.stopPropagation();
        onEnd();
      }}
      noValidate
    >
      <label className={css.alertPrice}>
        <span className="sr">{t('chart.alertPrice')}</span>
        <input
          className="framed full ink"
          ref={field}
          placeholder={t('chart.alertPrice')}
          inputMode="decimal"
          autoComplete="off"
          aria-invalid={alert.fault !== null || undefined}
          value={price}
          onChange={(event) => {
            alert.clear();
            onPrice(event.target.value);
          }}
        />
      </label>
      <p role="alert" className={`fill ${css.alertFault}`}>
        {alert.fault}
      </p>
      <Button size="small" type="submit" disabled={alert.isDisabled}>
        {t('chart.setAlert')}
      </Button>
      <Button size="small" look="quiet" onClick={onEnd}>
        {t('chart.cancel')}
      </Button>
    </form>
  );
}
