import { BuildLine } from '@fairtick/ui';
import { useAnswer } from '../api/use-answer.ts';
import { useText } from '../messages/text-context.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { pageOf } from '../parts/page.tsx';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { formatDateTime } from '../state/format.ts';
import { LogPulse } from '../trade/market/log-pulse.tsx';
import { Checks } from './checks.tsx';
import { Held } from './held.tsx';
import { LiveSources } from './live-sources.tsx';
import { Delays, Fixes, Gaps, Halts, Refusals, Sources, Withdrawals } from './operation.tsx';
import { Outcomes } from './outcomes.tsx';
import { Owed } from './owed.tsx';
import { Rules } from './rules.tsx';
import css from './transparency.module.css';

/** `/transparency`: what the house publishes about itself, and how anyone can verify it. Needs no login. */
export default pageOf('transparency', Transparency);

function Transparency() {
  const { t, tag } = useText();
  const query = useAnswer('transparency/stats', {}, { refetchOnMount: 'always' });
  const statistics = query.data;
  return (
    <PullToRefresh onRefresh={() => query.refetch({ throwOnError: true })}>
      <div className={`column ${css.page}`}>
        <header className={`stack gap-16 mt-4 ${css.head}`}>
          <p className={`text-15 ink-2 ${css.lead}`}>{t('open.lead')}</p>
          <LogPulse />
        </header>
        <Loaded query={query} waiting={<Waiting heights={[220, 160, 160]} />}>
          {(statistics) => (
            <>
              <Outcomes statistics={statistics} />
              <div className={`${css.columns} ${css.sections}`}>
                <Delays delays={statistics.delays} />
                <Withdrawals withdrawals={statistics.withdrawals} />
                <Refusals refusals={statistics.refusals} />
                <Fixes fixes={statistics.fixes} aways={statistics.aways} />
                <Gaps gaps={statistics.gaps} />
                <Sources sources={statistics.sources} ticks={statistics.ticks} />
                <Halts halts={statistics.halts} />
              </div>
            </>
          )}
        </Loaded>
        <LiveSources />
        <Owed />
        <Held />
        <Rules />
        <Checks />
        {statistics && (
          <p className={`caption ${css.foot}`}>
            {t('open.computed', { time: formatDateTime(statistics.computedAt, tag) })}{' '}
            <a className="link" href="/api/transparency/stats">
              JSON
            </a>
            {' · '}
            <BuildLine />
          </p>
        )}
      </div>
    </PullToRefresh>
  );
}
