import { formatDecimal } from '@fairtick/money';
import { type FixEntry, parseEntry } from '@fairtick/proof';
import { hasRecord, type ListedRecord, type SourceRecord } from '@fairtick/trading';
import { useText } from '../../messages/text-context.tsx';
import { formatCount, formatExactTime, formatPrice } from '../../state/format.ts';
import type { CheckedReceipt } from './check-receipt.ts';
import css from './receipt-check.module.css';

const TITLES = { opening: 'receipt.recordsOpen', settling: 'receipt.recordsSettle' } as const;

/** The entries that gave a receipt its opening or settlement price: the fix, and the one that closed it, if there is one. */
export function fixesIn({ entries }: Pick<CheckedReceipt['receipt'], 'entries'>, part: keyof typeof TITLES) {
  return entries.flatMap(({ index, role, entry }) => {
    const fix = role === part ? parseEntry(entry) : null;
    return fix?.kind === 'fix' || fix?.kind === 'close' ? [{ index, fix }] : [];
  });
}

/** What each source had on record at the opening or the settlement, and the record after it. */
export function ReceiptRecords({
  receipt,
  part,
}: {
  receipt: CheckedReceipt['receipt'];
  part: keyof typeof TITLES;
}) {
  const { t, tag } = useText();
  return fixesIn(receipt, part).map(({ index, fix }) => {
    const price = formatPrice(formatDecimal(fix.price, fix.decimals));
    const values = { price, index: formatCount(index) };
    return (
      <table key={index} className={css.records}>
        <caption>
          {t(TITLES[part])}
          <small>
            {fix.kind === 'fix'
              ? t('receipt.at', values)
              : t('receipt.corrected', { ...values, time: formatExactTime(fix.timeMs, tag) })}
          </small>
        </caption>
        <thead>
          <tr>
            <th scope="col">{t('receipt.source')}</th>
            <th scope="col">{t('receipt.record')}</th>
            <th scope="col">{t('receipt.next')}</th>
          </tr>
        </thead>
        <tbody>
          {fix.records.map((listed) => (
            <Row key={listed.source} listed={listed} decimals={fix.decimals} />
          ))}
        </tbody>
      </table>
    );
  });
}

function Row({ listed, decimals }: { listed: ListedRecord } & Pick<FixEntry, 'decimals'>) {
  const { t } = useText();
  const { source, use } = listed;
  return (
    <tr>
      <th scope="row">
        <span translate="no">{source}</span>
        {use !== 'use' && <small>{t(`receipt.use.${use}`)}</small>}
      </th>
      {hasRecord(listed) && (
        <>
          <Record record={listed.last} decimals={decimals} />
          {listed.closing.by === 'next' ? (
            <Record record={listed.closing.next} decimals={decimals} />
          ) : (
            <td>{t(`receipt.closing.${listed.closing.by}`)}</td>
          )}
        </>
      )}
    </tr>
  );
}

function Record({ record, decimals }: { record: SourceRecord } & Pick<FixEntry, 'decimals'>) {
  const { t, tag } = useText();
  const { number, timeMs, price } = record;
  return (
    <td translate="no">
      {formatPrice(formatDecimal(price, decimals))}
      <small>{formatExactTime(timeMs, tag)}</small>
      <small>{t('receipt.recordNumber', { number: String(number) })}</small>
    </td>
  );
}
