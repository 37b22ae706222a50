import type { ReceiptReport, ReceiptStep } from '@fairtick/proof';
import type { Order } from '@fairtick/protocol';
import { Button, CheckIcon, FaultIcon, Stamp } from '@fairtick/ui';
import { useEffect, useRef } from 'react';
import type { Text } from '../../messages/text.ts';
import { useText } from '../../messages/text-context.tsx';
import { Link } from '../../shell/link.tsx';
import { formatAmount, formatCount, formatList, formatPrice } from '../../state/format.ts';
import { type CheckedReceipt, isProved } from './check-receipt.ts';
import { Contradiction } from './contradiction.tsx';
import { NeighbourPlot } from './neighbour-plot.tsx';
import css from './receipt-check.module.css';
import { saveDocument } from './save-document.ts';

type ShownOrder = Pick<Order, 'id' | 'asset'>;

const KEYS = {
  known: 'receipt.keysKnown',
  first: 'receipt.keysFirst',
  example: 'receipt.keysExample',
} as const;

/** Each check with its result, the prices around both decisions, and what the checks do not prove. */
export default function ReceiptReportView({
  order,
  checked,
}: {
  order: ShownOrder;
  checked: CheckedReceipt;
}) {
  const { t, tag } = useText();
  const verdict = useRef<HTMLHeadingElement>(null);
  // The button is gone after the check: focus moves to the verdict.
  useEffect(() => verdict.current?.focus({ preventScroll: true }), []);
  const { report, receipt, scan, cosigners, cosignedBefore, contradiction, held } = checked;
  const isFork = checked.isSame === false;
  const isValid = isProved(checked);
  const { shown } = report;
  const steps = report.steps.filter(({ state }) => state === 'proved' || state === 'refuted');
  return (
    <section className={css.report} data-valid={isValid}>
      <h2 ref={verdict} tabIndex={-1}>
        <Stamp size={22} isChecked={isValid} />
        {t(isValid ? 'receipt.valid' : contradiction ? 'receipt.contradiction' : 'receipt.wrong')}
      </h2>
      <p className={`caption ${css.intro}`}>{t(KEYS[checked.keys])}</p>
      <ol className={css.checks}>
        {steps.map((step) => (
          <CheckedStep key={step.id} step={step} order={order} />
        ))}
        {checked.isSame !== null && (
          <Check
            isRight={!isFork}
            title={t('receipt.sameLog')}
            detail={isFork ? t('receipt.otherLog') : ''}
          />
        )}
        {scan && (
          <Check
            isRight={scan.fault === null}
            title={t('receipt.scan')}
            detail={scan.fault ?? t('receipt.entries', { count: formatCount(scan.count) })}
          />
        )}
      </ol>
      {contradiction && held && (
        <Contradiction {...contradiction} orderId={order.id} held={held} shown={receipt} />
      )}
      {report.isValid && !isFork && !scan && checked.keys !== 'example' && (
        <p className={`caption ${css.intro}`}>{t('receipt.notScanned')}</p>
      )}
      {cosigners.length > 0 && (
        <p className={`caption ${css.intro}`}>
          {t('receipt.cosigned', { names: formatList(cosigners, tag) })}
        </p>
      )}
      {cosignedBefore.length > 0 && (
        <p className={`caption ${css.intro}`}>
          {t('receipt.cosignedBefore', { names: formatList(cosignedBefore, tag) })}
        </p>
      )}
      {shown && shown.opening.length > 1 && (
        <NeighbourPlot title={t('receipt.plotOpen')} entries={shown.opening} at={shown.opening.length - 1} />
      )}
      {shown && shown.settling.length > 1 && (
        <NeighbourPlot title={t('receipt.plotSettle')} entries={shown.settling} at={-1} />
      )}
      {report.isValid && shown && isBestQuote(receipt, shown) && (
        <p className={`caption ${css.intro}`}>{t('receipt.best')}</p>
      )}
      {report.limits.length > 0 && (
        <>
          <h3>{t('receipt.limits')}</h3>
          <ul className={css.limits}>
            {report.limits.map((limit) => (
              <li key={limit}>
                {t(scan && limit === 'uniqueness' ? 'receipt.limit.beyond' : `receipt.limit.${limit}`)}
              </li>
            ))}
          </ul>
        </>
      )}
      <Button onClick={() => saveDocument(`receipt-${order.id}`, receipt)}>{t('receipt.save')}</Button>
      <p className={`caption ${css.saveNote}`}>
        {t('receipt.saveNote')}{' '}
        <Link className="link" href="/transparency">
          {t('title.transparency')}
        </Link>
      </p>
    </section>
  );
}

/** Whether an order got another price than that of its tick: the quote best for it. */
function isBestQuote(
  { outcome }: CheckedReceipt['receipt'],
  { opening, settling }: NonNullable<ReceiptReport['shown']>,
): boolean {
  const { openPrice, settlePrice } = outcome;
  return (
    (openPrice !== null && openPrice !== opening.at(-1)?.price) ||
    (settlePrice !== null && settlePrice !== settling[0]?.price)
  );
}

function CheckedStep({ step, order }: { step: ReceiptStep; order: ShownOrder }) {
  const { t } = useText();
  const isProved = step.state === 'proved';
  const detail = isProved ? detailOf(step, order, t) : (step.fault ?? '');
  return <Check isRight={isProved} title={t(`receipt.step.${step.id}`)} detail={detail} />;
}

function Check({ isRight, title, detail }: { isRight: boolean; title: string; detail: string }) {
  return (
    <li data-wrong={isRight ? undefined : ''}>
      <span className={css.mark}>{isRight ? <CheckIcon size={16} /> : <FaultIcon size={16} />}</span>
      <div>
        <b>{title}</b>
        <small>{detail}</small>
      </div>
    </li>
  );
}

/** The most important fact of a step, or an empty text. */
function detailOf({ values }: ReceiptStep, order: ShownOrder, t: Text['t']): string {
  const { index, price, count, size, fromSize, delayMs, payout } = values;
  if (payout !== undefined) return `${formatAmount(String(payout))} ${order.asset}`;
  if (price !== undefined)
    return t('receipt.at', { price: formatPrice(String(price)), index: formatCount(Number(index)) });
  if (delayMs !== undefined)
    return t('receipt.after', { ms: String(delayMs), index: formatCount(Number(index)) });
  const entries = count ?? fromSize ?? size;
  return entries === undefined ? '' : t('receipt.entries', { count: formatCount(Number(entries)) });
}
