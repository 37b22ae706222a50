import { Card } from '@fairtick/ui';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { useOutcome } from '../proposals/outcome.ts';
import { shownStatus } from '../proposals/proposals-table.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, FormFault, formClass, TextField, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import css from './catalogue.module.css';
import { PathName, valueText } from './difference-text.tsx';
import { Fact, Facts } from './facts.tsx';
import { type ChangeDetail, refreshCatalogue, useChange } from './queries.ts';

type Difference = ChangeDetail['differences'][number];

/** Shows a change of rules: its products, its effective time and the decision. */
export function ChangePage({ id }: { id: string }) {
  const { t, word, tag } = useText();
  const change = useChange(id);
  const { data } = change;
  return (
    <div className="page linked">
      <p>
        <Link href="/changes">← {t('catalogue.changes')}</Link>
      </p>
      <h1>{t('catalogue.changeNumber', { id })}</h1>
      {data === undefined ? (
        <p role="status">{t(change.isError ? 'shell.networkError' : 'shell.loading')}</p>
      ) : (
        <div className={css.decision}>
          <section className="panel">
            <Card className={css.card ?? ''}>
              <Facts>
                <Fact name={t('catalogue.state')}>
                  <b>{word('rulesState', shownStatus(data.state, data))}</b>
                </Fact>
                <Fact name={t('catalogue.kind')}>{word('rule', data.kind)}</Fact>
                <Fact name={t('catalogue.from')}>
                  {data.effectiveAt === null ? t('catalogue.atOnce') : formatTime(data.effectiveAt, tag)}
                </Fact>
                <Fact name={t('catalogue.products')}>{data.products}</Fact>
                <Fact name={t('catalogue.note')}>{data.note}</Fact>
                <Fact name={t('staff.proposedBy')}>
                  {data.proposedBy.name}, {formatTime(data.proposedAt, tag)}
                </Fact>
                {data.decidedBy !== null && data.decidedAt !== null && (
                  <Fact name={t('staff.decidedBy')}>
                    {data.decidedBy.name}, {formatTime(data.decidedAt, tag)}
                  </Fact>
                )}
                <Fact name={t('catalogue.content')}>
                  <code>{data.content}</code>
                </Fact>
              </Facts>
            </Card>
            <DifferencesTable change={data} />
          </section>
          {data.state === 'proposed' && <Decision change={data} />}
        </div>
      )}
    </div>
  );
}

function DifferencesTable({ change }: { change: ChangeDetail }) {
  const { t } = useText();
  const shown = (path: string, value: string | null) =>
    value === null ? t('catalogue.absent') : valueText(path, value);
  const columns: Column<Difference>[] = [
    { id: 'what', header: t('catalogue.what'), cell: ({ row }) => <PathName path={row.original.path} /> },
    {
      id: 'before',
      header: t('catalogue.before'),
      cell: ({ row: { original } }) => shown(original.path, original.before),
      meta: { isNumber: true },
    },
    {
      id: 'after',
      header: t('catalogue.after'),
      cell: ({ row: { original } }) => <b>{shown(original.path, original.after)}</b>,
      meta: { isNumber: true },
    },
    {
      id: 'products',
      header: t('catalogue.products'),
      cell: ({ row: { original } }) =>
        original.symbols.length > 1 && original.symbols.length === change.products ? (
          t('catalogue.allOf', { n: change.products })
        ) : (
          <span className={css.wrap}>{original.symbols.join(', ')}</span>
        ),
    },
  ];
  return (
    <DataTable
      caption={t('catalogue.differs')}
      columns={columns}
      rows={change.differences}
      idOf={({ path, before, after }) => JSON.stringify([path, before, after])}
      empty={t('catalogue.none')}
    />
  );
}

function Decision({ change }: { change: ChangeDetail }) {
  const { t, tag } = useText();
  const me = useMe().data;
  const tell = useOutcome(refreshCatalogue, t('catalogue.approved'));
  const form = useForm({ draft: `change ${change.id}`, values: { reason: '' } });
  const roles = new Set(me?.roles.map(({ role }) => role));
  const isMine = change.proposedBy.id === me?.id;
  if (!roles.has('approver') && !roles.has('catalogue')) return null;
  const approve = async () => {
    await post('catalogue/approve', { id: change.id, content: change.content });
    await tell('done');
  };
  const refuse = async () => {
    await post('catalogue/refuse', { id: change.id, ...form.values });
    await tell(isMine ? 'withdrawn' : 'refused');
  };
  return (
    <Card className={css.card ?? ''}>
      <h2>{t('catalogue.decision')}</h2>
      <p className={css.quiet}>
        {change.effectiveAt === null
          ? t('catalogue.decisionNew')
          : t('catalogue.decisionText', { time: formatTime(change.effectiveAt, tag) })}
      </p>
      {roles.has('approver') &&
        (isMine ? (
          <p>{t('decision.own')}</p>
        ) : (
          <Action look="gold" isBlock disabled={form.isBusy} onClick={() => form.send(approve)}>
            {t('catalogue.approve', { n: change.products })}
          </Action>
        ))}
      <FormFault text={form.fault} />
      <form className={formClass} onSubmit={form.onSubmit(refuse)}>
        <TextField
          label={t(isMine ? 'catalogue.withdrawReason' : 'catalogue.declineReason')}
          maxLength={500}
          {...form.field('reason')}
        />
        <Action type="submit" isBlock isRefusal={!isMine} disabled={form.isBusy}>
          {t(isMine ? 'decision.withdraw' : 'staff.refuse')}
        </Action>
      </form>
    </Card>
  );
}
