import { readDigits } from '@fairtick/money';
import type { OfficeData } from '@fairtick/protocol/office';
import { FLAG_RULES } from '@fairtick/protocol/office/customer-lists';
import { Tag } from '@fairtick/ui';
import { useState } from 'react';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { type RowOf, refresh, refreshWaiting, useGet, useHas, usePages } from '../api/queries.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { Proposals } from '../proposals/proposals.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action } from '../shell/form.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { formatTime } from '../state/format.ts';

type Task = RowOf<'task/list'>;
type Rule = OfficeData<'flagRule/list'>[number];
type Change = RowOf<'flagRule/changes'>;
/** What a rule says, as it is or as it is proposed. */
type Terms = Pick<Change, 'rule' | 'isOn' | 'bound' | 'days' | 'names'>;

const LIVE = { refetchInterval: 5_000 };
const refreshFlags = () => refresh('flags');

/** Customers whom rules have found, and the rules. A task changes nothing for its customer. */
export function FlagTasks() {
  const { t, word } = useText();
  const has = useHas();
  const [state, setState] = useState<'open' | 'decided'>('open');
  const list = usePages(['flags'], 'task/list', { state }, LIVE);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // A colleague may have closed one meanwhile.
  const ids = list.rows.flatMap(({ id, closedAt }) => (chosen.has(id) && closedAt === null ? [id] : []));
  const mayClose = state === 'open' && has('verification');
  const choice: Column<Task> = {
    header: t('flags.choose'),
    isUnnamed: true,
    cell: ({ id, account }) => (
      <input
        type="checkbox"
        aria-label={`${t('flags.choose')}: ${account}`}
        checked={chosen.has(id)}
        onChange={({ target }) => {
          const others = [...chosen].filter((other) => other !== id);
          setChosen(new Set(target.checked ? [...others, id] : others));
        }}
      />
    ),
  };
  const columns: Column<Task>[] = [
    ...(mayClose ? [choice] : []),
    { header: t('audit.time'), cell: ({ foundAt }) => formatTime(foundAt) },
    {
      header: t('review.customer'),
      cell: ({ account, customerId }) => (
        <Link className="opens" href={`~/customers/${customerId}`}>
          {account}
        </Link>
      ),
    },
    {
      header: t('flags.rule'),
      cell: (task) => (
        <>
          {word('flagRule', task.rule)}
          <small>{factsText(task, t)}</small>
        </>
      ),
    },
    { header: t('shell.actions'), isUnnamed: true, cell: (task) => <Closed task={task} /> },
  ];
  return (
    <>
      <p className="secondary prose mb-14">{t('flags.lead')}</p>
      <p className="flex items-end wrap gap-8 mb-12">
        <Action size="small" onClick={() => setState(state === 'open' ? 'decided' : 'open')}>
          {t(state === 'open' ? 'flags.showClosed' : 'flags.showOpen')}
        </Action>
        {ids.length > 0 && mayClose && <CloseTasks ids={ids} />}
      </p>
      <DataTable caption={t('flags.tasks')} columns={columns} list={list} none={t('flags.none')} />
      <Rules />
    </>
  );
}

/** Shows the findings of a rule, in the words of that rule. */
const factsText = ({ rule, facts }: Task, t: Text['t']): string =>
  rule === 'name_list' ? '' : t(`flags.found.${rule}`, facts);

/** Who closed the task and why, or the form that closes it. */
function Closed({ task: { id, closedAt, closedBy, note } }: { task: Task }) {
  const has = useHas();
  if (closedAt !== null) return `${closedBy?.name ?? ''} · ${note ?? ''}`;
  return has('verification') && <CloseTasks ids={[id]} />;
}

/** Closes tasks with one outcome, one after the other: each is in the audit log. What fails stays open, and its fault is shown. */
function CloseTasks({ ids }: { ids: readonly string[] }) {
  const { t } = useText();
  const label = ids.length === 1 ? t('flags.close') : t('flags.closeMany', { count: ids.length });
  const refreshAll = () => Promise.all([refreshFlags(), refreshWaiting()]);
  return (
    <FormAction
      label={label}
      button={{ size: 'small' }}
      draft={`task ${ids.length === 1 ? ids[0] : 'many'}`}
      values={{ note: '' }}
      inputs={() => [{ name: 'note', label: t('flags.outcome'), maxLength: 500 }]}
      send={async (body) => {
        for (const id of ids) await post('task/close', { id, ...body });
      }}
      refresh={refreshAll}
      submit={label}
      done={t('flags.closed')}
    />
  );
}

function Rules() {
  const { t, word } = useText();
  const has = useHas();
  const rules = useGet(['flags'], 'flagRule/list');
  const onText = ({ isOn }: Terms) => t(isOn ? 'flags.on' : 'flags.off');
  const described = (rule: Terms) => (
    <>
      {word('flagRule', rule.rule)} <Tag>{onText(rule)}</Tag>
      <small>{boundText(rule, t)}</small>
    </>
  );
  return (
    <>
      <h2>{t('flags.rules')}</h2>
      <DataTable
        caption={t('flags.rules')}
        columns={[
          { header: t('flags.rule'), cell: described },
          {
            header: t('shell.actions'),
            isUnnamed: true,
            cell: (rule) => has('verification') && <ProposeChange rule={rule} />,
          },
        ]}
        list={rules}
        none={t('customer.none')}
        idOf={({ rule }) => rule}
      />
      <h2>{t('staff.changes')}</h2>
      <Proposals
        list={usePages(['flags'], 'flagRule/changes', {}, LIVE)}
        fields={[
          { label: t('flags.rule'), show: ({ rule }) => word('flagRule', rule), column: described },
          { label: t('staff.state'), show: onText, column: false },
          { label: t('flags.finds'), show: (rule) => boundText(rule, t), column: false },
          { label: t('freeze.note'), show: ({ note }: Change) => note, column: false },
        ]}
        now={({ rule }) => rules.data?.find((one) => one.rule === rule)}
        decision={({ id }) => ({
          subject: t('flags.change', { id }),
          approve: t('flags.approve'),
          decide: (verdict) => post('flagRule/decide', { id, verdict }),
          refresh: refreshFlags,
          mayRefuse: has('approver', 'verification'),
        })}
      />
    </>
  );
}

const boundText = ({ rule, bound, days, names }: Terms, t: Text['t']): string =>
  t(`flags.bound.${rule}`, { bound, score: bound / 10, days, names: names ?? '–' });

function ProposeChange({ rule }: { rule: Rule }) {
  const { t, word } = useText();
  const { isOn, bound, days } = rule;
  return (
    <FormAction
      label={t('staff.change')}
      button={{ size: 'small' }}
      values={{
        rule: String(rule.rule),
        isOn,
        bound: String(bound),
        days: String(days),
        names: '',
        note: '',
      }}
      inputs={(values) => [
        {
          name: 'rule',
          label: t('flags.rule'),
          choices: FLAG_RULES,
          nameOf: (one) => word('flagRule', one),
          isFixed: true,
        },
        <p key="bound" className="secondary">
          {boundText(
            { ...rule, bound: Number(readDigits(values.bound)), days: Number(readDigits(values.days)) },
            t,
          )}
        </p>,
        { name: 'isOn', label: t('flags.on'), kind: 'tick' },
        ...(rule.rule === 'name_list'
          ? [
              {
                name: 'names',
                label: t('flags.names'),
                kind: 'long',
                maxLength: 50_000,
                isOptional: true,
              } as const,
            ]
          : [
              { name: 'bound', label: t('flags.boundField'), kind: 'digits' } as const,
              { name: 'days', label: t('flags.days'), kind: 'digits' } as const,
            ]),
        { name: 'note', label: t('freeze.note'), maxLength: 500 },
      ]}
      send={(body) => post('flagRule/propose', { ...{ bound, days }, ...body })}
      refresh={refreshFlags}
    />
  );
}
