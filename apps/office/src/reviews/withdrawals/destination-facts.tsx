import type { OfficeData } from '@fairtick/protocol/office';
import { Tag } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { CodeText } from '../../shell/code-text.tsx';
import { regionName } from '../../state/format.ts';
import { CaseFact } from '../case-frame.tsx';

/** A destination in full, as it is compared before anything is approved or paid. */
export function DestinationFacts({ shown }: { shown: OfficeData<'withdrawal/destination'> }) {
  const { t, tag } = useText();
  const { bank, address } = shown;
  if (bank === null)
    return address === null ? null : (
      <CaseFact name={t('withdrawal.address')}>
        <CodeText text={address} />
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
          <CodeText text={bank.bankCode} />
        </CaseFact>
      )}
      <CaseFact name={t(isAccount ? 'withdrawal.account' : 'withdrawal.card')}>
        <CodeText text={bank.cardNumber} />
      </CaseFact>
    </>
  );
}
