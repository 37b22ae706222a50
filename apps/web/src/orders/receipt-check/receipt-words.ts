import type { Acceptance } from '@fairtick/proof';
import type { ReceiptText } from '@fairtick/ui/receipt';
import type { Text } from '../../messages/text.ts';
import { formatAmount, formatCount, formatExactTime, formatPrice } from '../../state/format.ts';
import { resultText } from '../order-words.ts';
import type { CheckedReceipt } from './check-receipt.ts';

type Outcome = CheckedReceipt['receipt']['outcome'];
type T = Text['t'];

/** Loss: 100.00 DEMO staked, 0.00 DEMO returned */
export const outcomeText = (terms: Acceptance, outcome: Outcome, t: T): string =>
  t('receipt.result', {
    result: resultText(outcome, t),
    stake: `${formatAmount(terms.amount)} ${terms.asset}`,
    paid: `${formatAmount(outcome.payout)} ${terms.asset}`,
  });

export const receiptText = ({ t, tag }: Pick<Text, 't' | 'tag'>): ReceiptText => ({
  t,
  amount: formatAmount,
  price: formatPrice,
  count: formatCount,
  time: (ms) => formatExactTime(ms, tag),
});
