import type { ReceiptStep } from '@fairtick/proof';
import type { ReactNode } from 'react';
import { CheckIcon, FaultIcon } from '../icons.tsx';
import css from './receipt.module.css';
import type { ReceiptText, Verified } from './receipt-text.ts';
import { storyOf } from './story.ts';
import { partText, signedText } from './words.ts';

/** What proves a receipt, or refutes it: a sentence for each part of the order's life. */
export function Story({ verified, text }: { verified: Verified; text: ReceiptText }) {
  const signed = signedText(verified, text.t);
  return (
    <ol className={`mb-12 ${css.checks}`}>
      {storyOf(verified).map((part) => (
        <Check key={part.id} isRight={part.refutedBy === null} title={partText(part, verified, text)} />
      ))}
      {signed !== null && <Check isRight title={signed} />}
    </ol>
  );
}

/** Every check with its result. */
export function Checks({ verified, text }: { verified: Verified; text: ReceiptText }) {
  const { t, count } = text;
  const { report, isSame, scan } = verified;
  const asset = report.shown?.terms.asset ?? '';
  return (
    <ol className={`mb-12 ${css.checks}`}>
      {report.steps.map((step) => {
        if (step.state !== 'proved' && step.state !== 'refuted') return null;
        const detail = step.fault === null ? detailOf(step, asset, text) : <Exact fault={step.fault} t={t} />;
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
            t('receipt.entries', { count: count(scan.count) })
          ) : (
            <Exact fault={scan.fault} t={t} />
          )}
        </Check>
      )}
    </ol>
  );
}

/** A fault in the words of the verifier, the same on every device and on the command line. */
function Exact({ fault, t }: { fault: string; t: ReceiptText['t'] }) {
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
function Check({ isRight, title, children }: { isRight: boolean; title: string; children?: ReactNode }) {
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
function detailOf({ values }: ReceiptStep, asset: string, text: ReceiptText): string {
  const { t } = text;
  const { index, price, count, size, fromSize, delayMs, payout, signers, routers } = values;
  if (payout !== undefined) return `${text.amount(String(payout))} ${asset}`;
  if (price !== undefined)
    return t('receipt.at', { price: text.price(String(price)), index: text.count(Number(index)) });
  if (delayMs !== undefined)
    return t('receipt.after', { ms: String(delayMs), index: text.count(Number(index)) });
  if (signers !== undefined)
    return t('receipt.signatures', { signers: String(signers), routers: String(routers) });
  const entries = count ?? fromSize ?? size;
  return entries === undefined ? '' : t('receipt.entries', { count: text.count(Number(entries)) });
}

/** What the checks do not prove, folded away. */
export function Limits({
  verified: { report, scan },
  text: { t },
}: {
  verified: Verified;
  text: ReceiptText;
}) {
  if (report.limits.length === 0) return null;
  return (
    <details className={`mt-12 line-above ${css.fold}`}>
      <summary>{t('receipt.limits')}</summary>
      <ul className={`mb-16 ${css.limits}`}>
        {report.limits.map((limit) => (
          <li key={limit}>
            {t(scan && limit === 'uniqueness' ? 'receipt.limit.beyond' : `receipt.limit.${limit}`)}
          </li>
        ))}
      </ul>
    </details>
  );
}
