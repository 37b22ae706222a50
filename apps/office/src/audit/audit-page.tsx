import { readDigits } from '@fairtick/money';
import type { OfficeData } from '@fairtick/protocol/office';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { get } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable, More } from '../shell/data-table.tsx';
import { Action, SelectField, TextField } from '../shell/form.tsx';
import { DigitsField } from '../shell/number-fields.tsx';
import { formatTime } from '../state/format.ts';
import css from './audit.module.css';
import { ChainStatus } from './chain-status.tsx';
import { factsText, subjectText } from './facts-text.ts';

type Entry = OfficeData<'audit/list'>['items'][number];
const PAGE = 50;
const NO_FILTER = { subject: '', staffId: '', action: '' };

/** All actions of staff, newest first, and whether the log's hash chain is intact. */
export default function AuditPage() {
  const { t, word, names, tag } = useText();
  const actions = names('action')
    .map((name) => ({ name, label: word('action', name) }))
    .sort((one, other) => one.label.localeCompare(other.label, tag));
  const [filter, setFilter] = useState(NO_FILTER);
  const isFiltered = Object.values(filter).some((value) => value !== '');
  const log = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) => {
      const fields = {
        limit: PAGE,
        cursor: pageParam ?? undefined,
        subject: filter.subject.trim() || undefined,
        staffId: readDigits(filter.staffId) || undefined,
        action: filter.action || undefined,
      };
      return get('audit/list', fields, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    // Readers look here for what they have just done.
    staleTime: 0,
  });
  const rows = useMemo(() => log.data?.pages.flatMap(({ items }) => items) ?? [], [log.data]);
  const columns: Column<Entry>[] = [
    { id: 'seq', header: t('audit.seq'), cell: ({ row }) => row.original.seq, meta: { isNumber: true } },
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.time, tag) },
    {
      id: 'staff',
      header: t('audit.staff'),
      cell: ({ row: { original } }) =>
        original.staffId === null ? t('audit.system') : `${original.account ?? '?'} (${original.staffId})`,
    },
    { id: 'action', header: t('audit.action'), cell: ({ row }) => word('action', row.original.action) },
    {
      id: 'subject',
      header: t('audit.subject'),
      cell: ({ row: { original } }) => (
        <button
          type="button"
          className={`opens ${css.subject}`}
          onClick={() => setFilter({ ...filter, subject: original.subject })}
        >
          {subjectText(original.subject, word)}
        </button>
      ),
    },
    {
      id: 'facts',
      header: t('audit.facts'),
      cell: ({ row }) => (
        <span className={`block breaks wraps ${css.facts}`}>
          {factsText(row.original, {
            word,
            time: (ms) => formatTime(ms, tag),
            named: (name, value) => t('shell.named', { name, value }),
            yes: t('audit.yes'),
            no: t('audit.no'),
          })}
        </span>
      ),
    },
  ];
  return (
    <div className="page">
      <h1>{t('page.audit')}</h1>
      <ChainStatus />
      <div className={css.filters}>
        <TextField
          label={t('audit.subject')}
          placeholder="staff:101"
          value={filter.subject}
          onChange={(event) => setFilter({ ...filter, subject: event.target.value })}
        />
        <DigitsField
          label={t('audit.staffNumber')}
          value={filter.staffId}
          onChange={(event) => setFilter({ ...filter, staffId: event.target.value })}
        />
        <SelectField
          label={t('audit.action')}
          value={filter.action}
          onChange={(event) => setFilter({ ...filter, action: event.target.value })}
        >
          <option value="">{t('catalogue.all')}</option>
          {actions.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </SelectField>
        {isFiltered && <Action onClick={() => setFilter(NO_FILTER)}>{t('audit.clear')}</Action>}
      </div>
      <DataTable
        caption={t('page.audit')}
        columns={columns}
        rows={rows}
        idOf={({ seq }) => String(seq)}
        empty={log.isPending ? t('shell.loading') : t(log.isError ? 'shell.networkError' : 'audit.none')}
      />
      <More query={log} />
    </div>
  );
}
