import { readDigits } from '@fairtick/money';
import { useState } from 'react';
import { type RowOf, usePages } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, SelectField, TextField } from '../shell/form.tsx';
import { DigitsField } from '../shell/number-fields.tsx';
import { formatTime } from '../state/format.ts';
import css from './audit.module.css';
import { ChainStatus } from './chain-status.tsx';
import { factsText, subjectText } from './facts-text.ts';

const NO_FILTER = { subject: '', staffId: '', action: '' };

/** All actions of staff, newest first, and whether the log's hash chain is intact. */
export default function AuditPage() {
  const { t, word, names, tag } = useText();
  const actions = names('action').sort((one, other) =>
    word('action', one).localeCompare(word('action', other), tag),
  );
  const [filter, setFilter] = useState(NO_FILTER);
  const isFiltered = Object.values(filter).some((value) => value !== '');
  const log = usePages(
    ['audit'],
    'audit/list',
    {
      subject: filter.subject.trim() || undefined,
      staffId: readDigits(filter.staffId) || undefined,
      action: filter.action || undefined,
    },
    // Readers look here for what they have just done.
    { staleTime: 0 },
  );
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
          none={t('catalogue.all')}
          choices={actions}
          nameOf={(name) => word('action', name)}
          onChange={(event) => setFilter({ ...filter, action: event.target.value })}
        />
        {isFiltered && <Action onClick={() => setFilter(NO_FILTER)}>{t('audit.clear')}</Action>}
      </div>
      <DataTable
        caption={t('page.audit')}
        columns={useColumns((subject) => setFilter({ ...filter, subject }))}
        list={log}
        none={t('audit.none')}
        idOf={({ seq }) => String(seq)}
      />
    </div>
  );
}

function useColumns(onSubject: (subject: string) => void): Column<RowOf<'audit/list'>>[] {
  const { t, word } = useText();
  return [
    { header: t('audit.seq'), cell: ({ seq }) => seq, isNumber: true },
    { header: t('audit.time'), cell: ({ time }) => formatTime(time) },
    {
      header: t('audit.staff'),
      cell: ({ staffId, account }) =>
        staffId === null ? t('audit.system') : `${account ?? '?'} (${staffId})`,
    },
    { header: t('audit.action'), cell: ({ action }) => word('action', action) },
    {
      header: t('audit.subject'),
      cell: ({ subject }) => (
        <button type="button" className={`opens ${css.subject}`} onClick={() => onSubject(subject)}>
          {subjectText(subject, word)}
        </button>
      ),
    },
    {
      header: t('audit.facts'),
      cell: (entry) => (
        <span className={`block breaks wraps ${css.facts}`}>
          {factsText(entry, {
            word,
            time: (ms) => formatTime(ms),
            named: (name, value) => t('shell.named', { name, value }),
            yes: t('audit.yes'),
            no: t('audit.no'),
          })}
        </span>
      ),
    },
  ];
}
