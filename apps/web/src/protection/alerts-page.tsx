import { amountTyped } from '@fairtick/money';
import type { PriceAlert, PriceAlerts } from '@fairtick/protocol';
import { BellIcon, Button, DirectionMark, Empty, Field, IconButton, TrashIcon } from '@fairtick/ui';
import { useState } from 'react';
import { useSearch } from 'wouter/use-browser-location';
import { post } from '../api/client.ts';
import { queryClient } from '../api/query-client.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { market, optionText, priceNow, useRow } from '../live/market.ts';
import { useOnNotice } from '../live/notices.ts';
import type { MessageId } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { pageOf } from '../parts/page.tsx';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { blank, type Fault, type Faults, useForm } from '../parts/use-form.ts';
import { Waiting } from '../parts/waiting.tsx';
import { formatDayMinute, formatPrice, formatRate } from '../state/format.ts';
import { useSettings } from '../state/settings.ts';
import { useToast } from '../state/toast.ts';
import { typedFault } from '../state/typed-amount.ts';
import { wayTo } from './alerts-model.ts';
import css from './protection.module.css';

/** `/alerts`: pending and triggered price alerts, and the switch for notices of settlements. */
export default pageOf('protection', Alerts);

const KEY = ['alert/list'];

function Alerts() {
  const { t } = useText();
  const query = useAnswer('alert/list', {}, { refetchOnMount: 'always' });
  useOnNotice(({ kind }) => kind.startsWith('alert.') && void query.refetch());
  return (
    <PullToRefresh onRefresh={() => query.refetch({ throwOnError: true })}>
      <div className="page">
        <p className="secondary mt-4">{t('alerts.lead')}</p>
        <div className={`columns-fit ${css.sides}`}>
          <AddForm />
          <div>
            <Loaded query={query} waiting={<Waiting heights={[20, 128]} />}>
              {(alerts) => <Lists alerts={alerts} />}
            </Loaded>
            <SettlementSwitch />
          </div>
        </div>
      </div>
    </PullToRefresh>
  );
}

const DEFAULT_SYMBOL = 'EUR/USD';

function useNewAlert() {
  const { t } = useText();
  const asked = new URLSearchParams(useSearch()).get('symbol');
  const known = asked !== null && market.get(asked) ? asked : null;
  const form = useForm({
    values: { symbol: known ?? DEFAULT_SYMBOL, price: '' },
    check: (values): Faults<'price', MessageId | Fault> =>
      unread ? { price: unread } : blank(values, { price: 'fault.required' }),
  });
  const { symbol, price: typed } = form.values;
  const [seen, setSeen] = useState(known);
  // The view stays alive: on return from another product's page, select that product.
  if (known !== seen) {
    setSeen(known);
    if (known !== null) form.set({ symbol: known });
  }
  const row = useRow(symbol);
  const field = { near: row?.price ?? undefined };
  const price = amountTyped(typed, field) ?? '';
  const unread = typedFault(typed, field);
  const send = async () => {
    await post('alert/add', { symbol, price });
    form.set({ price: '' });
    useToast.getState().show(t('alerts.added'));
    await queryClient.refetchQueries({ queryKey: KEY });
  };
  return { form, row, price, unread, send };
}

function AddForm() {
  const { t } = useText();
  const { form, row, price, unread, send } = useNewAlert();
  const now = priceNow(row);
  const way = wayTo(price, now);
  return (
    <form className={`mt-24 ${css.form}`} onSubmit={form.onSubmit(send)} noValidate>
      <Field label={t('alerts.product')} fault={form.faultOf('symbol')} isSelect>
        {(ids) => (
          <select
            {...ids}
            value={form.values.symbol}
            onChange={(event) => {
              form.clear('price');
              form.set({ symbol: event.target.value });
            }}
          >
            {market.all().map((product) => (
              <option key={product.symbol} value={product.symbol}>
                {optionText(product)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label={t('alerts.price')}
        aside={<span>{now ? t('alerts.now', { price: formatPrice(now) }) : t('alerts.noPrice')}</span>}
        hint={
          unread
            ? t(unread.id, unread.values)
            : way === null
              ? ' '
              : t(way === 'up' ? 'alerts.rises' : 'alerts.falls', { price })
        }
        fault={form.faultOf('price')}
      >
        {(ids) => (
          <input
            {...ids}
            inputMode="decimal"
            autoComplete="off"
            value={form.values.price}
            onChange={form.field('price').onChange}
          />
        )}
      </Field>
      <Button type="submit" look="gold" isBlock disabled={form.isBusy}>
        {form.isBusy ? t('alerts.adding') : t('alerts.add')}
      </Button>
    </form>
  );
}

function Lists({ alerts }: { alerts: PriceAlerts }) {
  const { t, tag } = useText();
  const { waiting, fired, most } = alerts;
  return (
    <>
      <section className="mt-24">
        <div className={css.head}>
          <h2>{t('alerts.waiting')}</h2>
          <span className="note">{t('alerts.count', { count: waiting.length, most })}</span>
        </div>
        {waiting.length === 0 ? (
          <Empty icon={<BellIcon size={28} />} title={t('alerts.empty')}>
            {t('alerts.emptyHint')}
          </Empty>
        ) : (
          <ul className="card lined clip">
            {waiting.map((alert) => (
              <WaitingAlert key={alert.id} alert={alert} />
            ))}
          </ul>
        )}
      </section>
      {fired.length > 0 && (
        <section className="mt-24">
          <div className={css.head}>
            <h2>{t('alerts.fired')}</h2>
          </div>
          <ul className="card lined clip">
            {fired.map((alert) => (
              <li key={alert.id} className={`row gap-12 ${css.alert} ${css.told}`}>
                <div className="fill">
                  <Mark alert={alert} />
                  {alert.fired && (
                    <p className="caption">
                      {t('alerts.reached', {
                        time: formatDayMinute(alert.fired.time, tag),
                        price: formatPrice(alert.fired.price),
                      })}
                    </p>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Mark({ alert }: { alert: PriceAlert }) {
  return (
    <p>
      <b>{alert.symbol}</b>
      <DirectionMark way={alert.direction}>{formatPrice(alert.price)}</DirectionMark>
    </p>
  );
}

function WaitingAlert({ alert }: { alert: PriceAlert }) {
  const { t } = useText();
  const row = useRow(alert.symbol);
  const form = useForm();
  const now = priceNow(row);
  const away = now ? formatRate(String(Number(alert.price) / Number(now) - 1)) : null;
  const remove = async () => {
    await form.send(async () => {
      await post('alert/remove', { id: alert.id });
      useToast.getState().show(t('alerts.removed'));
    });
    await queryClient.refetchQueries({ queryKey: KEY });
  };
  return (
    <li className={`row gap-12 ${css.alert}`} data-alert={alert.symbol}>
      <div className="fill">
        <Mark alert={alert} />
        <p className="caption">
          <span>{now ? t('alerts.now', { price: formatPrice(now) }) : t('alerts.noPrice')}</span>
          <span>{away !== null && t('alerts.away', { rate: away })}</span>
        </p>
      </div>
      <IconButton
        label={t('alerts.remove', { symbol: alert.symbol, price: formatPrice(alert.price) })}
        disabled={form.isBusy}
        onClick={remove}
      >
        <TrashIcon size={20} />
      </IconButton>
    </li>
  );
}

function SettlementSwitch() {
  const { t } = useText();
  const { tellsSettlements, choose } = useSettings();
  return (
    <section className="mt-24">
      <div className="card clip">
        <label className={`row between full gap-16 py-14 px-16 text-left ${css.switch}`}>
          <span>
            {t('alerts.settlement')}
            <small>{t('alerts.settlementNote')}</small>
          </span>
          <input
            type="checkbox"
            role="switch"
            aria-checked={tellsSettlements}
            checked={tellsSettlements}
            onChange={(event) => choose('tellsSettlements', event.target.checked)}
          />
        </label>
      </div>
    </section>
  );
}
