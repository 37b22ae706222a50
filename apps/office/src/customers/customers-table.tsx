import { COUNTRIES } from '@fairtick/protocol/countries';
import { statusesOf } from '@fairtick/protocol/lifecycles';
import type { OfficeInput } from '@fairtick/protocol/office';
import { CUSTOMER_FLAGS } from '@fairtick/protocol/office/customer-lists';
import { Tag } from '@fairtick/ui';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { type RowOf, refresh, useGet, usePages } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { bodyOf, Controls, type Input } from '../shell/controls.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, FormFault, TextField, useForm } from '../shell/form.tsx';
import { withAsset } from '../state/amounts.ts';
import { formatTime, regionName } from '../state/format.ts';
import css from './customers.module.css';

type Listed = RowOf<'customer/list'>;
type Search = Omit<OfficeInput<'customer/list'>, 'limit' | 'cursor'>;

const EMPTY = {
  ...{ country: '', realStatus: '', asset: '', least: '', flag: '', note: '' },
  ...{ registeredFrom: '', registeredTo: '', seenFrom: '', seenTo: '' },
};

/** The fields of a search; one that is empty excludes nobody. */
function useInputs(): readonly Input[] {
  const { t, word, tag } = useText();
  const any = { none: t('customers.any') };
  const day = (name: 'registeredFrom' | 'registeredTo' | 'seenFrom' | 'seenTo'): Input => ({
    name,
    label: t(`customers.${name}`),
    kind: 'date',
  });
  const inputs: readonly Input[] = [
    {
      name: 'country',
      label: t('identity.country'),
      choices: COUNTRIES,
      nameOf: (code) => regionName(code, tag),
      ...any,
    },
    {
      name: 'realStatus',
      label: t('customers.realStatus'),
      choices: statusesOf('realName'),
      nameOf: (one) => word('realStatus', one),
      ...any,
    },
    day('registeredFrom'),
    day('registeredTo'),
    day('seenFrom'),
    day('seenTo'),
    { name: 'asset', label: t('review.asset'), kind: 'code', maxLength: 8 },
    { name: 'least', label: t('customers.least'), kind: 'amount' },
    {
      name: 'flag',
      label: t('customers.flag'),
      choices: CUSTOMER_FLAGS,
      nameOf: (one) => word('flag', one),
      ...any,
    },
    { name: 'note', label: t('customers.note'), maxLength: 100 },
  ];
  return inputs.map((input) => ({ ...input, isOptional: true }));
}

/** Customers by what is known of them, page by page. Each customer that is listed sees that staff looked. */
export function CustomersTable({ onOpen }: { onOpen: (id: string) => void }) {
  const { t } = useText();
  const [search, setSearch] = useState<Search | null>(null);
  const inputs = useInputs();
  const form = useForm({ values: EMPTY });
  const typed = bodyOf(inputs, form.values) as Search;
  return (
    <>
      <form
        className={`columns-fill items-end gap-12 mb-12 ${css.filter}`}
        onSubmit={form.onSubmit(async () => setSearch(typed))}
      >
        <Controls inputs={inputs} form={form} />
        <Action look="gold" type="submit" disabled={form.isBusy}>
          {t('customer.find')}
        </Action>
      </form>
      <FormFault text={form.fault} />
      <Kept
        search={typed}
        onChoose={(kept) => {
          form.set({ ...EMPTY, ...(kept as Partial<typeof EMPTY>) });
          setSearch(kept);
        }}
      />
      {search !== null && <Rows search={search} onOpen={onOpen} />}
    </>
  );
}

function Rows({ search, onOpen }: { search: Search; onOpen: (id: string) => void }) {
  const { t, word } = useText();
  const { asset } = search;
  const columns: Column<Listed>[] = [
    { header: t('staff.number'), cell: ({ id }) => id },
    {
      header: t('session.account'),
      cell: ({ account, flags }) => (
        <>
          <strong>{account}</strong>
          {flags.map((flag) => (
            <Tag key={flag} look="outline">
              {word('flag', flag)}
            </Tag>
          ))}
        </>
      ),
    },
    { header: t('identity.country'), cell: ({ country }) => country ?? '–' },
    { header: t('staff.state'), cell: ({ realStatus }) => <Tag>{word('realStatus', realStatus)}</Tag> },
    { header: t('customer.since'), cell: ({ createdAt }) => formatTime(createdAt) },
    {
      header: t('customer.lastSeen'),
      cell: ({ lastSeenAt }) => (lastSeenAt === null ? t('shell.never') : formatTime(lastSeenAt)),
    },
  ];
  if (asset !== undefined)
    columns.push({
      header: t('customer.balances'),
      cell: ({ balance }) => (balance === null ? '–' : withAsset(balance, asset)),
      isNumber: true,
    });
  return (
    <>
      <DataTable
        caption={t('customers.list')}
        columns={columns}
        list={usePages(['look', 'customers'], 'customer/list', search)}
        none={t('customer.nobody')}
        onOpen={({ id }) => onOpen(id)}
        isDense
      />
      <p className="caption">{t('customers.seen')}</p>
    </>
  );
}

/** The reader's own searches by name: choose one, keep the present one, remove one. */
function Kept({ search, onChoose }: { search: Search; onChoose: (search: Search) => void }) {
  const { t } = useText();
  const form = useForm({ values: { name: '' } });
  const kept = useGet(['searches'], 'customer/searches');
  const { name } = form.values;
  const found = kept.data?.find((one) => one.name === name);
  const keep = async () => {
    await post('customer/keepSearch', { name: name.trim(), ...search });
    await refresh('searches');
  };
  const remove = () =>
    form.send(async () => {
      await post('customer/removeSearch', { name });
      await refresh('searches');
    });
  return (
    <form className="flex items-end wrap gap-8 mb-12" onSubmit={form.onSubmit(keep)}>
      {kept.data?.map((one) => (
        <Action
          key={one.name}
          size="small"
          onClick={() => {
            form.set({ name: one.name });
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
