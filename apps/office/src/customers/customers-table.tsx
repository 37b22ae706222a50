import { amountTyped } from '@fairtick/money';
import { statusesOf } from '@fairtick/protocol/lifecycles';
import type { OfficeData, OfficeInput } from '@fairtick/protocol/office';
import { CUSTOMER_FLAGS } from '@fairtick/protocol/office/customer-lists';
import { Tag } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, post } from '../api/client.ts';
import { queryClient, usePages } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable, More, useEmptyText } from '../shell/data-table.tsx';
import { Action, FormFault, SelectField, TextField, useForm } from '../shell/form.tsx';
import { AmountField } from '../shell/number-fields.tsx';
import { withAsset } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';
import css from './customers.module.css';

type Listed = OfficeData<'customer/list'>['items'][number];
type Search = Omit<OfficeInput<'customer/list'>, 'limit' | 'cursor'>;

const EMPTY = {
  country: '',
  registeredFrom: '',
  registeredTo: '',
  realStatus: '',
  asset: '',
  least: '',
  seenFrom: '',
  seenTo: '',
  flag: '',
  note: '',
};
type Name = keyof typeof EMPTY;
const DAYS = ['registeredFrom', 'registeredTo', 'seenFrom', 'seenTo'] as const;

/** The fields that are filled in. */
function searchOf(values: typeof EMPTY): Search {
  const typed = {
    ...values,
    country: values.country.trim().toUpperCase(),
    asset: values.asset.trim().toUpperCase(),
    least: amountTyped(values.least) ?? '',
    note: values.note.trim(),
  };
  return Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== '')) as Search;
}

/** Customers by what is known of them, page by page. Each customer that is listed sees that staff looked. */
export function CustomersTable({ onOpen }: { onOpen: (id: string) => void }) {
  const { t, word } = useText();
  const [search, setSearch] = useState<Search | null>(null);
  const form = useForm({ values: EMPTY });
  const show = async () => setSearch(searchOf(form.values));
  return (
    <>
      <form className={`columns-fill items-end gap-12 mb-12 ${css.filter}`} onSubmit={form.onSubmit(show)}>
        <TextField label={t('identity.country')} maxLength={2} {...form.field('country')} required={false} />
        <SelectField label={t('customers.realStatus')} {...form.field('realStatus')} required={false}>
          <option value="">{t('customers.any')}</option>
          {statusesOf('realName').map((one) => (
            <option key={one} value={one}>
              {word('realStatus', one)}
            </option>
          ))}
        </SelectField>
        {DAYS.map((name) => (
          <TextField
            key={name}
            type="date"
            label={t(`customers.${name}`)}
            {...form.field(name)}
            required={false}
          />
        ))}
        <TextField label={t('review.asset')} maxLength={8} {...form.field('asset')} required={false} />
        <AmountField label={t('customers.least')} {...form.field('least')} required={false} />
        <SelectField label={t('customers.flag')} {...form.field('flag')} required={false}>
          <option value="">{t('customers.any')}</option>
          {CUSTOMER_FLAGS.map((one) => (
            <option key={one} value={one}>
              {word('flag', one)}
            </option>
          ))}
        </SelectField>
        <TextField label={t('customers.note')} maxLength={100} {...form.field('note')} required={false} />
        <Action look="gold" type="submit" disabled={form.isBusy}>
          {t('customer.find')}
        </Action>
      </form>
      <FormFault text={form.fault} />
      <Kept
        search={searchOf(form.values)}
        onChoose={(kept) => {
          for (const name of Object.keys(EMPTY) as Name[]) form.field(name).onChange(kept[name] ?? '');
          setSearch(kept);
        }}
      />
      {search !== null && <Rows search={search} onOpen={onOpen} />}
    </>
  );
}

function Rows({ search, onOpen }: { search: Search; onOpen: (id: string) => void }) {
  const { t, word, tag } = useText();
  const list = usePages<Listed>(['look', 'customers', search], (page, signal) =>
    get('customer/list', { ...search, ...page }, signal),
  );
  const columns: Column<Listed>[] = [
    { id: 'id', header: t('staff.number'), cell: ({ row }) => row.original.id },
    {
      id: 'account',
      header: t('session.account'),
      cell: ({ row: { original } }) => (
        <>
          <strong>{original.account}</strong>
          {original.flags.map((flag) => (
            <Tag key={flag} look="outline">
              {word('flag', flag)}
            </Tag>
          ))}
        </>
      ),
    },
    { id: 'country', header: t('identity.country'), cell: ({ row }) => row.original.country ?? '–' },
    {
      id: 'status',
      header: t('staff.state'),
      cell: ({ row }) => <Tag>{word('realStatus', row.original.realStatus)}</Tag>,
    },
    { id: 'since', header: t('customer.since'), cell: ({ row }) => formatTime(row.original.createdAt, tag) },
    {
      id: 'seen',
      header: t('customer.lastSeen'),
      cell: ({ row: { original } }) =>
        original.lastSeenAt === null ? t('shell.never') : formatTime(original.lastSeenAt, tag),
    },
    ...(search.asset === undefined
      ? []
      : [
          {
            id: 'balance',
            header: t('customer.balances'),
            cell: ({ row: { original } }: { row: { original: Listed } }) =>
              original.balance === null ? '–' : withAsset(original.balance, search.asset ?? ''),
            meta: { isNumber: true as const },
          },
        ]),
  ];
  return (
    <>
      <DataTable
        caption={t('customers.list')}
        columns={columns}
        rows={list.rows}
        idOf={({ id }) => id}
        onOpen={({ id }) => onOpen(id)}
        empty={useEmptyText(list, t('customer.nobody'))}
        isDense
      />
      <More query={list} />
      <p className="caption">{t('customers.seen')}</p>
    </>
  );
}

/** The reader's own searches by name: choose one, keep the present one, remove one. */
function Kept({ search, onChoose }: { search: Search; onChoose: (search: Search) => void }) {
  const { t } = useText();
  const form = useForm({ values: { name: '' } });
  const kept = useQuery({ queryKey: ['searches'], queryFn: () => get('customer/searches', {}) });
  const { name } = form.values;
  const found = kept.data?.find((one) => one.name === name);
  const after = () => queryClient.invalidateQueries({ queryKey: ['searches'] });
  const keep = async () => {
    await post('customer/keepSearch', { name: name.trim(), ...search });
    await after();
  };
  const remove = () =>
    form.send(async () => {
      await post('customer/removeSearch', { name });
      await after();
    });
  return (
    <form className="flex items-end wrap gap-8 mb-12" onSubmit={form.onSubmit(keep)}>
      {kept.data?.map((one) => (
        <Action
          key={one.name}
          size="small"
          onClick={() => {
            form.field('name').onChange(one.name);
            onChoose(one.search);
          }}
        >
          {one.name}
        </Action>
      ))}
      <TextField label={t('customers.searchName')} maxLength={60} {...form.field('name')} />
      <Action type="submit" disabled={form.isBusy || name.trim() === ''}>
        {t('customers.keep')}
      </Action>
      {found && (
        <Action isRefusal disabled={form.isBusy} onClick={() => void remove()}>
          {t('customers.remove')}
        </Action>
      )}
      <FormFault text={form.fault} />
    </form>
  );
}
