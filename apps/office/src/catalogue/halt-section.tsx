import { Card } from '@fairtick/ui';
import { post } from '../api/client.ts';
import { useHas, useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { Action, buttonsClass, FormFault, formClass, TextField, useForm } from '../shell/form.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { formatTime } from '../state/format.ts';
import { useToast } from '../state/toast.ts';
import css from './catalogue.module.css';
import { Fact, Facts } from './facts.tsx';
import { type Halt, refreshHalts, useHalts, useProducts } from './queries.ts';

/** The halts of new orders: one person starts one, two are needed to lift it. */
export function HaltSection() {
  const { t } = useText();
  const has = useHas();
  const halts = useHalts();
  const present = halts.data?.present ?? [];
  const columns: Column<Halt>[] = [
    { header: t('halt.product'), cell: ({ symbol }) => symbol ?? t('halt.all') },
    { header: t('halt.since'), cell: ({ since }) => formatTime(since) },
    { header: t('halt.by'), cell: ({ by }) => by.name },
    { header: t('staff.reason'), cell: ({ reason }) => <span className={css.wrap}>{reason}</span> },
    {
      header: t('halt.until'),
      cell: ({ liftedAt }) => (liftedAt === null ? '' : formatTime(liftedAt)),
    },
    {
      header: t('halt.liftedBy'),
      cell: ({ lift, liftedBy }) => `${lift?.by.name ?? ''} · ${liftedBy?.name ?? ''}`,
    },
  ];
  return (
    <>
      <Card className={css.card ?? ''}>
        {halts.data && present.length === 0 && <p>{t('halt.none')}</p>}
        <p className={css.quiet}>{t('halt.text')}</p>
        {has('catalogue', 'approver') && <StartHalt />}
      </Card>
      {present.map((halt) => (
        <Present key={halt.id} halt={halt} />
      ))}
      {halts.isError && <FormFault text={t('shell.networkError')} />}
      <h2>{t('halt.past')}</h2>
      <DataTable
        caption={t('halt.past')}
        columns={columns}
        list={{ ...halts, data: halts.data?.past }}
        none={t('halt.nonePast')}
      />
    </>
  );
}

/** The halt of one product: what holds, or the button that starts one. */
export function ProductHalt({ symbol }: { symbol: string }) {
  const has = useHas();
  const { data } = useHalts();
  const halt = data?.present.find((each) => each.symbol === symbol);
  if (halt) return <Present halt={halt} />;
  return data && has('catalogue', 'approver') && <StartHalt symbol={symbol} />;
}

function StartHalt({ symbol = '' }: { symbol?: string }) {
  const { t } = useText();
  const products = useProducts();
  const choices = products.data?.map((product) => product.symbol) ?? [];
  return (
    <div>
      <FormAction
        label={t('halt.start')}
        button={{ isRefusal: true }}
        draft={`halt ${symbol}`}
        values={{ symbol, reason: '' }}
        inputs={() => [
          <p key="text">{t('halt.text')}</p>,
          symbol === ''
            ? { name: 'symbol', label: t('halt.product'), choices, none: t('halt.all'), isOptional: true }
            : { name: 'symbol', label: t('halt.product'), isFixed: true },
          { name: 'reason', label: t('staff.reason'), hint: t('halt.publicReason'), maxLength: 500 },
        ]}
        send={(body) => post('halt/start', body)}
        refresh={refreshHalts}
        submit={t('halt.confirm')}
        isRefusal
        done={t('halt.started')}
      />
    </div>
  );
}

function Present({ halt }: { halt: Halt }) {
  const { t } = useText();
  const has = useHas();
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
        <Fact name={t('halt.product')}>{halt.symbol ?? t('halt.all')}</Fact>
        <Fact name={t('halt.since')}>{formatTime(halt.since)}</Fact>
        <Fact name={t('halt.by')}>{halt.by.name}</Fact>
        <Fact name={t('staff.reason')}>{halt.reason}</Fact>
        {lift && (
          <Fact name={t('halt.proposal')}>
            {lift.note} ({lift.by.name}, {formatTime(lift.time)})
          </Fact>
        )}
      </Facts>
      {lift && has('approver') && lift.by.id !== me?.id && (
        <Action look="gold" disabled={form.isBusy} onClick={() => form.send(() => agree(lift.content))}>
          {t('halt.agree')}
        </Action>
      )}
      <FormFault text={form.fault} />
      {has('catalogue') && (
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
