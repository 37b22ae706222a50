import { post } from '../api/client.ts';
import { useHas } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { type Field, inputsOf, Proposals } from '../proposals/proposals.tsx';
import { FormAction } from '../shell/form-dialog.tsx';
import { readable, withAsset } from '../state/amounts.ts';
import { Reason } from './parts.tsx';
import { type CapitalChange, refreshTreasury, useAssets, useCapitalChanges } from './queries.ts';

/** Capital that the house brings from outside: one says how much came and by which evidence, another books it. */
export function CapitalTab() {
  const { t } = useText();
  const has = useHas();
  const fields: readonly Field<CapitalChange>[] = [
    {
      label: t('review.asset'),
      column: ({ asset }) => <strong>{asset}</strong>,
      input: { name: 'asset', choices: useAssets(), none: t('staff.choose') },
    },
    {
      label: t('review.amount'),
      show: ({ amount, asset }) => withAsset(amount, asset),
      column: ({ amount }) => readable(amount),
      isNumber: true,
      input: { name: 'amount', kind: 'amount' },
    },
    {
      label: t('capital.evidence'),
      show: ({ evidence }) => evidence,
      input: { name: 'evidence', hint: t('capital.evidenceHint') },
    },
    {
      label: t('staff.reason'),
      show: ({ note }) => note,
      column: ({ note }) => <Reason>{note}</Reason>,
      input: { name: 'note' },
    },
  ];
  return (
    <>
      <p className="secondary measure">{t('capital.text')}</p>
      {has('cashier') && (
        <div>
          <FormAction
            label={t('capital.propose')}
            values={{ asset: '', amount: '', evidence: '', note: '' }}
            inputs={() => inputsOf(fields)}
            send={(body) => post('capital/propose', body)}
            refresh={refreshTreasury}
          />
        </div>
      )}
      <Proposals
        list={useCapitalChanges()}
        caption={t('ledgerTab.capital')}
        fields={fields}
        decision={({ id, ...change }) => {
          const amount = withAsset(change.amount, change.asset);
          return {
            subject: t('capital.change', { id }),
            approve: t('capital.approve', { amount }),
            decide: (verdict) => post('capital/decide', { id, verdict }),
            refresh: refreshTreasury,
            amount,
          };
        }}
      />
    </>
  );
}
