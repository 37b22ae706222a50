import { formatDecimal } from '@fairtick/money';
import { type FixEntry, parseEntry, recordAddress } from '@fairtick/proof';
import { hasRecord, type ListedRecord, type SourceRecord } from '@fairtick/trading';
import css from './receipt.module.css';
import type { ReceiptText, Verified } from './receipt-text.ts';

const TITLES = { opening: 'receipt.recordsOpen', settling: 'receipt.recordsSettle' } as const;

/** The entries that gave a receipt its opening or settlement price: the fix, and the one that closed it, if there is one. */
export function fixesIn({ entries }: Pick<Verified['receipt'], 'entries'>, part: keyof typeof TITLES) {
  return entries.flatMap(({ index, role, entry }) => {
    const fix = role === part ? parseEntry(entry) : null;
    return fix?.kind === 'fix' || fix?.kind === 'close' ? [{ index, fix }] : [];
  });
}

/** What each source had on record at the opening or the settlement, and the record after it. */
export function ReceiptRecords({
  receipt,
  part,
  text,
}: {
  receipt: Verified['receipt'];
  part: keyof typeof TITLES;
  text: ReceiptText;
}) {
  const { t } = text;
  return fixesIn(receipt, part).map(({ index, fix }) => {
    const values = { price: text.price(formatDecimal(fix.price, fix.decimals)), index: text.count(index) };
    return (
      <table key={index} className={`full mt-16 mb-16 text-12 ${css.records}`}>
        <caption>
          {t(TITLES[part])}
          <small>
            {fix.kind === 'fix'
              ? t('receipt.at', values)
              : t('receipt.corrected', { ...values, time: text.time(fix.timeMs) })}
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
            <Row key={listed.source} listed={listed} fix={fix} text={text} />
          ))}
        </tbody>
      </table>
    );
  });
}

function Row({ listed, fix, text }: { listed: ListedRecord; fix: FixEntry; text: ReceiptText }) {
  const { t } = text;
  const { source, use } = listed;
  const { decimals } = fix;
  return (
    <tr>
      <th scope="row">
        <span translate="no">{source}</span>
        {use !== 'use' && <small>{t(`receipt.use.${use}`)}</small>}
      </th>
      {hasRecord(listed) && (
        <>
          <Record
            record={listed.last}
            decimals={decimals}
            url={recordAddress(fix.symbol, listed)?.href ?? null}
            text={text}
          />
          {listed.closing.by === 'next' ? (
            <Record record={listed.closing.next} decimals={decimals} url={null} text={text} />
          ) : (
            <td>{t(`receipt.closing.${listed.closing.by}`)}</td>
          )}
        </>
      )}
    </tr>
  );
}

/** A record; its number leads to the exchange's own answer where it gives one. */
function Record(props: { record: SourceRecord; decimals: number; url: string | null; text: ReceiptText }) {
  const { t, price, time } = props.text;
  const { record, url } = props;
  const number = t('receipt.recordNumber', { number: String(record.number) });
  return (
    <td translate="no">
      {price(formatDecimal(record.price, props.decimals))}
      <small>{time(record.timeMs)}</small>
      <small>
        {url === null ? (
          number
        ) : (
          <a href={url} target="_blank" rel="noreferrer">
            {number}
          </a>
        )}
      </small>
    </td>
  );
}
