import type { EarningsSummary } from '@fairtick/protocol';
import { Card, ForwardIcon } from '@fairtick/ui';
import { useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import css from './earnings.module.css';
import { dayText, ratePercent } from './earnings-model.ts';

/** The source of the yield in the operator's words, folded for a customer who has money in earnings; and the table of rates. */
export function InterestSource({ summary }: { summary: EarningsSummary }) {
  const { t, tag } = useText();
  const [isOpen, setOpen] = useState(false);
  const [isNew] = useState(() => !/[1-9]/.test(summary.total + summary.accumulated));
  return (
    <Card className={css.source ?? ''}>
      <details open={isNew}>
        <summary className="unfolds row touch">
          <h2>{t('earnings.source')}</h2>
        </summary>
        <ul>
          {summary.intro.split('\n').map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
      </details>
      <button
        type="button"
        className={`row between full text-13 ink touch ${css.open}`}
        onClick={() => setOpen(true)}
      >
        {t('earnings.rates')}
        <ForwardIcon size={16} />
      </button>
      <Dialog
        title={t('earnings.ratesOf', { asset: summary.asset })}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      >
        {summary.rates.length === 0 ? (
          <p className="caption mt-12">{t('earnings.notOffered', { asset: summary.asset })}</p>
        ) : (
          <table className={`full text-15 ${css.rates}`}>
            <thead>
              <tr>
                <th className="caption" scope="col">
                  {t('earnings.from')}
                </th>
                <th className="caption" scope="col">
                  {t('earnings.rate')}
                </th>
              </tr>
            </thead>
            <tbody>
              {summary.rates.map(({ from, annualRate }) => (
                <tr key={from}>
                  <td className="py-10 line-above">{dayText(from, tag, { year: 'numeric' })}</td>
                  <td className="py-10 line-above">{ratePercent(annualRate)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <p className="caption mt-12">{t(summary.isSample ? 'earnings.ratesSample' : 'earnings.ratesNote')}</p>
      </Dialog>
    </Card>
  );
}
