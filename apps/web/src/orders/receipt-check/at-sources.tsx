import { checkAtSources, RECORD_VENUES, readReceipt, type SourceFinding } from '@fairtick/proof';
import { hasRecord } from '@fairtick/trading';
import { Button } from '@fairtick/ui';
import { fixesIn } from '@fairtick/ui/receipt';
import shared from '@fairtick/ui/receipt.module.css';
import { abortAfter } from '@fairtick/ui/time-limit';
import { useState } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { formatExactTime, formatPrice } from '../../state/format.ts';
import type { CheckedReceipt } from './check-receipt.ts';

const PATIENCE_MS = 10_000;

const ASKABLE = new Set(RECORD_VENUES.map(({ source }) => source));

const hasAskable = (receipt: CheckedReceipt['receipt']): boolean =>
  (['opening', 'settling'] as const)
    .flatMap((role) => fixesIn(receipt, role))
    .some(({ fix }) => fix.records.some((part) => hasRecord(part) && ASKABLE.has(part.source)));

async function ask(url: URL): Promise<unknown> {
  const answer = await fetch(url, {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: abortAfter(PATIENCE_MS),
  });
  if (!answer.ok) throw new Error(`answers ${answer.status}`);
  return answer.json();
}

/** Compares the receipt's records with what their exchanges say, without the server. Nothing where no source of it can be asked. */
export function AtSources({ receipt }: Pick<CheckedReceipt, 'receipt'>) {
  const { t } = useText();
  const [findings, setFindings] = useState<readonly SourceFinding[] | 'asking' | null>(null);
  const read = readReceipt(receipt);
  if (!read || !hasAskable(receipt)) return null;
  if (findings === null || findings === 'asking') {
    const start = async () => {
      setFindings('asking');
      setFindings(await checkAtSources(read, ask));
    };
    return (
      <Button isBlock disabled={findings === 'asking'} onClick={() => void start()}>
        {t(findings === 'asking' ? 'receipt.sources.asking' : 'receipt.sources.ask')}
      </Button>
    );
  }
  return (
    <table className={`full mt-16 mb-16 text-12 ${shared.records}`} aria-live="polite">
      <caption>
        {t('receipt.sources.title')}
        <small>{t('receipt.sources.note')}</small>
      </caption>
      <tbody>
        {findings.map((finding) => (
          <Finding key={`${finding.index}:${finding.source}`} finding={finding} />
        ))}
      </tbody>
    </table>
  );
}

function Finding({ finding }: { finding: SourceFinding }) {
  const { t, tag } = useText();
  const { source, state, url, shown, fixMs } = finding;
  return (
    <tr data-state={state}>
      <th scope="row">
        <span translate="no">{source}</span>
        <small>{formatExactTime(fixMs, tag)}</small>
      </th>
      <td translate="no">
        {formatPrice(shown.price)}
        <small>{t('receipt.recordNumber', { number: shown.number })}</small>
      </td>
      <td>
        {t(`receipt.sources.${state}`)}
        {url && (
          <small>
            <a href={url} target="_blank" rel="noreferrer">
              {t('receipt.sources.look')}
            </a>
          </small>
        )}
      </td>
    </tr>
  );
}
