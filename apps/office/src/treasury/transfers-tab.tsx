import { useSearchParams } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { SelectField, TextField } from '../shell/form.tsx';
import { DigitsField } from '../shell/number-fields.tsx';
import { PostingsTable, rowsOf } from './postings-table.tsx';
import { useTransfers, useTrialBalance } from './queries.ts';
import css from './treasury.module.css';

const KINDS = [
  'reserve',
  'resolve',
  'amend',
  'deposit',
  'hold',
  'release',
  'payout',
  'correction',
  'practice',
  'capital',
  'earn_in',
  'earn_out',
  'interest',
  'legal_hold',
  'legal_release',
  'revert',
] as const;

/** The filter is in the address, so that a filtered list can be shared as a link. */
export function TransfersTab() {
  const { t, word } = useText();
  const [search, setSearch] = useSearchParams();
  const read = (name: string) => search.get(name) ?? '';
  const field = (name: string) => ({
    value: read(name),
    onChange: (event: { target: { value: string } }) => {
      const value = event.target.value.trim();
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (value === '') next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      );
    },
  });
  const list = useTransfers({
    customerId: read('customer'),
    asset: read('asset'),
    kind: read('kind'),
    from: read('from'),
    to: read('to'),
  });
  const assets = new Set(useTrialBalance().data?.map(({ asset }) => asset));
  return (
    <>
      <div className={`columns-fill gap-12 ${css.filters}`}>
        <DigitsField label={t('ledger.customerNumber')} {...field('customer')} />
        <SelectField
          label={t('review.asset')}
          none={t('review.allAssets')}
          choices={[...assets]}
          {...field('asset')}
        />
        <SelectField
          label={t('ledger.kind')}
          none={t('ledger.allKinds')}
          choices={KINDS}
          nameOf={(kind) => word('transferKind', kind)}
          {...field('kind')}
        />
        <TextField label={t('ledger.fromDay')} type="date" {...field('from')} />
        <TextField label={t('ledger.toDay')} type="date" {...field('to')} />
      </div>
      <PostingsTable
        caption={t('ledgerTab.transfers')}
        list={{ ...list, rows: rowsOf(list.rows) }}
        none={t('ledger.none')}
      />
    </>
  );
}
