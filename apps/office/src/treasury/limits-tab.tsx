import { amountTyped } from '@fairtick/money';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { Decision, Stated } from '../proposals/decision.tsx';
import { ProposalsTable } from '../proposals/proposals-table.tsx';
import { useMayDecide } from '../proposals/rights.ts';
import { type Column, DataTable, useEmptyText } from '../shell/data-table.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { Action, FormEnd, formClass, useForm } from '../shell/form.tsx';
import { AmountField } from '../shell/number-fields.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { useToast } from '../state/toast.ts';
import { type Limit, type LimitChange, refreshTreasury, useLimitChanges, useLimits } from './queries.ts';

const NONE: readonly Limit[] = [];
const NAMES = ['min', 'max', 'fee'] as const;

/** Current limits and fees of withdrawals, and proposed ones. Limits of deposits belong to their channels. */
export function LimitsTab() {
  const { t } = useText();
  const limits = useLimits();
  const { mayPropose } = useMayDecide();
  const [proposing, setProposing] = useState<Limit | null>(null);
  const columns: Column<Limit>[] = [
    ...termColumns<Limit>((row) => row, t),
    {
      id: 'act',
      header: () => <span className="sr">{t('shell.actions')}</span>,
      cell: ({ row: { original } }) =>
        mayPropose && (
          <Action size="small" onClick={() => setProposing(original)}>
            {t('staff.change')}
          </Action>
        ),
    },
  ];
  return (
    <>
      <p className="secondary measure">{t('limit.text')}</p>
      <DataTable
        caption={t('channelTab.limits')}
        columns={columns}
        rows={limits.data ?? NONE}
        idOf={({ asset }) => asset}
        empty={useEmptyText(limits, t('ledger.none'))}
      />
      <Changes />
      <Dialog
        title={t('limit.changeOf', { asset: proposing?.asset ?? '' })}
        isOpen={proposing !== null}
        onClose={() => setProposing(null)}
      >
        {proposing !== null && <ProposeForm limit={proposing} onClose={() => setProposing(null)} />}
      </Dialog>
    </>
  );
}

function termColumns<Row extends object>(
  termsOf: (row: Row) => Limit,
  t: ReturnType<typeof useText>['t'],
): Column<Row>[] {
  const header = { min: 'limit.min', max: 'limit.max', fee: 'deposit.fee' } as const;
  return [
    {
      id: 'asset',
      header: t('review.asset'),
      cell: ({ row }) => <strong>{termsOf(row.original).asset}</strong>,
    },
    ...NAMES.map(
      (name): Column<Row> => ({
        id: name,
        header: t(header[name]),
        cell: ({ row }) => readable(termsOf(row.original)[name]),
        meta: { isNumber: true },
      }),
    ),
  ];
}

function Changes() {
  const { t } = useText();
  return (
    <>
      <h2>{t('staff.changes')}</h2>
      <ProposalsTable
        list={useLimitChanges()}
        columns={termColumns<LimitChange>(({ terms }) => terms, t)}
        action={(change) => <Decide change={change} />}
      />
    </>
  );
}

function Decide({ change }: { change: LimitChange }) {
  const { t } = useText();
  const { id, terms } = change;
  const now = useLimits().data?.find(({ asset }) => asset === terms.asset);
  const header = { min: 'limit.min', max: 'limit.max', fee: 'deposit.fee' } as const;
  return (
    <Decision
      proposal={change}
      subject={t('limit.change', { id, asset: terms.asset })}
      approve={t('limit.approve', { min: readable(terms.min), max: withAsset(terms.max, terms.asset) })}
      decide={(verdict) => post('limit/decide', { id, verdict })}
      refresh={refreshTreasury}
    >
      {NAMES.map((name) => (
        <Stated
          key={name}
          name={t(header[name])}
          value={withAsset(terms[name], terms.asset)}
          was={now ? withAsset(now[name], now.asset) : null}
        />
      ))}
    </Decision>
  );
}

function ProposeForm({ limit, onClose }: { limit: Limit; onClose: () => void }) {
  const { t } = useText();
  const form = useForm({ values: { min: limit.min, max: limit.max, fee: limit.fee } });
  const send = async () => {
    const [min, max, fee] = NAMES.map((name) => amountTyped(form.values[name]) ?? '') as [
      string,
      string,
      string,
    ];
    await post('limit/propose', { asset: limit.asset, min, max, fee });
    await refreshTreasury();
    useToast.getState().show(t('decision.proposed'));
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <AmountField label={t('limit.min')} {...form.field('min')} />
      <AmountField label={t('limit.max')} {...form.field('max')} />
      <AmountField label={t('deposit.fee')} {...form.field('fee')} />
      <FormEnd form={form} onCancel={onClose}>
        {t('staff.propose')}
      </FormEnd>
    </form>
  );
}
