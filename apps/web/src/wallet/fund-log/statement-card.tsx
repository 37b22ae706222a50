import { CheckIcon, FaultIcon } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { formatAmount, formatSigned } from '../../state/format.ts';
import css from '../parts/records.module.css';
import type { Statement } from './fund-log-model.ts';

/** Opening, in, out and closing, computed here from the entries listed below. */
export function StatementCard({ statement }: { statement: Statement }) {
  const { t } = useText();
  return (
    <section className={`card ${css.statement}`} aria-label={t('log.statement')}>
      <dl>
        <div>
          <dt className="caption">{t('log.opening')}</dt>
          <dd translate="no">{formatAmount(statement.opening)}</dd>
        </div>
        <div>
          <dt className="caption">{t('log.inflow')}</dt>
          <dd translate="no">{formatSigned(statement.inflow)}</dd>
        </div>
        <div>
          <dt className="caption">{t('log.outflow')}</dt>
          <dd translate="no">{formatSigned(statement.outflow)}</dd>
        </div>
        <div>
          <dt className="caption">{t('log.closing')}</dt>
          <dd translate="no">{formatAmount(statement.closing)}</dd>
        </div>
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
