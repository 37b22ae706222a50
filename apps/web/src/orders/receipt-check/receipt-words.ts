import type { Acceptance, ReceiptStep, ReceiptStepId } from '@fairtick/proof';
import type { Text } from '../../messages/text.ts';
import { formatAmount, formatExactTime, formatPrice } from '../../state/format.ts';
import { VOID_TEXTS } from '../order-words.ts';
import type { CheckedReceipt } from './check-receipt.ts';
import type { Part } from './receipt-story.ts';

type Outcome = CheckedReceipt['receipt']['outcome'];
type T = Text['t'];

const RESULTS = { profit: 'orders.profit', loss: 'orders.loss', none: 'orders.none' } as const;

/** The result in a word. */
export const resultWord = ({ result, voidReason }: Outcome, t: T): string =>
  t(voidReason !== null ? 'orders.voided' : result === null ? 'orders.underWay' : RESULTS[result]);

/** Loss: 100.00 DEMO staked, 0.00 DEMO returned */
export const outcomeText = (terms: Acceptance, outcome: Outcome, t: T): string =>
  t('receipt.result', {
    result: resultWord(outcome, t),
    stake: `${formatAmount(terms.amount)} ${terms.asset}`,
    paid: `${formatAmount(outcome.payout)} ${terms.asset}`,
  });

/** Who signed the records of Pyth in the entries that decided; null where the receipt shows no signed update that holds. */
export function signedText({ report }: Pick<CheckedReceipt, 'report'>, t: T): string | null {
  const step = report.steps.find(({ id }) => id === 'updates');
  if (step?.state !== 'proved') return null;
  const { signers = 0, routers = 0, count = 0, wanted = 0, known } = step.values;
  return known === count
    ? t('receipt.part.signed', { signers, routers, count, wanted })
    : t('receipt.part.signedOther', { signers, routers });
}

/** One sentence on a part of an order's life: what holds, or what is wrong. */
export function partText(
  part: Part,
  { report, receipt }: CheckedReceipt,
  { t, tag }: Pick<Text, 't' | 'tag'>,
): string {
  const { refutedBy } = part;
  if (refutedBy === 'sameLog') return t('receipt.otherLog');
  if (refutedBy !== null) return t(`receipt.fault.${refutedBy}`);
  const { outcome } = receipt;
  const valuesOf = (id: ReceiptStepId): ReceiptStep['values'] =>
    report.steps.find((step) => step.id === id)?.values ?? {};
  const time = (ms: unknown) => formatExactTime(Number(ms), tag);
  switch (part.id) {
    case 'accepted':
      return t('receipt.part.accepted', { time: time(valuesOf('acceptance').timeMs) });
    case 'logged':
      return t('receipt.part.logged', { ms: String(valuesOf('logged').delayMs) });
    case 'opened': {
      if (outcome.openPrice !== null)
        return t('receipt.part.opened', {
          price: formatPrice(outcome.openPrice),
          time: time(report.shown?.terms.opensAt),
        });
      return t('receipt.part.void', {
        reason: outcome.voidReason === null ? '' : t(VOID_TEXTS[outcome.voidReason]),
      });
    }
    case 'settled': {
      if (outcome.settlePrice === null) return t('orders.unpriced');
      return t('receipt.part.settled', {
        price: formatPrice(outcome.settlePrice),
        time: time(report.shown?.terms.settlesAt),
      });
    }
    case 'paid':
      return t('receipt.part.paid', {
        paid: `${formatAmount(outcome.payout)} ${report.shown?.terms.asset ?? ''}`,
      });
  }
}
