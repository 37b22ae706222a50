import type { OfficeData } from '@fairtick/protocol/office';
import { CUSTOMER_FLAGS } from '@fairtick/protocol/office/customer-lists';
import { Tag } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { get, post } from '../api/client.ts';
import { queryClient, useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { ONE_VIEW } from '../reviews/queries.ts';
import { type Column, DataTable, useEmptyText } from '../shell/data-table.tsx';
import { Action, FormFault, formClass, SelectField, TextField, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { Paged } from './customer-lists.tsx';
import css from './customers.module.css';

type Note = OfficeData<'customer/notes'>['items'][number];
type CustomerLink = OfficeData<'customer/links'>[number];

const WRITERS = ['support', 'verification', 'cashier', 'approver'];
const NO_LINKS: readonly CustomerLink[] = [];

/** Notes and flags of staff about a customer, with their history. */
export function Notes({ id, flags }: { id: string; flags: readonly string[] }) {
  const { t, word, tag } = useText();
  const me = useMe().data;
  const [turn, setTurn] = useState(0);
  const columns: Column<Note>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.at, tag) },
    { id: 'staff', header: t('audit.staff'), cell: ({ row }) => row.original.by.name },
    {
      id: 'flag',
      header: t('customers.flag'),
      cell: ({ row: { original } }) =>
        original.flag !== null &&
        `${word('flag', original.flag)} · ${t(original.isSet ? 'customers.flagSet' : 'customers.flagCleared')}`,
    },
    { id: 'text', header: t('customers.noteText'), cell: ({ row }) => row.original.text },
  ];
  const written = async () => {
    await queryClient.invalidateQueries({ queryKey: ['look', 'customer', id] });
    setTurn((last) => last + 1);
  };
  return (
    <>
      {me?.roles.some(({ role }) => WRITERS.includes(role)) && (
        <NoteForm key={turn} id={id} flags={flags} onDone={written} />
      )}
      <Paged
        name="notes"
        id={id}
        caption={word('customerPart', 'notes')}
        columns={columns}
        read={(fields) => get('customer/notes', fields)}
      />
    </>
  );
}

function NoteForm(props: { id: string; flags: readonly string[]; onDone: () => Promise<void> }) {
  const { t, word } = useText();
  const form = useForm({ draft: `note ${props.id}`, values: { flag: '', text: '' } });
  const { flag, text } = form.values;
  const send = async () => {
    const marked = CUSTOMER_FLAGS.find((one) => one === flag);
    const isSet = !props.flags.includes(flag);
    await post('customer/note', {
      id: props.id,
      text,
      ...(marked ? { flag: marked, isSet: String(isSet) } : {}),
    });
    await props.onDone();
  };
  return (
    <form className={`${formClass} ${css.note}`} onSubmit={form.onSubmit(send)}>
      <SelectField label={t('customers.flag')} {...form.field('flag')} required={false}>
        <option value="">{t('customers.noteAlone')}</option>
        {CUSTOMER_FLAGS.map((one) => (
          <option key={one} value={one}>
            {t(props.flags.includes(one) ? 'customers.clear' : 'customers.set', { flag: word('flag', one) })}
          </option>
        ))}
      </SelectField>
      <TextField label={t('customers.noteText')} maxLength={1000} {...form.field('text')} />
      <FormFault text={form.fault} />
      <Action look="gold" type="submit" disabled={form.isBusy}>
        {t('customers.write')}
      </Action>
    </form>
  );
}

/** Accounts that share something with this one: facts, not verdicts. */
export function Links({ id }: { id: string }) {
  const { t, word, tag } = useText();
  const links = useQuery({
    queryKey: ['look', 'customer', id, 'links'],
    queryFn: () => get('customer/links', { id }),
    ...ONE_VIEW,
  });
  const columns: Column<CustomerLink>[] = [
    { id: 'what', header: t('links.what'), cell: ({ row }) => word('link', row.original.what) },
    {
      id: 'account',
      header: t('session.account'),
      cell: ({ row: { original } }) => (
        <Link className="opens" href={`~/customers/${original.id}`}>
          {original.account}
        </Link>
      ),
    },
    {
      id: 'status',
      header: t('staff.state'),
      cell: ({ row }) => <Tag>{word('realStatus', row.original.realStatus)}</Tag>,
    },
    { id: 'last', header: t('links.last'), cell: ({ row }) => formatTime(row.original.lastAt, tag) },
    {
      id: 'times',
      header: t('links.times'),
      cell: ({ row }) => row.original.times,
      meta: { isNumber: true },
    },
  ];
  return (
    <>
      <p className="secondary measure mb-14">{t('links.lead')}</p>
      <DataTable
        caption={word('customerPart', 'links')}
        columns={columns}
        rows={links.data ?? NO_LINKS}
        idOf={(link) => `${link.what} ${link.id}`}
        empty={useEmptyText(links, t('customer.none'))}
      />
    </>
  );
}
