import { LANGUAGE_NAMES, type Language } from '@fairtick/protocol/languages';
import type { OfficeData } from '@fairtick/protocol/office';
import { endingOf, stateText } from '@fairtick/protocol/request-states';
import { Tabs, Tag } from '@fairtick/ui';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ONE_VIEW, useGet, useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { CaseFact, CaseFacts } from '../reviews/case-frame.tsx';
import { Inquiries } from '../reviews/inquiries.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import { Funds, Orders, Views } from './customer-lists.tsx';
import { Links, Notes } from './customer-notes.tsx';
import css from './customers.module.css';
import { Restrictions } from './restrictions.tsx';

type Customer = OfficeData<'customer/detail'>;

/** The parts of a customer's view, in the order of their tabs. */
const PARTS = {
  facts: ({ data }) => <FactsOf data={data} />,
  documents: ({ data }) => <Documents data={data} />,
  funds: ({ data: { id } }) => <Funds id={id} />,
  orders: ({ data: { id } }) => <Orders id={id} />,
  notes: ({ data: { id, flags } }) => <Notes id={id} flags={flags} />,
  links: ({ data: { id } }) => <Links id={id} />,
  restrictions: ({ data: { id, limits } }) => (
    <Restrictions id={id} assets={limits.map(({ asset }) => asset)} />
  ),
  views: ({ data: { id } }) => <Views id={id} />,
} as const satisfies Readonly<Record<string, (props: { data: Customer }) => ReactNode>>;
type PartName = keyof typeof PARTS;
const OF_MONEY: readonly string[] = ['funds', 'orders'];

/** One customer: facts, documents, funds, orders, limits, and who looked. */
export function CustomerView({ id }: { id: string }) {
  const customer = useGet(['look', 'customer', id], 'customer/detail', { id }, ONE_VIEW);
  return <Loaded query={customer}>{(data) => <Known data={data} />}</Loaded>;
}

function Known({ data }: { data: Customer }) {
  const { t, word } = useText();
  const has = useHas();
  const [part, setPart] = useState<PartName>('facts');
  const seesMoney = has('support', 'cashier', 'approver', 'auditor');
  const parts = (Object.keys(PARTS) as PartName[]).filter((one) => seesMoney || !OF_MONEY.includes(one));
  const Part = PARTS[part];
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
        <Part data={data} />
      </div>
    </article>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** A section with a table of the same name. */
function Listed<Row>(props: {
  title: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
}) {
  const { t } = useText();
  const { title, columns, rows, idOf } = props;
  return (
    <Section title={title}>
      <DataTable caption={title} columns={columns} list={rows} none={t('customer.none')} idOf={idOf} />
    </Section>
  );
}

function Basics({ data }: { data: Customer }) {
  const { t } = useText();
  const time = (ms: number | null) => (ms === null ? t('shell.never') : formatTime(ms));
  return (
    <Section title={t('customer.facts')}>
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
    </Section>
  );
}

function FactsOf({ data }: { data: Customer }) {
  const { t, word, language } = useText();
  const asset = { header: t('review.asset'), cell: (row: { asset: string }) => row.asset };
  return (
    <div className="halves items-start gap-24">
      <Basics data={data} />
      <Listed
        title={t('customer.balances')}
        columns={[
          asset,
          ...(['available', 'held', 'earning'] as const).map(
            (name): Column<Customer['balances'][number]> => ({
              header: word('balance', name),
              cell: (row) => readable(row[name]),
              isNumber: true,
            }),
          ),
        ]}
        rows={data.balances}
        idOf={(row) => row.asset}
      />
      <Listed
        title={t('customer.limits')}
        columns={[
          asset,
          { header: t('customer.min'), cell: ({ min }) => readable(min), isNumber: true },
          {
            header: t('customer.max'),
            cell: ({ max }) => (max === null ? t('customer.noMax') : readable(max)),
            isNumber: true,
          },
          { header: t('deposit.fee'), cell: ({ fee }) => readable(fee), isNumber: true },
        ]}
        rows={data.limits}
        idOf={(row) => row.asset}
      />
      <Listed
        title={t('customer.requests')}
        columns={[
          { header: t('audit.time'), cell: ({ submittedAt }) => formatTime(submittedAt) },
          {
            header: t('review.case'),
            cell: ({ kind, id }) => (
              <Link className="opens" href={`~/${kind}s/${id}`}>
                {t(`review.number.${kind}`, { id })}
              </Link>
            ),
          },
          { header: t('review.amount'), cell: (row) => withAsset(row.amount, row.asset), isNumber: true },
          {
            header: t('staff.state'),
            cell: ({ status, reason }) => <Tag>{stateText(status, endingOf(reason), language)}</Tag>,
          },
        ]}
        rows={data.requests}
        idOf={({ kind, id }) => `${kind} ${id}`}
      />
    </div>
  );
}

function Documents({ data }: { data: Customer }) {
  const { t, word, language } = useText();
  return (
    <div className="halves items-start gap-24">
      <Listed
        title={t('customer.documents')}
        columns={[
          { header: t('audit.time'), cell: ({ submittedAt }) => formatTime(submittedAt) },
          {
            header: t('review.case'),
            cell: ({ id }) => (
              <Link className="opens" href={`~/identities/${id}`}>
                {t('review.number.identity', { id })}
              </Link>
            ),
          },
          {
            header: t('staff.state'),
            cell: ({ state, reason }) => (
              <>
                <Tag>{stateText(state, null, language)}</Tag> {reason !== null && word('reason', reason)}
              </>
            ),
          },
        ]}
        rows={data.documents}
        idOf={({ id }) => id}
      />
      <Listed
        title={t('customer.destinations')}
        columns={[
          { header: t('customer.bound'), cell: ({ changedAt }) => formatTime(changedAt) },
          { header: t('review.asset'), cell: ({ asset }) => asset },
          {
            header: t('review.destination'),
            cell: ({ kind, label }) => `${word('destination', kind)} ${label}`,
          },
          {
            header: t('staff.state'),
            cell: ({ isRemoved }) => (
              <Tag look={isRemoved ? 'outline' : 'plain'}>
                {t(isRemoved ? 'customer.removed' : 'customer.inUse')}
              </Tag>
            ),
          },
        ]}
        rows={data.destinations}
        idOf={({ id }) => id}
      />
      <Inquiries customerId={data.id} />
    </div>
  );
}
