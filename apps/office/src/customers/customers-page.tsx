import { readCode } from '@fairtick/money';
import type { OfficeData, OfficeInput } from '@fairtick/protocol/office';
import { Tabs, Tag } from '@fairtick/ui';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { post } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, FormFault, SelectField, TextField, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { CustomerView } from './customer-view.tsx';
import css from './customers.module.css';
import { CustomersTable } from './customers-table.tsx';
import { FlagTasks } from './flag-tasks.tsx';
import { RecentCases } from './recent-cases.tsx';
import { RestrictionChanges } from './restrictions.tsx';

type Found = OfficeData<'customer/find'>[number];
type By = OfficeInput<'customer/find'>['by'];
const WAYS: readonly By[] = ['account', 'id', 'name', 'document', 'card', 'address'];
const TABS = ['find', 'list', 'tasks', 'restrictions'] as const;
const FINDERS = ['support', 'verification', 'cashier', 'auditor'];

/** Finds customers by one complete value, such as account or number; lists them; tasks of rules; proposed restrictions. */
export default function CustomersPage() {
  const { t } = useText();
  const me = useMe().data;
  const [location, navigate] = useLocation();
  const [hasSearched, setSearched] = useState(false);
  const openId = /^\/(\d{1,18})$/.exec(location)?.[1] ?? null;
  const mayFind = me?.roles.some(({ role }) => FINDERS.includes(role)) === true;
  const tab = TABS.find((name) => location === `/${name}`) ?? 'find';
  return (
    <div className="page">
      <h1>{t('page.customers')}</h1>
      <Tabs
        id="customers"
        label={t('page.customers')}
        value={tab}
        onChange={(next) => navigate(next === 'find' ? '/' : `/${next}`)}
        tabs={TABS.map((value) => ({ value, label: t(`customers.tab.${value}`) }))}
      />
      <div role="tabpanel" aria-labelledby={`customers-${tab}`} className="panel">
        {tab === 'find' && (
          <>
            {mayFind && <Search onOpen={(id) => navigate(`/${id}`)} openId={openId} onSearch={setSearched} />}
            {openId === null && !hasSearched && me && <RecentCases staffId={me.id} />}
            {openId !== null && <CustomerView key={openId} id={openId} />}
          </>
        )}
        {tab === 'list' && <CustomersTable onOpen={(id) => navigate(`/${id}`)} />}
        {tab === 'tasks' && <FlagTasks />}
        {tab === 'restrictions' && <RestrictionChanges />}
      </div>
    </div>
  );
}

function Search(props: {
  openId: string | null;
  onOpen: (id: string) => void;
  /** Called with whether the search has an answer. */
  onSearch: (hasAnswer: boolean) => void;
}) {
  const { openId, onOpen } = props;
  const { t, word, tag } = useText();
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
    { id: 'id', header: t('staff.number'), cell: ({ row }) => row.original.id },
    {
      id: 'account',
      header: t('session.account'),
      cell: ({ row }) => <strong>{row.original.account}</strong>,
    },
    { id: 'nickname', header: t('customer.nickname'), cell: ({ row }) => row.original.nickname },
    {
      id: 'status',
      header: t('staff.state'),
      cell: ({ row }) => <Tag>{word('realStatus', row.original.realStatus)}</Tag>,
    },
    { id: 'since', header: t('customer.since'), cell: ({ row }) => formatTime(row.original.createdAt, tag) },
  ];
  const isSealed = by !== 'account' && by !== 'id';
  return (
    <section aria-label={t('customer.search')}>
      {openId === null && <p className="secondary measure mb-14">{t('customer.start')}</p>}
      <form className={css.search} onSubmit={form.onSubmit(find)}>
        <SelectField
          label={t('customer.by')}
          value={by}
          onChange={(event) => {
            setBy(event.target.value as By);
            answer(null);
          }}
        >
          {WAYS.map((way) => (
            <option key={way} value={way}>
              {word('findBy', way)}
            </option>
          ))}
        </SelectField>
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
          rows={found}
          idOf={({ id }) => id}
          onOpen={({ id }) => onOpen(id)}
          openId={openId}
          empty={t('customer.nobody')}
        />
      )}
    </section>
  );
}
