import { Stamp } from '@fairtick/ui';
import { Checks, isProved, Limits, ReceiptRecords, Story } from '@fairtick/ui/receipt';
import shared from '@fairtick/ui/receipt.module.css';
import { useEffect, useRef } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { formatDateTime, formatList } from '../../state/format.ts';
import { AtSources } from './at-sources.tsx';
import type { CheckedReceipt } from './check-receipt.ts';
import Contradiction from './contradiction.tsx';
import { documentOf } from './kept.ts';
import css from './receipt-check.module.css';
import { ShareReceipt } from './receipt-share.tsx';
import { outcomeText, receiptText } from './receipt-words.ts';

const KEYS = {
  known: 'receipt.keysKnown',
  first: 'receipt.keysFirst',
  example: 'receipt.keysExample',
} as const;

/** The result and what proves it, a sentence for each part; every check is folded away, and so is what the checks do not prove. */
export default function ReceiptReportView(props: { orderId: string; checked: CheckedReceipt }) {
  const { orderId, checked } = props;
  const own = useText();
  const { t, tag } = own;
  const text = receiptText(own);
  const verdict = useRef<HTMLHeadingElement>(null);
  // The button is gone after the check: focus moves to the verdict.
  useEffect(() => verdict.current?.focus({ preventScroll: true }), []);
  const { report, receipt, contradiction, held, checkedAtMs } = checked;
  const isValid = isProved(checked);
  const terms = report.shown?.terms;
  return (
    <section className={css.report} data-valid={isValid}>
      <h2 ref={verdict} tabIndex={-1}>
        <Stamp size={22} isChecked={isValid} />
        {t(isValid ? 'receipt.valid' : contradiction ? 'receipt.contradiction' : 'receipt.wrong')}
      </h2>
      {isValid && terms && <p className={css.result}>{outcomeText(terms, receipt.outcome, t)}</p>}
      <p className="caption mb-12">{t('receipt.checkedAt', { time: formatDateTime(checkedAtMs, tag) })}</p>
      <Story verified={checked} text={text} />
      {contradiction && held && (
        <Contradiction {...contradiction} orderId={orderId} held={documentOf(held)} shown={receipt} />
      )}
      <ShareReceipt orderId={orderId} checked={checked} />
      <AtSources receipt={receipt} />
      <details className={`mt-12 line-above ${shared.fold}`} open={!isValid}>
        <summary>{t('receipt.allChecks')}</summary>
        <Checks verified={checked} text={text} />
        <Around checked={checked} />
      </details>
      <Limits verified={checked} text={text} />
    </section>
  );
}

/** Whose keys and log were used, who cosigned, and what each source had on record at the opening and at the settlement. */
function Around({ checked }: { checked: CheckedReceipt }) {
  const own = useText();
  const { t, tag } = own;
  const text = receiptText(own);
  const { report, receipt, scan, isSame, keys, cosigners, cosignedBefore } = checked;
  const notes = [
    t(KEYS[keys]),
    report.isValid && isSame !== false && !scan && keys !== 'example' ? t('receipt.notScanned') : '',
    cosigners.length > 0 ? t('receipt.cosigned', { names: formatList(cosigners, tag) }) : '',
    cosignedBefore.length > 0 ? t('receipt.cosignedBefore', { names: formatList(cosignedBefore, tag) }) : '',
  ];
  return (
    <>
      {notes
        .filter((note) => note !== '')
        .map((note) => (
          <p key={note} className="caption mb-12">
            {note}
          </p>
        ))}
      <ReceiptRecords receipt={receipt} part="opening" text={text} />
      <ReceiptRecords receipt={receipt} part="settling" text={text} />
    </>
  );
}
