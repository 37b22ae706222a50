import { useSearchParams } from 'wouter';
import { useText } from '../messages/text-context.tsx';
import { More, useEmptyText } from '../shell/data-table.tsx';
import { SelectField, TextField } from '../shell/form.tsx';
import { DigitsField } from '../shell/number-fields.tsx';
import { PostingsTable } from './postings-table.tsx';
import { type TransferFilter, useTransfers, useTrialBalance } from './queries.ts';
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
] as const;

/** Names of the filter in the address, so that a filtered list can be shared as a link. */
const NAMES = { customerId: 'customer', asset: 'asset', kind: 'kind', from: 'from', to: 'to' } as const;

export function TransfersTab() {
  const { t, word } = useText();
  const [search, setSearch] = useSearchParams();
  const read = (name: keyof typeof NAMES) => search.get(NAMES[name]) ?? '';
  const filter: TransferFilter = {
    customerId: read('customerId'),
    asset: read('asset'),
    kind: read('kind'),
    from: read('from'),
    to: read('to'),
  };
  const field = (name: keyof typeof NAMES) => ({
    value: filter[name],
    onChange: (event: { target: { value: string } }) => {
      const value = event.target.value.trim();
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (value === '') next.delete(NAMES[name]);
          else next.set(NAMES[name], value);
          return next;
        },
        { replace: true },
      );
    },
  });
  const list = useTransfers(filter);
  const balance = useTrialBalance();
  const assets = [...new Set(balance.data?.map(({ asset }) => asset) ?? [])];
  return (
    <>
      <div className={`columns-fill gap-12 ${css.filters}`}>
        <DigitsField label={t('ledger.customerNumber')} {...field('customerId')} />
        <SelectField label={t('review.asset')} {...field('asset')}>
          <option value="">{t('review.allAssets')}</option>
          {assets.map((asset) => (
            <option key={asset}>{asset}</option>
          ))}
        </SelectField>
        <SelectField label={t('ledger.kind')} {...field('kind')}>
          <option value="">{t('ledger.allKinds')}</option>
          {KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {word('transferKind', kind)}
            </option>
          ))}
        </SelectField>
        <TextField label={t('ledger.fromDay')} type="date" {...field('from')} />
        <TextField label={t('ledger.toDay')} type="date" {...field('to')} />
      </div>
      <PostingsTable
        caption={t('ledgerTab.transfers')}
        transfers={list.rows}
        empty={useEmptyText(list, t('ledger.none'))}
      />
      <More query={list} />
    </>
  );
}
