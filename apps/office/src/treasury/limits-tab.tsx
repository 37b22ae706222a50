import { post } from '../api/client.ts';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { columnsOf, type Field, inputsOf, Proposals } from '../proposals/proposals.tsx';
import { type Column, DataTable } from '../shell/data-table.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { type Limit, refreshTreasury, useLimitChanges, useLimits } from './queries.ts';

const AMOUNTS = { min: 'limit.min', max: 'limit.max', fee: 'deposit.fee' } as const;

/** Current limits and fees of withdrawals, and proposed ones. Limits of deposits belong to their channels. */
export function LimitsTab() {
  const { t } = useText();
  const limits = useLimits();
  const has = useHas();
  const changes = useLimitChanges();
  const fields: readonly Field<Limit>[] = [
    { label: t('review.asset'), column: ({ asset }) => <strong>{asset}</strong> },
    ...(['min', 'max', 'fee'] as const).map(
      (name): Field<Limit> => ({
        label: t(AMOUNTS[name]),
        show: (limit) => withAsset(limit[name], limit.asset),
        column: (limit) => readable(limit[name]),
        isNumber: true,
        input: { name, kind: 'amount' },
      }),
    ),
  ];
  const columns: Column<Limit>[] = [
    ...columnsOf(fields),
    {
      header: t('shell.actions'),
      isUnnamed: true,
      cell: ({ asset, ...values }) =>
        has('cashier') && (
          <FormAction
            label={t('staff.change')}
            title={t('limit.changeOf', { asset })}
            button={{ size: 'small' }}
            values={values}
            inputs={() => inputsOf(fields)}
            send={(body) => post('limit/propose', { asset, ...body })}
            refresh={refreshTreasury}
          />
        ),
    },
  ];
  return (
    <>
      <p className="secondary measure">{t('limit.text')}</p>
      <DataTable
        caption={t('channelTab.limits')}
        columns={columns}
        list={limits}
        none={t('ledger.none')}
        idOf={({ asset }) => asset}
      />
      <h2>{t('staff.changes')}</h2>
      <Proposals
        list={{ ...changes, rows: changes.rows.map((change) => ({ ...change, ...change.terms })) }}
        fields={fields}
        now={({ asset }) => limits.data?.find((limit) => limit.asset === asset)}
        decision={({ id, asset, min, max }) => ({
          subject: t('limit.change', { id, asset }),
          approve: t('limit.approve', { min: readable(min), max: withAsset(max, asset) }),
          decide: (verdict) => post('limit/decide', { id, verdict }),
          refresh: refreshTreasury,
        })}
      />
    </>
  );
}
