import type { PublicStatistics } from '@fairtick/protocol';
import { useAnswer } from '../api/use-answer.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { formatCount, formatDateTime, formatPublic, formatShare } from '../state/format.ts';
import { reasonWords } from './reason-words.ts';
import { Fact, Figures, NoFigures, Section, Table } from './section.tsx';

const SHOWN = 6;

export function duration(ms: number | null, t: Text['t']): string {
  if (ms === null) return '–';
  if (ms < 1_000) return t('open.ms', { count: ms });
  if (ms < 120_000) return t('open.seconds', { count: String(Math.round(ms / 100) / 10) });
  if (ms < 7_200_000) return t('open.minutesLong', { count: String(Math.round(ms / 60_000)) });
  return t('open.hours', { count: String(Math.round(ms / 360_000) / 10) });
}

/** The words for a published code, or the code. */
function wordsOf(code: string, t: Text['t']): string {
  const words = reasonWords(code);
  return words === null ? code : t(words);
}

export function Delays({ delays }: { delays: PublicStatistics['delays'] }) {
  const { t } = useText();
  return (
    <Section id="delays" title={t('open.delays')} note={t('open.delaysNote')}>
      <Figures>
        <Fact name={t('open.toFix')}>{duration(delays.fix.p50, t)}</Fact>
        <Fact name={t('open.toFixSlow')}>{duration(delays.fix.p99, t)}</Fact>
        <Fact name={t('open.toSettle')}>{duration(delays.settle.p50, t)}</Fact>
        <Fact name={t('open.toSettleSlow')}>{duration(delays.settle.p99, t)}</Fact>
      </Figures>
    </Section>
  );
}

export function Withdrawals({ withdrawals }: { withdrawals: PublicStatistics['withdrawals'] }) {
  const { t, tag } = useText();
  const { paid, p50, p95, pending, rejections } = withdrawals;
  return (
    <Section id="withdrawals" title={t('open.withdrawals')} note={t('open.withdrawalsNote')}>
      <Figures>
        <Fact name={t('open.paid')}>{formatCount(paid)}</Fact>
        <Fact name={t('open.half')}>{duration(p50, t)}</Fact>
        <Fact name={t('open.nearlyAll')}>{duration(p95, t)}</Fact>
        {pending.map(({ asset, count, sum, oldestAt }) => (
          <Fact key={asset} name={t('open.pending', { count })}>
            {formatPublic(sum)} {asset}
            <small>{t('open.since', { time: formatDateTime(oldestAt, tag) })}</small>
          </Fact>
        ))}
        {pending.length === 0 && <Fact name={t('open.pendingNone')}>0</Fact>}
        {rejections.map(({ reason, count }) => (
          <Fact key={reason} name={t('open.rejected', { reason: wordsOf(reason, t) })}>
            {formatCount(count)}
          </Fact>
        ))}
      </Figures>
    </Section>
  );
}

export function Refusals({ refusals }: { refusals: PublicStatistics['refusals'] }) {
  const { t } = useText();
  return (
    <Section id="refusals" title={t('open.refusals')} note={t('open.refusalsNote')}>
      {refusals.length === 0 ? (
        <NoFigures>{t('open.refusalsNone')}</NoFigures>
      ) : (
        <Table
          columns={[
            [t('open.reason'), ({ code }) => wordsOf(code, t)],
            [t('open.refusalsAll'), ({ count }) => formatCount(count)],
            [t('open.refusalsWon'), ({ won }) => formatCount(won)],
            [t('open.refusalsLost'), ({ lost }) => formatCount(lost)],
          ]}
          rows={refusals.slice(0, SHOWN)}
          keyOf={({ code }) => code}
        />
      )}
    </Section>
  );
}

const REASONS = ['quorum', 'clock', 'restart', 'session', 'halt', 'end'] as const;

export function Gaps({ gaps }: Pick<PublicStatistics, 'gaps'>) {
  const { t } = useText();
  const countOf = (wanted: string) =>
    gaps.reduce((sum, { reason, count }) => sum + (reason === wanted ? count : 0), 0);
  const rows = REASONS.map((reason) => ({ name: t(`open.gap.${reason}`), count: countOf(reason) }));
  const some = rows.filter(({ count }) => count > 0);
  const shown = some.length > 0 ? some : rows.slice(0, 1);
  return (
    <Section id="gaps" title={t('open.gaps')} note={t('open.gapsNote')}>
      <Figures>
        {shown.map(({ name, count }) => (
          <Fact key={name} name={name}>
            {formatCount(count)}
          </Fact>
        ))}
      </Figures>
    </Section>
  );
}

export function Fixes({ fixes, aways }: Pick<PublicStatistics, 'fixes' | 'aways'>) {
  const { t } = useText();
  return (
    <Section id="fixes" title={t('open.fixes')} note={t('open.fixesNote')}>
      <Figures>
        <Fact name={t('open.fixesAll')}>{formatCount(fixes.count)}</Fact>
        <Fact name={t('open.fixesOpen')}>{formatCount(fixes.open)}</Fact>
        <Fact name={t('open.fixesThin')}>{formatCount(fixes.thin)}</Fact>
        {aways.slice(0, SHOWN).map(({ source, count, totalMs }) => (
          <Fact key={source} name={t('open.away', { source })}>
            {formatCount(count)} <small>{duration(totalMs, t)}</small>
          </Fact>
        ))}
      </Figures>
    </Section>
  );
}

export function Sources({ sources, ticks }: Pick<PublicStatistics, 'sources' | 'ticks'>) {
  const { t } = useText();
  const share = (count: number) => (ticks === 0 ? '–' : formatShare(count / ticks, 2));
  return (
    <Section id="sources" title={t('open.sourceQuality')} note={t('open.sourceQualityNote')}>
      {sources.length === 0 ? (
        <NoFigures>{t('open.sourcesNone')}</NoFigures>
      ) : (
        <Table
          columns={[
            [t('open.source'), ({ source }) => source],
            [t('open.lagHalf'), ({ lagP50 }) => duration(lagP50, t)],
            [t('open.lagNearlyAll'), ({ lagP99 }) => duration(lagP99, t)],
            [t('open.absent'), ({ absent }) => share(absent)],
            [t('open.stale'), ({ stale }) => share(stale), 'wide'],
            [t('open.outlier'), ({ outliers }) => share(outliers), 'wide'],
          ]}
          rows={sources.slice(0, SHOWN)}
          keyOf={({ source }) => source}
        />
      )}
    </Section>
  );
}

export function Halts({ halts }: Pick<PublicStatistics, 'halts'>) {
  const { t, tag } = useText();
  const { data } = useAnswer('transparency/halts', {}, { refetchOnMount: 'always' });
  return (
    <Section id="halts" title={t('open.halts')} note={t('open.haltsNote')}>
      {halts.count === 0 && data?.length === 0 ? (
        <NoFigures>{t('open.haltsNone')}</NoFigures>
      ) : (
        <Figures>
          <Fact name={t('open.haltsAll')}>
            {formatCount(halts.count)} <small>{duration(halts.totalMs, t)}</small>
          </Fact>
          {data?.slice(0, SHOWN).map(({ symbol, from, until }) => (
            <Fact
              key={`${symbol} ${from}`}
              name={[formatDateTime(from, tag), symbol].filter(Boolean).join(' · ')}
            >
              {until === null ? t('open.haltLasts') : duration(until - from, t)}
            </Fact>
          ))}
        </Figures>
      )}
    </Section>
  );
}
