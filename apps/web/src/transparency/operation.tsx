import type { PublicStatistics } from '@fairtick/protocol';
import type { ReactNode } from 'react';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { trimmed } from '../protection/statistics-model.ts';
import { formatAmount, formatCount, formatDateTime } from '../state/format.ts';
import { Section } from './section.tsx';
import css from './transparency.module.css';

const SHOWN = 6;

/** Milliseconds as a readable duration. */
export function duration(ms: number | null, t: Text['t']): string {
  if (ms === null) return '–';
  if (ms < 1_000) return t('open.ms', { count: ms });
  if (ms < 120_000) return t('open.seconds', { count: String(Math.round(ms / 100) / 10) });
  if (ms < 7_200_000) return t('open.minutesLong', { count: String(Math.round(ms / 60_000)) });
  return t('open.hours', { count: String(Math.round(ms / 360_000) / 10) });
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Delays({ delays }: { delays: PublicStatistics['delays'] }) {
  const { t } = useText();
  return (
    <Section id="delays" title={t('open.delays')} note={t('open.delaysNote')}>
      <div className={css.card}>
        <dl className={css.facts}>
          <Fact name={t('open.toOpen')}>{duration(delays.open.p50, t)}</Fact>
          <Fact name={t('open.toOpenSlow')}>{duration(delays.open.p99, t)}</Fact>
          <Fact name={t('open.toSettle')}>{duration(delays.settle.p50, t)}</Fact>
          <Fact name={t('open.toSettleSlow')}>{duration(delays.settle.p99, t)}</Fact>
        </dl>
      </div>
    </Section>
  );
}

export function Withdrawals({ withdrawals }: { withdrawals: PublicStatistics['withdrawals'] }) {
  const { t, tag } = useText();
  const { paid, p50, p95, pending, rejections } = withdrawals;
  return (
    <Section id="withdrawals" title={t('open.withdrawals')} note={t('open.withdrawalsNote')}>
      <div className={css.card}>
        <dl className={css.facts}>
          <Fact name={t('open.paid')}>{formatCount(paid)}</Fact>
          <Fact name={t('open.half')}>{duration(p50, t)}</Fact>
          <Fact name={t('open.nearlyAll')}>{duration(p95, t)}</Fact>
          {pending.map(({ asset, count, sum, oldestAt }) => (
            <Fact key={asset} name={t('open.pending', { count })}>
              {formatAmount(trimmed(sum))} {asset}
              <small>{t('open.since', { time: formatDateTime(oldestAt, tag) })}</small>
            </Fact>
          ))}
          {pending.length === 0 && <Fact name={t('open.pendingNone')}>0</Fact>}
          {rejections.map(({ reason, count }) => (
            <Fact key={reason} name={t('open.rejected', { reason })}>
              {formatCount(count)}
            </Fact>
          ))}
        </dl>
      </div>
    </Section>
  );
}

export function Refusals({ refusals }: { refusals: PublicStatistics['refusals'] }) {
  const { t } = useText();
  return (
    <Section id="refusals" title={t('open.refusals')} note={t('open.refusalsNote')}>
      {refusals.length === 0 ? (
        <div className={css.card}>
          <p className={css.none}>{t('open.refusalsNone')}</p>
        </div>
      ) : (
        <div className={css.list}>
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">{t('open.reason')}</th>
                <th scope="col">{t('open.refusalsAll')}</th>
                <th scope="col">{t('open.refusalsWon')}</th>
                <th scope="col">{t('open.refusalsLost')}</th>
              </tr>
            </thead>
            <tbody>
              {refusals.slice(0, SHOWN).map(({ code, count, won, lost }) => (
                <tr key={code}>
                  <th scope="row">
                    <code>{code}</code>
                  </th>
                  <td>{formatCount(count)}</td>
                  <td>{formatCount(won)}</td>
                  <td>{formatCount(lost)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

const REASONS = ['quorum', 'clock', 'restart', 'session', 'halt', 'end'] as const;

export function Gaps({ gaps }: { gaps: PublicStatistics['gaps'] }) {
  const { t } = useText();
  const counts = REASONS.map((reason) => ({
    reason,
    count: gaps.reduce((sum, gap) => sum + (gap.reason === reason ? gap.count : 0), 0),
  })).filter(({ count }) => count > 0);
  return (
    <Section id="gaps" title={t('open.gaps')} note={t('open.gapsNote')}>
      <div className={css.card}>
        {counts.length === 0 ? (
          <p className={css.none}>{t('open.gapsNone')}</p>
        ) : (
          <dl className={css.facts}>
            {counts.map(({ reason, count }) => (
              <Fact key={reason} name={t(`open.gap.${reason}`)}>
                {formatCount(count)}
              </Fact>
            ))}
          </dl>
        )}
      </div>
    </Section>
  );
}
