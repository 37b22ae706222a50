import { readCode } from '@fairtick/money';
import type { OfficeData, OfficeInput } from '@fairtick/protocol/office';
import { Tag } from '@fairtick/ui';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { post } from '../api/client.ts';
import { useHas, useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { AddressTabs } from '../shell/address-tabs.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, FormFault, SelectField, TextField, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { caseOf } from '../state/recent-cases.ts';
import { CustomerView } from './customer-view.tsx';
import css from './customers.module.css';
import { CustomersTable } from './customers-table.tsx';
import { FlagTasks } from './flag-tasks.tsx';
import { RecentCases } from './recent-cases.tsx';
import { RestrictionChanges } from './restrictions.tsx';
import { Screening } from './screening.tsx';

type Found = OfficeData<'customer/find'>[number];
type By = OfficeInput<'customer/find'>['by'];
const WAYS: readonly By[] = ['account', 'id', 'name', 'document', 'card', 'address'];

/** Finds customers by one complete value, such as account or number; lists them; tasks of rules; proposed restrictions. */
export default function CustomersPage() {
  const { t } = useText();
  const [, navigate] = useLocation();
  return (
    <div className="page">
      <h1>{t('page.customers')}</h1>
      <AddressTabs
        id="customers"
        label={t('page.customers')}
        tabs={{
          find: { label: t('customers.tab.find'), part: <Finding /> },
          list: {
            label: t('customers.tab.list'),
            part: <CustomersTable onOpen={(id) => navigate(`/${id}`)} />,
          },
          tasks: { label: t('customers.tab.tasks'), part: <FlagTasks /> },
          screening: { label: t('customers.tab.screening'), part: <Screening /> },
          restrictions: { label: t('customers.tab.restrictions'), part: <RestrictionChanges /> },
        }}
      />
    </div>
  );
}

/** The search, and the customer whom the address names. */
function Finding() {
  const me = useMe().data;
  const has = useHas();
  const [location, navigate] = useLocation();
  const [hasSearched, setSearched] = useState(false);
  const openId = caseOf(location);
  return (
    <>
      {has('support', 'verification', 'cashier', 'auditor') && (
        <Search onOpen={(id) => navigate(`/${id}`)} openId={openId} onSearch={setSearched} />
      )}
      {openId === null && !hasSearched && me && <RecentCases staffId={me.id} />}
      {openId !== null && <CustomerView key={openId} id={openId} />}
    </>
  );
}

function Search(props: {
  openId: string | null;
  onOpen: (id: string) => void;
  /** Called with whether the search has an answer. */
  onSearch: (hasAnswer: boolean) => void;
}) {
  const { openId, onOpen } = props;
  const { t, word } = useText();
  const [by, setBy] = useState<By>('account');
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly Found[] | null>(null);
  const form = useForm();
  const answer = (customers: readonly Found[] | null) => {
    setFound(customers);
    props.onSearch(customers !== null);
  };
  const find = async () => {
    const customers = await post('customer/find', { by, text: by === 'id' ? readCode(text) : text.trim() });
    answer(customers);
    const [only] = customers;
    if (only && customers.length === 1) onOpen(only.id);
  };
  const columns: Column<Found>[] = [
    { header: t('staff.number'), cell: ({ id }) => id },
    { header: t('session.account'), cell: ({ account }) => <strong>{account}</strong> },
    { header: t('customer.nickname'), cell: ({ nickname }) => nickname },
    { header: t('staff.state'), cell: ({ realStatus }) => <Tag>{word('realStatus', realStatus)}</Tag> },
    { header: t('customer.since'), cell: ({ createdAt }) => formatTime(createdAt) },
  ];
  const isSealed = by !== 'account' && by !== 'id';
  return (
    <section aria-label={t('customer.search')}>
      {openId === null && <p className="secondary prose mb-14">{t('customer.start')}</p>}
      <form className={css.search} onSubmit={form.onSubmit(find)}>
        <SelectField
          label={t('customer.by')}
          choices={WAYS}
          nameOf={(way) => word('findBy', way)}
          value={by}
          onChange={(event) => {
            setBy(event.target.value as By);
            answer(null);
          }}
        />
        <TextField
          label={word('findBy', by)}
          autoComplete="off"
          maxLength={200}
          required
          value={text}
          fault={form.faultOf('text')}
          onChange={(event) => setText(event.target.value)}
        />
        <Action look="gold" type="submit" disabled={form.isBusy || text.trim() === ''}>
          {t('customer.find')}
        </Action>
      </form>
      <p className="caption">{t(isSealed ? 'customer.sealed' : 'customer.whole')}</p>
      <FormFault text={form.fault} />
      {found !== null && (found.length !== 1 || found[0]?.id !== openId) && (
        <DataTable
          caption={t('customer.search')}
          columns={columns}
          list={found}
          none={t('customer.nobody')}
          onOpen={({ id }) => onOpen(id)}
          openId={openId}
        />
      )}
    </section>
  );
}
