import { useText } from '../messages/text-context.tsx';

/** What speaks for a line of a bank's statement being the payment of a request. */
export function useMatchText() {
  const { t } = useText();
  return ({ sameAmount, namesCustomer }: { sameAmount: boolean; namesCustomer: boolean }): string =>
    [sameAmount && t('match.sameAmount'), namesCustomer && t('match.namesCustomer')]
      .filter((text) => text !== false)
      .join(' · ');
}
