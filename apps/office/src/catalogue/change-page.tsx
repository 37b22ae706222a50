import { Card } from '@fairtick/ui';
import { Link } from 'wouter';
import { post } from '../api/client.ts';
import { useHas, useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { useOutcome } from '../proposals/outcome.ts';
import { shownStatus } from '../proposals/proposals-table.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, FormFault, formClass, TextField, useForm } from '../shell/form.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { formatTime } from '../state/format.ts';
import css from './catalogue.module.css';
import { PathName, valueText } from './difference-text.tsx';
import { Fact, Facts } from './facts.tsx';
import { type ChangeDetail, refreshCatalogue, useChange } from './queries.ts';

/** Shows a change of rules: its products, its effective time and the decision. */
export function ChangePage({ id }: { id: string }) {
  const { t } = useText();
  return (
    <div className="page linked">
      <p>
        <Link href="/changes">← {t('catalogue.changes')}</Link>
      </p>
      <h1>{t('catalogue.changeNumber', { id })}</h1>
      <Loaded query={useChange(id)}>
        {(change) => (
          <div className={css.decision}>
            <section className="panel">
              <ChangeFacts change={change} />
              <DifferencesTable change={change} />
            </section>
            {change.state === 'proposed' && <Decision change={change} />}
          </div>
        )}
      </Loaded>
    </div>
  );
}

function ChangeFacts({ change }: { change: ChangeDetail }) {
  const { t, word } = useText();
  const { effectiveAt, proposedBy, decidedBy, decidedAt } = change;
  return (
    <Card className={css.card ?? ''}>
      <Facts>
        <Fact name={t('catalogue.state')}>
          <b>{word('rulesState', shownStatus(change.state, change))}</b>
        </Fact>
        <Fact name={t('catalogue.kind')}>{word('rule', change.kind)}</Fact>
        <Fact name={t('catalogue.from')}>
          {effectiveAt === null ? t('catalogue.atOnce') : formatTime(effectiveAt)}
        </Fact>
        <Fact name={t('catalogue.products')}>{change.products}</Fact>
        <Fact name={t('catalogue.note')}>{change.note}</Fact>
        <Fact name={t('staff.proposedBy')}>
          {proposedBy.name} · {formatTime(change.proposedAt)}
        </Fact>
        {decidedBy !== null && decidedAt !== null && (
          <Fact name={t('staff.decidedBy')}>
            {decidedBy.name} · {formatTime(decidedAt)}
          </Fact>
        )}
        <Fact name={t('catalogue.content')}>
          <code>{change.content}</code>
        </Fact>
      </Facts>
    </Card>
  );
}

function DifferencesTable({ change }: { change: ChangeDetail }) {
  const text = useText();
  const { t } = text;
  const columns: Column<ChangeDetail['differences'][number]>[] = [
    { header: t('catalogue.what'), cell: ({ path }) => <PathName path={path} /> },
    {
      header: t('catalogue.before'),
      cell: ({ path, before }) => valueText(path, before, text),
      isNumber: true,
    },
    {
      header: t('catalogue.after'),
      cell: ({ path, after }) => <b>{valueText(path, after, text)}</b>,
      isNumber: true,
    },
    {
      header: t('catalogue.products'),
      cell: ({ symbols }) =>
        symbols.length > 1 && symbols.length === change.products ? (
          t('catalogue.allOf', { n: change.products })
        ) : (
          <span className={css.wrap}>{symbols.join(', ')}</span>
        ),
    },
  ];
  return (
    <DataTable
      caption={t('catalogue.differs')}
      columns={columns}
      list={change.differences}
      none={t('catalogue.none')}
      idOf={({ path, before, after }) => JSON.stringify([path, before, after])}
    />
  );
}

function Decision({ change }: { change: ChangeDetail }) {
  const { t } = useText();
  const has = useHas();
  const isMine = change.proposedBy.id === useMe().data?.id;
  const tell = useOutcome(refreshCatalogue, t('catalogue.approved'));
  const form = useForm({ draft: `change ${change.id}`, values: { reason: '' } });
  if (!has('approver', 'catalogue')) return null;
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
          : t('catalogue.decisionText', { time: formatTime(change.effectiveAt) })}
      </p>
      {has('approver') &&
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
