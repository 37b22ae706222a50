import { useText } from '../messages/text-context.tsx';

interface Match {
  readonly sameAmount: boolean;
  readonly namesCustomer: boolean;
  readonly namesDeposit: boolean;
}

/** What speaks for a line of a bank's statement being the payment of a request. */
export function useMatchText() {
  const { t } = useText();
  return ({ sameAmount, namesCustomer, namesDeposit }: Match): string =>
    [
      sameAmount && t('match.sameAmount'),
      namesDeposit ? t('match.namesDeposit') : namesCustomer && t('match.namesCustomer'),
    ]
      .filter((text) => text !== false)
      .join(' · ');
}
