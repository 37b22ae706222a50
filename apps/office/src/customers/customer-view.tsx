import { LANGUAGE_NAMES, type Language } from '@fairtick/protocol/languages';
import type { OfficeData } from '@fairtick/protocol/office';
import { endingOf, stateText } from '@fairtick/protocol/request-states';
import { Notice, Tabs, Tag } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { get } from '../api/client.ts';
import { faultText } from '../api/fault-text.ts';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { CaseFact, CaseFacts } from '../reviews/case-frame.tsx';
import { ONE_VIEW } from '../reviews/queries.ts';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { Funds, Orders, Views } from './customer-lists.tsx';
import { Links, Notes } from './customer-notes.tsx';
import css from './customers.module.css';
import { Restrictions } from './restrictions.tsx';

type Customer = OfficeData<'customer/detail'>;
type Part = 'facts' | 'documents' | 'funds' | 'orders' | 'notes' | 'links' | 'restrictions' | 'views';

const MONEY_LOOKERS = ['support', 'cashier', 'approver', 'auditor'];

/** One customer: facts, documents, funds, orders, limits, and who looked. */
export function CustomerView({ id }: { id: string }) {
  const text = useText();
  const { t, word } = text;
  const me = useMe().data;
  const [part, setPart] = useState<Part>('facts');
  const customer = useQuery({
    queryKey: ['look', 'customer', id],
    queryFn: () => get('customer/detail', { id }),
    ...ONE_VIEW,
  });
  const { data } = customer;
  if (!data) {
    return customer.isError ? (
      <Notice look="bad">{faultText(customer.error, text)}</Notice>
    ) : (
      <p className="caption">{t('shell.loading')}</p>
    );
  }
  const seesMoney = me?.roles.some(({ role }) => MONEY_LOOKERS.includes(role)) === true;
  const parts: readonly Part[] = seesMoney
    ? ['facts', 'documents', 'funds', 'orders', 'notes', 'links', 'restrictions', 'views']
    : ['facts', 'documents', 'notes', 'links', 'restrictions', 'views'];
  return (
    <article className="stack gap-12 pt-12 line-above" aria-labelledby="customer-title">
      <header className={`row gap-8 ${css.head}`}>
        <h2 id="customer-title">{data.account}</h2>
        <Tag>{word('realStatus', data.realStatus)}</Tag>
        <Tag>{word('level', data.level)}</Tag>
        {data.flags.map((flag) => (
          <Tag key={flag} look="outline">
            {word('flag', flag)}
          </Tag>
        ))}
        <span className="caption">{t('customer.seen')}</span>
      </header>
      <Tabs
        label={t('customer.parts')}
        id="customer"
        value={part}
        tabs={parts.map((one) => ({ value: one, label: word('customerPart', one) }))}
        onChange={setPart}
      />
      <div role="tabpanel" aria-labelledby={`customer-${part}`} className={css.panel}>
        {part === 'facts' && <FactsOf data={data} />}
        {part === 'documents' && <Documents data={data} />}
        {part === 'funds' && <Funds id={id} />}
        {part === 'orders' && <Orders id={id} />}
        {part === 'notes' && <Notes id={id} flags={data.flags} />}
        {part === 'links' && <Links id={id} />}
        {part === 'restrictions' && <Restrictions id={id} assets={data.limits.map(({ asset }) => asset)} />}
        {part === 'views' && <Views id={id} />}
      </div>
    </article>
  );
}

function FactsOf({ data }: { data: Customer }) {
  const { t, word, tag } = useText();
  const time = (ms: number | null) => (ms === null ? t('shell.never') : formatTime(ms, tag));
  const balances: Column<Customer['balances'][number]>[] = [
    { id: 'asset', header: t('review.asset'), cell: ({ row }) => row.original.asset },
    ...(['available', 'held', 'earning'] as const).map((name) => ({
      id: name,
      header: word('balance', name),
      cell: ({ row }: { row: { original: Customer['balances'][number] } }) => readable(row.original[name]),
      meta: { isNumber: true as const },
    })),
  ];
  const limits: Column<Customer['limits'][number]>[] = [
    { id: 'asset', header: t('review.asset'), cell: ({ row }) => row.original.asset },
    {
      id: 'min',
      header: t('customer.min'),
      cell: ({ row }) => readable(row.original.min),
      meta: { isNumber: true },
    },
    {
      id: 'max',
      header: t('customer.max'),
      cell: ({ row: { original } }) => (original.max === null ? t('customer.noMax') : readable(original.max)),
      meta: { isNumber: true },
    },
    {
      id: 'fee',
      header: t('deposit.fee'),
      cell: ({ row }) => readable(row.original.fee),
      meta: { isNumber: true },
    },
  ];
  return (
    <div className="halves items-start gap-24">
      <section>
        <h3>{t('customer.facts')}</h3>
        <div className="box py-8 px-16">
          <CaseFacts>
            <CaseFact name={t('staff.number')}>{data.id}</CaseFact>
            <CaseFact name={t('customer.nickname')}>{data.nickname}</CaseFact>
            <CaseFact name={t('identity.country')}>{data.country ?? t('identity.none')}</CaseFact>
            <CaseFact name={t('shell.language')}>
              {LANGUAGE_NAMES[data.language as Language] ?? data.language}
            </CaseFact>
            <CaseFact name={t('customer.since')}>{time(data.createdAt)}</CaseFact>
            <CaseFact name={t('customer.lastSeen')}>{time(data.lastSeenAt)}</CaseFact>
            {data.erasedAt !== null && <CaseFact name={t('step.erased')}>{time(data.erasedAt)}</CaseFact>}
          </CaseFacts>
        </div>
      </section>
      <section>
        <h3>{t('customer.balances')}</h3>
        <DataTable
          caption={t('customer.balances')}
          columns={balances}
          rows={data.balances}
          idOf={({ asset }) => asset}
          empty={t('customer.none')}
        />
      </section>
      <section>
        <h3>{t('customer.limits')}</h3>
        <DataTable
          caption={t('customer.limits')}
          columns={limits}
          rows={data.limits}
          idOf={({ asset }) => asset}
          empty={t('customer.none')}
        />
      </section>
      <Requests data={data} />
    </div>
  );
}

function Requests({ data }: { data: Customer }) {
  const { t, tag, language } = useText();
  const columns: Column<Customer['requests'][number]>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.submittedAt, tag) },
    {
      id: 'what',
      header: t('review.case'),
      cell: ({ row: { original } }) => (
        <Link className="opens" href={`~/${original.kind}s/${original.id}`}>
          {t(`review.number.${original.kind}`, { id: original.id })}
        </Link>
      ),
    },
    {
      id: 'amount',
      header: t('review.amount'),
      cell: ({ row: { original } }) => withAsset(original.amount, original.asset),
      meta: { isNumber: true },
    },
    {
      id: 'status',
      header: t('staff.state'),
      cell: ({ row: { original } }) => (
        <Tag>{stateText(original.status, endingOf(original.reason), language)}</Tag>
      ),
    },
  ];
  return (
    <section>
      <h3>{t('customer.requests')}</h3>
      <DataTable
        caption={t('customer.requests')}
        columns={columns}
        rows={data.requests}
        idOf={({ kind, id }) => `${kind} ${id}`}
        empty={t('customer.none')}
      />
    </section>
  );
}

function Documents({ data }: { data: Customer }) {
  const { t, word, tag, language } = useText();
  const documents: Column<Customer['documents'][number]>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.submittedAt, tag) },
    {
      id: 'case',
      header: t('review.case'),
      cell: ({ row: { original } }) => (
        <Link className="opens" href={`~/identities/${original.id}`}>
          {t('review.number.identity', { id: original.id })}
        </Link>
      ),
    },
    {
      id: 'state',
      header: t('staff.state'),
      cell: ({ row: { original } }) => (
        <>
          <Tag>{stateText(original.state, null, language)}</Tag>{' '}
          {original.reason !== null && word('reason', original.reason)}
        </>
      ),
    },
  ];
  const destinations: Column<Customer['destinations'][number]>[] = [
    { id: 'time', header: t('customer.bound'), cell: ({ row }) => formatTime(row.original.changedAt, tag) },
    { id: 'asset', header: t('review.asset'), cell: ({ row }) => row.original.asset },
    {
      id: 'label',
      header: t('review.destination'),
      cell: ({ row }) => `${word('destination', row.original.kind)} ${row.original.label}`,
    },
    {
      id: 'state',
      header: t('staff.state'),
      cell: ({ row }) =>
        row.original.isRemoved ? (
          <Tag look="outline">{t('customer.removed')}</Tag>
        ) : (
          <Tag>{t('customer.inUse')}</Tag>
        ),
    },
  ];
  return (
    <div className="halves items-start gap-24">
      <section>
        <h3>{t('customer.documents')}</h3>
        <DataTable
          caption={t('customer.documents')}
          columns={documents}
          rows={data.documents}
          idOf={({ id }) => id}
          empty={t('customer.none')}
        />
      </section>
      <section>
        <h3>{t('customer.destinations')}</h3>
        <DataTable
          caption={t('customer.destinations')}
          columns={destinations}
          rows={data.destinations}
          idOf={({ id }) => id}
          empty={t('customer.none')}
        />
      </section>
    </div>
  );
}
