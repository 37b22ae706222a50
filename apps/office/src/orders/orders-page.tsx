import { readDigits } from '@fairtick/money';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { Action } from '../shell/form.tsx';
import { DigitsField } from '../shell/number-fields.tsx';
import { OrderCaseView } from './order-case.tsx';
import css from './orders.module.css';

/** Finds an order by its number; there is no list to browse. */
export default function OrdersPage() {
  const { t } = useText();
  const [location, navigate] = useLocation();
  const [number, setNumber] = useState('');
  const [, openId, account] = /^\/(\d{1,18})(\/account)?$/.exec(location) ?? [];
  const digits = readDigits(number);
  return (
    <div className="page">
      <h1 className={css.title}>{t('page.orders')}</h1>
      <form
        className={css.search}
        onSubmit={(event) => {
          event.preventDefault();
          if (digits) navigate(`/${digits}`);
        }}
      >
        <DigitsField
          label={t('order.number')}
          value={number}
          onChange={(event) => setNumber(event.target.value)}
        />
        <Action look="gold" type="submit" disabled={!digits}>
          {t('customer.find')}
        </Action>
      </form>
      {openId === undefined ? (
        <p className="secondary">{t('order.start')}</p>
      ) : (
        <OrderCaseView key={openId} id={openId} isAccount={account !== undefined} />
      )}
    </div>
  );
}
