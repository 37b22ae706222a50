import { CheckIcon, FaultIcon } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { formatAmount, formatSigned } from '../../state/format.ts';
import css from '../parts/records.module.css';
import type { Statement } from './fund-log-model.ts';

/** Opening, in, out and closing, computed here from the entries listed below. */
export function StatementCard({ statement }: { statement: Statement }) {
  const { t } = useText();
  const sums = [
    ['opening', formatAmount(statement.opening)],
    ['inflow', formatSigned(statement.inflow)],
    ['outflow', formatSigned(statement.outflow)],
    ['closing', formatAmount(statement.closing)],
  ] as const;
  return (
    <section className={`card ${css.statement}`} aria-label={t('log.statement')}>
      <dl>
        {sums.map(([name, amount]) => (
          <div key={name}>
            <dt className="caption">{t(`log.${name}`)}</dt>
            <dd translate="no">{amount}</dd>
          </div>
        ))}
      </dl>
      <p className="caption">
        <span>{t('log.sumRule')}</span>
        <span>
          {statement.matches ? <CheckIcon size={14} /> : <FaultIcon size={14} />}
          {t(statement.matches ? 'log.sumMatches' : 'log.sumDiffers')}
        </span>
      </p>
    </section>
  );
}
