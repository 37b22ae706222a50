import type { OfficeData } from '@fairtick/protocol/office';
import { CUSTOMER_FLAGS } from '@fairtick/protocol/office/customer-lists';
import { Tag } from '@fairtick/ui';
import { useState } from 'react';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { ONE_VIEW, type RowOf, refresh, useGet, useHas, usePages } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, FormFault, formClass, SelectField, TextField, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import css from './customers.module.css';

/** Notes and flags of staff about a customer, with their history. */
export function Notes({ id, flags }: { id: string; flags: readonly string[] }) {
  const { t, word } = useText();
  const has = useHas();
  const [turn, setTurn] = useState(0);
  const columns: Column<RowOf<'customer/notes'>>[] = [
    { header: t('audit.time'), cell: ({ at }) => formatTime(at) },
    { header: t('audit.staff'), cell: ({ by }) => by.name },
    {
      header: t('customers.flag'),
      cell: ({ flag, isSet }) =>
        flag && `${word('flag', flag)} · ${t(isSet ? 'customers.flagSet' : 'customers.flagCleared')}`,
    },
    { header: t('customers.noteText'), cell: ({ text }) => text },
  ];
  const written = async () => {
    await refresh('look', 'customer', id);
    setTurn((last) => last + 1);
  };
  return (
    <>
      {has('support', 'verification', 'cashier', 'approver') && (
        <NoteForm key={turn} id={id} flags={flags} onDone={written} />
      )}
      <DataTable
        caption={t('customerPart.notes')}
        columns={columns}
        list={usePages(['look', 'customer', id], 'customer/notes', { id }, ONE_VIEW)}
        none={t('customer.none')}
      />
    </>
  );
}

function NoteForm(props: { id: string; flags: readonly string[]; onDone: () => Promise<void> }) {
  const { t, word } = useText();
  const form = useForm({ draft: `note ${props.id}`, values: { flag: '', text: '' } });
  const { flag, text } = form.values;
  const send = async () => {
    const isSet = String(!props.flags.includes(flag));
    await post('customer/note', { id: props.id, text, ...(flag !== '' && { flag, isSet }) });
    await props.onDone();
  };
  return (
    <form className={`${formClass} ${css.note}`} onSubmit={form.onSubmit(send)}>
      <SelectField
        label={t('customers.flag')}
        none={t('customers.noteAlone')}
        choices={CUSTOMER_FLAGS}
        nameOf={(one) =>
          t(props.flags.includes(one) ? 'customers.clear' : 'customers.set', { flag: word('flag', one) })
        }
        {...form.field('flag')}
        required={false}
      />
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
  const { t, word } = useText();
  const columns: Column<OfficeData<'customer/links'>[number]>[] = [
    { header: t('links.what'), cell: ({ what }) => word('link', what) },
    {
      header: t('session.account'),
      cell: (link) => (
        <Link className="opens" href={`~/customers/${link.id}`}>
          {link.account}
        </Link>
      ),
    },
    { header: t('staff.state'), cell: ({ realStatus }) => <Tag>{word('realStatus', realStatus)}</Tag> },
    { header: t('links.last'), cell: ({ lastAt }) => formatTime(lastAt) },
    { header: t('links.times'), cell: ({ times }) => times, isNumber: true },
  ];
  return (
    <>
      <p className="secondary prose mb-14">{t('links.lead')}</p>
      <DataTable
        caption={t('customerPart.links')}
        columns={columns}
        list={useGet(['look', 'customer', id], 'customer/links', { id }, ONE_VIEW)}
        none={t('customer.none')}
        idOf={(link) => `${link.what} ${link.id}`}
      />
    </>
  );
}
