import type { OfficeData } from '@fairtick/protocol/office';
import { Tag } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { regionName } from '../../state/format.ts';
import { CaseFact } from '../case-frame.tsx';
import css from '../review.module.css';

/** A destination in full, as it is compared before anything is approved or paid. */
export function DestinationFacts({ shown }: { shown: OfficeData<'withdrawal/destination'> }) {
  const { t, tag } = useText();
  const { bank, address } = shown;
  if (bank === null)
    return address === null ? null : (
      <CaseFact name={t('withdrawal.address')}>
        <InFours text={address} />
      </CaseFact>
    );
  const isAccount = bank.country !== undefined;
  return (
    <>
      <CaseFact name={t('withdrawal.holder')}>
        {bank.holder} {bank.isVerifiedName && <Tag>{t('withdrawal.verifiedName')}</Tag>}
      </CaseFact>
      <CaseFact name={t('withdrawal.bank')}>{[bank.bank, bank.branch].filter(Boolean).join(' · ')}</CaseFact>
      {bank.country !== undefined && (
        <CaseFact name={t('withdrawal.country')}>{regionName(bank.country, tag)}</CaseFact>
      )}
      {bank.bankCode !== undefined && (
        <CaseFact name={t('withdrawal.bankCode')}>
          <InFours text={bank.bankCode} />
        </CaseFact>
      )}
      <CaseFact name={t(isAccount ? 'withdrawal.account' : 'withdrawal.card')}>
        <InFours text={bank.cardNumber} />
      </CaseFact>
    </>
  );
}

/** In groups of four, which are easier to compare by eye. A browser's translation would change them. */
function InFours({ text }: { text: string }) {
  return (
    <span className={css.mono} translate="no">
      {text.replaceAll(/(.{4})(?=.)/g, '$1 ')}
    </span>
  );
}
