import { readDigits } from '@fairtick/money';
import type { OfficeData } from '@fairtick/protocol/office';
import { FLAG_RULES } from '@fairtick/protocol/office/customer-lists';
import { Tag } from '@fairtick/ui';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { get, post } from '../api/client.ts';
import { queryClient, refreshWaiting, useMe, usePages } from '../api/queries.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { Decision, Stated } from '../proposals/decision.tsx';
import { ProposalsTable } from '../proposals/proposals-table.tsx';
import { type Column, DataTable, More, useEmptyText } from '../shell/data-table.tsx';
import { Dialog } from '../shell/dialog.tsx';
import {
  Action,
  FormEnd,
  formClass,
  LongText,
  SelectField,
  TextField,
  Tick,
  useForm,
} from '../shell/form.tsx';
import { DigitsField } from '../shell/number-fields.tsx';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';

type Task = OfficeData<'task/list'>['items'][number];
type Rule = OfficeData<'flagRule/list'>[number];
type Change = OfficeData<'flagRule/changes'>['items'][number];

const LIVE_MS = 5_000;
const NO_RULES: readonly Rule[] = [];
const refresh = () => queryClient.invalidateQueries({ queryKey: ['flags'] });

/** Customers whom rules have found, and the rules. A task changes nothing for its customer. */
export function FlagTasks() {
  const { t, word, tag } = useText();
  const mayClose = useMe().data?.roles.some(({ role }) => role === 'verification') === true;
  const [closing, setClosing] = useState<Task | null>(null);
  const [state, setState] = useState<'open' | 'decided'>('open');
  const list = usePages<Task>(
    ['flags', 'tasks', state],
    (page, signal) => get('task/list', { state, ...page }, signal),
    LIVE_MS,
  );
  const columns: Column<Task>[] = [
    { id: 'time', header: t('audit.time'), cell: ({ row }) => formatTime(row.original.foundAt, tag) },
    {
      id: 'customer',
      header: t('review.customer'),
      cell: ({ row: { original } }) => (
        <Link className="opens" href={`~/customers/${original.customerId}`}>
          {original.account}
        </Link>
      ),
    },
    {
      id: 'rule',
      header: t('flags.rule'),
      cell: ({ row: { original } }) => (
        <>
          {word('flagRule', original.rule)}
          <small>{factsText(original, t)}</small>
        </>
      ),
    },
    {
      id: 'act',
      header: () => <span className="sr">{t('shell.actions')}</span>,
      cell: ({ row: { original } }) =>
        original.closedAt !== null
          ? `${original.closedBy?.name ?? ''} · ${original.note ?? ''}`
          : mayClose && (
              <Action size="small" onClick={() => setClosing(original)}>
                {t('flags.close')}
              </Action>
            ),
    },
  ];
  return (
    <>
      <p className="secondary measure mb-14">{t('flags.lead')}</p>
      <p className="flex items-end wrap gap-8 mb-12">
        <Action size="small" onClick={() => setState(state === 'open' ? 'decided' : 'open')}>
          {t(state === 'open' ? 'flags.showClosed' : 'flags.showOpen')}
        </Action>
      </p>
      <DataTable
        caption={t('flags.tasks')}
        columns={columns}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={useEmptyText(list, t('flags.none'))}
      />
      <More query={list} />
      <Dialog title={t('flags.close')} isOpen={closing !== null} onClose={() => setClosing(null)}>
        {closing !== null && <CloseForm task={closing} onClose={() => setClosing(null)} />}
      </Dialog>
      <Rules mayPropose={mayClose} />
    </>
  );
}

/** Shows the findings of a rule, in the words of that rule. */
const factsText = ({ rule, facts }: Task, t: Text['t']): string =>
  rule === 'name_list' ? '' : t(`flags.found.${rule}`, facts);

function CloseForm({ task, onClose }: { task: Task; onClose: () => void }) {
  const { t } = useText();
  const form = useForm({ draft: `task ${task.id}`, values: { note: '' } });
  const send = async () => {
    await post('task/close', { id: task.id, note: form.values.note });
    await Promise.all([refresh(), refreshWaiting()]);
    useToast.getState().show(t('flags.closed'));
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <TextField label={t('flags.outcome')} maxLength={500} {...form.field('note')} />
      <FormEnd form={form} onCancel={onClose}>
        {t('flags.close')}
      </FormEnd>
    </form>
  );
}

function Rules({ mayPropose }: { mayPropose: boolean }) {
  const { t, word } = useText();
  const [changing, setChanging] = useState<Rule | null>(null);
  const rules = useQuery({ queryKey: ['flags', 'rules'], queryFn: () => get('flagRule/list', {}) });
  const changes = usePages<Change>(
    ['flags', 'changes'],
    (page, signal) => get('flagRule/changes', page, signal),
    LIVE_MS,
  );
  const rule = <Row extends Rule | Change>(): Column<Row> => ({
    id: 'rule',
    header: t('flags.rule'),
    cell: ({ row: { original } }) => (
      <>
        {word('flagRule', original.rule)} <Tag>{t(original.isOn ? 'flags.on' : 'flags.off')}</Tag>
        <small>{boundText(original, t)}</small>
      </>
    ),
  });
  return (
    <>
      <h2>{t('flags.rules')}</h2>
      <DataTable
        caption={t('flags.rules')}
        columns={[
          rule<Rule>(),
          {
            id: 'act',
            header: () => <span className="sr">{t('shell.actions')}</span>,
            cell: ({ row: { original } }) =>
              mayPropose && (
                <Action size="small" onClick={() => setChanging(original)}>
                  {t('staff.change')}
                </Action>
              ),
          },
        ]}
        rows={rules.data ?? NO_RULES}
        idOf={(one) => one.rule}
        empty={useEmptyText(rules, t('customer.none'))}
      />
      <h2>{t('staff.changes')}</h2>
      <ProposalsTable
        list={changes}
        columns={[rule<Change>()]}
        action={(change) => (
          <Decide change={change} now={rules.data?.find((one) => one.rule === change.rule)} />
        )}
      />
      <Dialog title={t('staff.change')} isOpen={changing !== null} onClose={() => setChanging(null)}>
        {changing !== null && <ProposeForm rule={changing} onClose={() => setChanging(null)} />}
      </Dialog>
    </>
  );
}

const boundText = ({ rule, bound, days, names }: Rule | Change, t: Text['t']): string =>
  t(`flags.bound.${rule}`, { bound, score: bound / 10, days, names: names ?? '–' });

function Decide({ change, now }: { change: Change; now: Rule | undefined }) {
  const { t, word } = useText();
  const me = useMe().data;
  const { id, rule } = change;
  const onText = ({ isOn }: Rule | Change) => t(isOn ? 'flags.on' : 'flags.off');
  return (
    <Decision
      proposal={change}
      subject={t('flags.change', { id })}
      approve={t('flags.approve')}
      decide={(verdict) => post('flagRule/decide', { id, verdict })}
      refresh={refresh}
      mayRefuse={me?.roles.some(({ role }) => role === 'approver' || role === 'verification') === true}
    >
      <Stated name={t('flags.rule')} value={word('flagRule', rule)} />
      <Stated name={t('staff.state')} value={onText(change)} was={now ? onText(now) : null} />
      <Stated name={t('flags.finds')} value={boundText(change, t)} was={now ? boundText(now, t) : null} />
      <Stated name={t('freeze.note')} value={change.note} />
    </Decision>
  );
}

function ProposeForm({ rule: now, onClose }: { rule: Rule; onClose: () => void }) {
  const { t, word } = useText();
  const [isOn, setOn] = useState(now.isOn);
  const form = useForm({
    values: {
      rule: now.rule as string,
      bound: String(now.bound),
      days: String(now.days),
      names: '',
      note: '',
    },
  });
  const { bound, days, names, note } = form.values;
  const send = async () => {
    const fields = {
      rule: now.rule,
      isOn: String(isOn),
      bound: Number(readDigits(bound)),
      days: Number(readDigits(days)),
      note,
    };
    await post('flagRule/propose', { ...fields, ...(names.trim() === '' ? {} : { names }) });
    await refresh();
    useToast.getState().show(t('decision.proposed'));
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <SelectField label={t('flags.rule')} {...form.field('rule')} disabled>
        {FLAG_RULES.map((one) => (
          <option key={one} value={one}>
            {word('flagRule', one)}
          </option>
        ))}
      </SelectField>
      <p className="secondary">
        {boundText({ ...now, bound: Number(readDigits(bound)), days: Number(readDigits(days)) }, t)}
      </p>
      <Tick label={t('flags.on')} checked={isOn} onChange={(event) => setOn(event.target.checked)} />
      {now.rule === 'name_list' ? (
        <>
          <label className="secondary" htmlFor="flag-names">
            {t('flags.names')}
          </label>
          <LongText
            id="flag-names"
            rows={6}
            maxLength={50_000}
            value={names}
            onChange={(event) => form.field('names').onChange(event.target.value)}
          />
        </>
      ) : (
        <>
          <DigitsField label={t('flags.boundField')} {...form.field('bound')} />
          <DigitsField label={t('flags.days')} {...form.field('days')} />
        </>
      )}
      <TextField label={t('freeze.note')} maxLength={500} {...form.field('note')} />
      <FormEnd form={form} onCancel={onClose}>
        {t('staff.propose')}
      </FormEnd>
    </form>
  );
}
