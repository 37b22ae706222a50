import type { ReceiptStep, ReceiptStepId } from '@fairtick/proof';
import type { ReceiptText, Verified } from './receipt-text.ts';
import type { Part } from './story.ts';

/** Who signed the records of Pyth in the entries that decided; null where the receipt shows no signed update that holds. */
export function signedText({ report }: Pick<Verified, 'report'>, t: ReceiptText['t']): string | null {
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
  { report, receipt }: Pick<Verified, 'report' | 'receipt'>,
  { t, amount, price, time }: ReceiptText,
): string {
  const { refutedBy } = part;
  if (refutedBy === 'sameLog') return t('receipt.otherLog');
  if (refutedBy !== null) return t(`receipt.fault.${refutedBy}`);
  const { outcome } = receipt;
  const valuesOf = (id: ReceiptStepId): ReceiptStep['values'] =>
    report.steps.find((step) => step.id === id)?.values ?? {};
  switch (part.id) {
    case 'accepted':
      return t('receipt.part.accepted', { time: time(Number(valuesOf('acceptance').timeMs)) });
    case 'logged':
      return t('receipt.part.logged', { ms: String(valuesOf('logged').delayMs) });
    case 'opened': {
      if (outcome.openPrice !== null)
        return t('receipt.part.opened', {
          price: price(outcome.openPrice),
          time: time(report.shown?.terms.opensAt ?? 0),
        });
      return t('receipt.part.void', {
        reason: outcome.voidReason === null ? '' : t(`receipt.void.${outcome.voidReason}`),
      });
    }
    case 'settled': {
      if (outcome.settlePrice === null) return t('receipt.unpriced');
      return t('receipt.part.settled', {
        price: price(outcome.settlePrice),
        time: time(report.shown?.terms.settlesAt ?? 0),
      });
    }
    case 'paid':
      return t('receipt.part.paid', {
        paid: `${amount(outcome.payout)} ${report.shown?.terms.asset ?? ''}`,
      });
  }
}
