import { LANGUAGE_TAGS, type Language } from '@fairtick/protocol/languages';
import { Notice, Skeleton } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { faultText } from '../api/fault-text.ts';
import { useText } from '../messages/text-context.tsx';
import { CaseFact, CaseFacts } from '../reviews/case-frame.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { grouped, plus, readable, withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { Account } from './account.tsx';
import css from './orders.module.css';
import { type OrderCase, useOrderCase } from './queries.ts';

const ReceiptView = lazy(() => untilLoaded(() => import('./receipt-view.tsx')));

/** Shows an order with all that decided it, or its account for the customer. */
export function OrderCaseView({ id, isAccount }: { id: string; isAccount: boolean }) {
  const text = useText();
  const { t } = text;
  const found = useOrderCase(id);
  const { data } = found;
  if (!data) {
    return found.isError ? (
      <Notice look="bad">{faultText(found.error, text)}</Notice>
    ) : (
      <p className="caption">{t('shell.loading')}</p>
    );
  }
  return isAccount ? <Account found={data} /> : <Whole found={data} />;
}

function Whole({ found }: { found: OrderCase }) {
  const { t } = useText();
  const { order, customer, receipt, keys } = found;
  return (
    <article className={css.case} aria-labelledby="order-title">
      <header className={css.head}>
        <h2 id="order-title">{t('order.case', { id: order.id })}</h2>
        <Link href={`~/customers/${customer.id}`}>{customer.account}</Link>
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
  const { t, word, tag } = useText();
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
        <CaseFact name={t('catalogue.rate')}>{order.payoutRate}</CaseFact>
      </CaseFacts>
      <CaseFacts>
        <CaseFact name={t('fact.acceptedAt')}>{formatTime(order.createdAt, tag)}</CaseFact>
        <CaseFact name={t('order.opensAt')}>{formatTime(order.opensAt, tag)}</CaseFact>
        <CaseFact name={t('fact.settlesAt')}>{formatTime(order.settlesAt, tag)}</CaseFact>
        <CaseFact name={t('order.openPrice')}>{price(order.openPrice, openIndex)}</CaseFact>
        <CaseFact name={t('order.settlePrice')}>{price(order.settlePrice, settleIndex)}</CaseFact>
      </CaseFacts>
      <CaseFacts>
        <CaseFact name={t('customer.result')}>{word('orderResult', order.result ?? 'open')}</CaseFact>
        {order.voidReason !== null && (
          <CaseFact name={t('fact.voidReason')}>{word('voidReason', order.voidReason)}</CaseFact>
        )}
        {profit !== null && (
          <CaseFact name={t('deposit.credited')}>{withAsset(plus(amount, profit), asset)}</CaseFact>
        )}
        {order.settledAt !== null && (
          <CaseFact name={t('fact.settledAt')}>{formatTime(order.settledAt, tag)}</CaseFact>
        )}
      </CaseFacts>
    </div>
  );
}

interface Movement {
  readonly id: string;
  readonly time: number;
  readonly kind: string;
  readonly posting: OrderCase['transfers'][number]['postings'][number];
}

function Movements({ transfers }: Pick<OrderCase, 'transfers'>) {
  const { t, word, tag } = useText();
  const rows = transfers.flatMap(({ id, time, kind, postings }) =>
    postings.map((posting, at): Movement => ({ id: `${id} ${at}`, time, kind, posting })),
  );
  /** `customer 1000 held` is "held": all of these accounts are this customer's or the house's. */
  const account = (name: string) => word('account', name.replace(/^customer \d+ /, ''));
  const columns: Column<Movement>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.time, tag) },
    { id: 'kind', header: t('ledger.kind'), cell: ({ row }) => word('transferKind', row.original.kind) },
    { id: 'from', header: t('ledger.from'), cell: ({ row }) => account(row.original.posting.from) },
    { id: 'to', header: t('ledger.to'), cell: ({ row }) => account(row.original.posting.to) },
    {
      id: 'amount',
      header: t('review.amount'),
      cell: ({ row: { original } }) => withAsset(original.posting.amount, original.posting.asset),
      meta: { isNumber: true },
    },
    {
      id: 'after',
      header: t('customer.after'),
      cell: ({ row: { original } }) =>
        original.posting.availableAfter === null ? '–' : readable(original.posting.availableAfter),
      meta: { isNumber: true },
    },
  ];
  return (
    <section className="panel">
      <h3>{t('ledger.itsMovements')}</h3>
      <DataTable
        caption={t('ledger.itsMovements')}
        columns={columns}
        rows={rows}
        idOf={({ id }) => id}
        empty={t('ledger.nothingYet')}
      />
    </section>
  );
}

function Inbox({ notices, language }: Pick<OrderCase, 'notices'> & { language: Language }) {
  const { t, tag } = useText();
  return (
    <section className="panel">
      <h3>{t('order.notices')}</h3>
      {notices.length === 0 && <p className="caption">{t('order.noNotices')}</p>}
      {notices.map(({ id, time, title, text, isRead }) => (
        <p key={id}>
          <small>{`${formatTime(time, tag)} · ${t(isRead ? 'chat.mark.read' : 'chat.unread')}`}</small>
          <span lang={LANGUAGE_TAGS[language]}>
            <b>{title}</b> {text}
          </span>
        </p>
      ))}
    </section>
  );
}
