import { LANGUAGE_TAGS, type Language } from '@fairtick/protocol/languages';
import { Skeleton } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { CaseFact, CaseFacts } from '../reviews/case-frame.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { grouped, readable, sumOf, withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { percentOf } from '../state/rates.ts';
import { Account } from './account.tsx';
import css from './orders.module.css';
import { type OrderCase, useOrderCase } from './queries.ts';

const ReceiptView = lazy(() => untilLoaded(() => import('./receipt-view.tsx')));

/** Shows an order with all that decided it, or its account for the customer. */
export function OrderCaseView({ id, isAccount }: { id: string; isAccount: boolean }) {
  return (
    <Loaded query={useOrderCase(id)}>
      {(found) => (isAccount ? <Account found={found} /> : <Whole found={found} />)}
    </Loaded>
  );
}

function Whole({ found }: { found: OrderCase }) {
  const { t } = useText();
  const { order, customer, receipt, keys } = found;
  return (
    <article className={css.case} aria-labelledby="order-title">
      <header className={css.head}>
        <h2 id="order-title">{t('order.case', { id: order.id })}</h2>
        <Link href={`~/customers/${customer.id}`} className="link">
          {customer.account}
        </Link>
        <Link href={`/${order.id}/account`} className="link">
          {t('order.account')}
        </Link>
        <span className="caption">{t('customer.seen')}</span>
      </header>
      <Terms order={order} />
      <section className="panel">
        <h3>{t('order.receipt')}</h3>
        {receipt === null ? (
          <p className="caption">{t('order.noReceipt')}</p>
        ) : (
          <Suspense fallback={<Skeleton width={240} height={20} />}>
            <ReceiptView receipt={receipt} keys={keys} />
          </Suspense>
        )}
        <details>
          <summary>{t('order.acceptance')}</summary>
          <pre translate="no">{order.acceptance.text}</pre>
        </details>
      </section>
      <Movements transfers={found.transfers} />
      <Inbox notices={found.notices} language={customer.language as Language} />
    </article>
  );
}

function Terms({ order }: { order: OrderCase['order'] }) {
  const { t, word } = useText();
  const { amount, profit, asset, openIndex, settleIndex } = order;
  const price = (value: string | null, index: number | null) =>
    value === null ? '–' : `${grouped(value)}${index === null ? '' : ` · #${index}`}`;
  return (
    <div className={`box columns-fit py-8 px-16 ${css.facts}`}>
      <CaseFacts>
        <CaseFact name={t('customer.product')}>{order.symbol}</CaseFact>
        <CaseFact name={t('customer.direction')}>{word('direction', order.direction)}</CaseFact>
        <CaseFact name={t('customer.cycle')}>{t('age.minute', { count: order.minutes })}</CaseFact>
        <CaseFact name={t('customer.stake')}>{withAsset(amount, asset)}</CaseFact>
        <CaseFact name={t('catalogue.rate')}>{`${percentOf(order.payoutRate)}%`}</CaseFact>
      </CaseFacts>
      <CaseFacts>
        <CaseFact name={t('fact.acceptedAt')}>{formatTime(order.createdAt)}</CaseFact>
        <CaseFact name={t('order.opensAt')}>{formatTime(order.opensAt)}</CaseFact>
        <CaseFact name={t('fact.settlesAt')}>{formatTime(order.settlesAt)}</CaseFact>
        <CaseFact name={t('order.openPrice')}>{price(order.openPrice, openIndex)}</CaseFact>
        <CaseFact name={t('order.settlePrice')}>{price(order.settlePrice, settleIndex)}</CaseFact>
      </CaseFacts>
      <CaseFacts>
        <CaseFact name={t('customer.result')}>{word('orderResult', order.result ?? 'open')}</CaseFact>
        {order.voidReason !== null && (
          <CaseFact name={t('fact.voidReason')}>{word('voidReason', order.voidReason)}</CaseFact>
        )}
        {profit !== null && (
          <CaseFact name={t('deposit.credited')}>{withAsset(sumOf([amount, profit]), asset)}</CaseFact>
        )}
        {order.settledAt !== null && (
          <CaseFact name={t('fact.settledAt')}>{formatTime(order.settledAt)}</CaseFact>
        )}
      </CaseFacts>
    </div>
  );
}

function Movements({ transfers }: Pick<OrderCase, 'transfers'>) {
  const { t, word } = useText();
  const rows = transfers.flatMap(({ id, time, kind, postings }) =>
    postings.map((posting, at) => ({ ...posting, id: `${id} ${at}`, time, kind })),
  );
  /** `customer 1000 held` is "held": all of these accounts are this customer's or the house's. */
  const account = (name: string) => word('account', name.replace(/^customer \d+ /, ''));
  const columns: Column<(typeof rows)[number]>[] = [
    { header: t('audit.time'), cell: ({ time }) => formatTime(time) },
    { header: t('ledger.kind'), cell: ({ kind }) => word('transferKind', kind) },
    { header: t('ledger.from'), cell: ({ from }) => account(from) },
    { header: t('ledger.to'), cell: ({ to }) => account(to) },
    { header: t('review.amount'), cell: ({ amount, asset }) => withAsset(amount, asset), isNumber: true },
    {
      header: t('customer.after'),
      cell: ({ availableAfter }) => (availableAfter === null ? '–' : readable(availableAfter)),
      isNumber: true,
    },
  ];
  return (
    <section className="panel">
      <h3>{t('ledger.itsMovements')}</h3>
      <DataTable
        caption={t('ledger.itsMovements')}
        columns={columns}
        list={rows}
        none={t('ledger.nothingYet')}
      />
    </section>
  );
}

function Inbox({ notices, language }: Pick<OrderCase, 'notices'> & { language: Language }) {
  const { t } = useText();
  return (
    <section className="panel">
      <h3>{t('order.notices')}</h3>
      {notices.length === 0 && <p className="caption">{t('order.noNotices')}</p>}
      {notices.map(({ id, time, title, text, isRead }) => (
        <p key={id}>
          <small>{`${formatTime(time)} · ${t(isRead ? 'chat.mark.read' : 'chat.unread')}`}</small>
          <span lang={LANGUAGE_TAGS[language]}>
            <b>{title}</b> {text}
          </span>
        </p>
      ))}
    </section>
  );
}
