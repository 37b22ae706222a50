import type { ReceiptStep } from '@fairtick/proof';
import { CheckIcon, FaultIcon } from '@fairtick/ui';
import type { ReactNode } from 'react';
import type { Text } from '../../messages/text.ts';
import { useText } from '../../messages/text-context.tsx';
import { formatAmount, formatCount, formatPrice } from '../../state/format.ts';
import type { CheckedReceipt } from './check-receipt.ts';
import css from './receipt-check.module.css';

/** Every check with its result. */
export function Checks({ asset, checked }: { asset: string; checked: CheckedReceipt }) {
  const { t } = useText();
  const { report, isSame, scan } = checked;
  return (
    <ol className={css.checks}>
      {report.steps.map((step) => {
        if (step.state !== 'proved' && step.state !== 'refuted') return null;
        const detail = step.fault === null ? detailOf(step, asset, t) : <Exact fault={step.fault} />;
        return (
          <Check key={step.id} isRight={step.fault === null} title={t(`receipt.step.${step.id}`)}>
            {detail}
          </Check>
        );
      })}
      {isSame !== null && <Check isRight={isSame} title={t('receipt.sameLog')} />}
      {scan && (
        <Check isRight={scan.fault === null} title={t('receipt.scan')}>
          {scan.fault === null ? (
            t('receipt.entries', { count: formatCount(scan.count) })
          ) : (
            <Exact fault={scan.fault} />
          )}
        </Check>
      )}
    </ol>
  );
}

/** A fault in the words of the verifier, the same on every device and on the command line. */
function Exact({ fault }: { fault: string }) {
  const { t } = useText();
  return (
    <>
      {t('receipt.exact')}{' '}
      <q lang="en" translate="no">
        {fault}
      </q>
    </>
  );
}

/** A statement with the mark of whether it holds. */
export function Check({
  isRight,
  title,
  children,
}: {
  isRight: boolean;
  title: string;
  children?: ReactNode;
}) {
  return (
    <li data-wrong={isRight ? undefined : ''}>
      <span className={css.mark}>{isRight ? <CheckIcon size={16} /> : <FaultIcon size={16} />}</span>
      <div>
        <b>{title}</b>
        <small>{children}</small>
      </div>
    </li>
  );
}

/** The most important fact of a step, or an empty text. */
function detailOf({ values }: ReceiptStep, asset: string, t: Text['t']): string {
  const { index, price, count, size, fromSize, delayMs, payout, signers, routers } = values;
  if (payout !== undefined) return `${formatAmount(String(payout))} ${asset}`;
  if (price !== undefined)
    return t('receipt.at', { price: formatPrice(String(price)), index: formatCount(Number(index)) });
  if (delayMs !== undefined)
    return t('receipt.after', { ms: String(delayMs), index: formatCount(Number(index)) });
  if (signers !== undefined)
    return t('receipt.signatures', { signers: String(signers), routers: String(routers) });
  const entries = count ?? fromSize ?? size;
  return entries === undefined ? '' : t('receipt.entries', { count: formatCount(Number(entries)) });
}
