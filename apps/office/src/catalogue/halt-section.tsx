import { Card } from '@fairtick/ui';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, buttonsClass, FormEnd, FormFault, formClass, TextField, useForm } from '../shell/form.tsx';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import css from './catalogue.module.css';
import { Fact, Facts } from './facts.tsx';
import { type Halt, refreshHalts, useHalts } from './queries.ts';

const NONE: readonly Halt[] = [];

/** The halt of new orders: one person starts it, two are needed to lift it. */
export function HaltSection() {
  const { t, tag } = useText();
  const roles = new Set(useMe().data?.roles.map(({ role }) => role));
  const halts = useHalts();
  const present = halts.data?.present;
  const columns: Column<Halt>[] = [
    { id: 'since', header: t('halt.since'), cell: ({ row }) => formatTime(row.original.since, tag) },
    { id: 'by', header: t('halt.by'), cell: ({ row }) => row.original.by.name },
    {
      id: 'reason',
      header: t('staff.reason'),
      cell: ({ row }) => <span className={css.wrap}>{row.original.reason}</span>,
    },
    {
      id: 'until',
      header: t('halt.until'),
      cell: ({ row: { original } }) => (original.liftedAt === null ? '' : formatTime(original.liftedAt, tag)),
    },
    {
      id: 'lift',
      header: t('halt.liftedBy'),
      cell: ({ row: { original } }) => `${original.lift?.by.name ?? ''} · ${original.liftedBy?.name ?? ''}`,
    },
  ];
  return (
    <>
      {present === null && (
        <Card className={css.card ?? ''}>
          <p>{t('halt.none')}</p>
          <p className={css.quiet}>{t('halt.text')}</p>
          {(roles.has('catalogue') || roles.has('approver')) && <StartHalt />}
        </Card>
      )}
      {present && (
        <Present halt={present} mayPropose={roles.has('catalogue')} mayLift={roles.has('approver')} />
      )}
      {halts.isError && <FormFault text={t('shell.networkError')} />}
      <h2>{t('halt.past')}</h2>
      <DataTable
        caption={t('halt.past')}
        columns={columns}
        rows={halts.data?.past ?? NONE}
        idOf={({ id }) => id}
        empty={halts.isPending ? t('shell.loading') : t('halt.nonePast')}
      />
    </>
  );
}

function StartHalt() {
  const { t } = useText();
  const form = useForm({ draft: 'halt', values: { reason: '' } });
  const [isOpen, setOpen] = useState(false);
  const start = async () => {
    await post('halt/start', form.values);
    setOpen(false);
    form.set({ reason: '' });
    useToast.getState().show(t('halt.started'));
    await refreshHalts();
  };
  return (
    <>
      <p>
        <Action isRefusal onClick={() => setOpen(true)}>
          {t('halt.start')}
        </Action>
      </p>
      <Dialog title={t('halt.start')} isOpen={isOpen} onClose={() => setOpen(false)}>
        <form className={formClass} onSubmit={form.onSubmit(start)}>
          <p>{t('halt.text')}</p>
          <TextField
            label={t('staff.reason')}
            hint={t('halt.publicReason')}
            maxLength={500}
            {...form.field('reason')}
          />
          <FormEnd form={form} onCancel={() => setOpen(false)} isRefusal>
            {t('halt.confirm')}
          </FormEnd>
        </form>
      </Dialog>
    </>
  );
}

function Present({ halt, mayPropose, mayLift }: { halt: Halt; mayPropose: boolean; mayLift: boolean }) {
  const { t, tag } = useText();
  const me = useMe().data;
  const form = useForm({ draft: `lift ${halt.id}`, values: { note: '' } });
  const { lift } = halt;
  const propose = async () => {
    await post('halt/proposeLift', { id: halt.id, ...form.values });
    useToast.getState().show(t('halt.liftProposed'));
    await refreshHalts();
  };
  const agree = async (content: string) => {
    await post('halt/lift', { id: halt.id, content });
    useToast.getState().show(t('halt.lifted'));
    await refreshHalts();
  };
  return (
    <Card className={css.card ?? ''}>
      <h2>{t('halt.title')}</h2>
      <Facts>
        <Fact name={t('halt.since')}>{formatTime(halt.since, tag)}</Fact>
        <Fact name={t('halt.by')}>{halt.by.name}</Fact>
        <Fact name={t('staff.reason')}>{halt.reason}</Fact>
        {lift && (
          <Fact name={t('halt.proposal')}>
            {lift.note} ({lift.by.name}, {formatTime(lift.time, tag)})
          </Fact>
        )}
      </Facts>
      {lift && mayLift && lift.by.id !== me?.id && (
        <Action look="gold" disabled={form.isBusy} onClick={() => form.send(() => agree(lift.content))}>
          {t('halt.agree')}
        </Action>
      )}
      <FormFault text={form.fault} />
      {mayPropose && (
        <form className={formClass} onSubmit={form.onSubmit(propose)}>
          <TextField label={t('halt.note')} maxLength={500} {...form.field('note')} />
          <div className={buttonsClass}>
            <Action type="submit" disabled={form.isBusy}>
              {t('halt.proposeLift')}
            </Action>
          </div>
        </form>
      )}
    </Card>
  );
}
