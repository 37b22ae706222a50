import type { EarningsSummary } from '@fairtick/protocol';
import { Button, Tag } from '@fairtick/ui';
import { useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { EyeButton } from '../parts/eye-button.tsx';
import { QueryFault } from '../parts/loaded.tsx';
import { pageOf } from '../parts/page.tsx';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { TabTitle } from '../shell/tab-title.tsx';
import { formatAmount, formatDayMinute, formatSigned, sentences } from '../state/format.ts';
import { Choices } from '../wallet/parts/choices.tsx';
import { FormSkeleton } from '../wallet/parts/page-states.tsx';
import { DailyChart } from './daily-chart.tsx';
import css from './earnings.module.css';
import { countsFromTomorrow, type Direction, dayText, ratePercent } from './earnings-model.ts';
import { EarningsRecord } from './earnings-record.tsx';
import { InterestSource } from './interest-source.tsx';
import { MoveForm } from './move-form.tsx';
import { useSummary } from './queries.ts';

/** `/profit`: balance that earns, interest by day and its source, and transfers in and out. */
export default pageOf('wallet', Earnings);

const FIRST_ASSET = 'USDT';

function Earnings() {
  const { t } = useText();
  const [asset, setAsset] = useState(FIRST_ASSET);
  const [moving, setMoving] = useState<Direction | null>(null);
  const query = useSummary(asset);
  const summary = query.data;
  return (
    <PullToRefresh onRefresh={async () => void (await query.refetch({ throwOnError: true }))}>
      <div className={`column ${css.page}`}>
        <TabTitle>{t('title.profit')}</TabTitle>
        {query.isPending ? (
          <FormSkeleton />
        ) : !summary ? (
          <QueryFault error={query.error} onAgain={() => void query.refetch()} />
        ) : (
          <div className={`columns-fit ${css.sides}`}>
            <div className={`flex-column ${css.side}`}>
              <Assets summary={summary} onChoose={setAsset} />
              <Figures summary={summary} />
              <div className="halves gap-12">
                <Button isBlock onClick={() => setMoving('out')}>
                  {t('earnings.out')}
                </Button>
                <Button
                  look="gold"
                  isBlock
                  onClick={() => setMoving('in')}
                  disabled={summary.annualRate === null}
                >
                  {t('earnings.in')}
                </Button>
              </div>
            </div>
            <div className={`flex-column ${css.side}`}>
              <DailyChart summary={summary} />
              <InterestSource key={asset} summary={summary} />
              <EarningsRecord summary={summary} />
            </div>
            <Dialog
              title={t(moving === 'out' ? 'earnings.outOf' : 'earnings.into', { asset })}
              isOpen={moving !== null}
              onClose={() => setMoving(null)}
            >
              {moving !== null && (
                <MoveForm direction={moving} summary={summary} onDone={() => setMoving(null)} />
              )}
            </Dialog>
          </div>
        )}
      </div>
    </PullToRefresh>
  );
}

function Assets({ summary, onChoose }: { summary: EarningsSummary; onChoose: (asset: string) => void }) {
  const { t } = useText();
  return (
    <Choices
      label={t('earnings.asset')}
      name="earnings-asset"
      value={summary.asset}
      options={summary.assets.map(({ asset, annualRate }) => ({
        value: asset,
        label: asset,
        note: annualRate === null ? t('earnings.noRate') : ratePercent(annualRate),
      }))}
      onChange={onChoose}
    />
  );
}

function Figures({ summary }: { summary: EarningsSummary }) {
  const { t, tag } = useText();
  const { asset, annualRate, nextRate } = summary;
  return (
    <>
      <section className={css.hero}>
        <p className="secondary">
          {t('earnings.total')}
          <EyeButton />
        </p>
        <p className={`flex items-baseline wrap breaks ${css.total}`}>
          <span data-testid="earnings-total" translate="no">
            {formatAmount(summary.total)}
          </span>
          <small>{asset}</small>
        </p>
      </section>
      <dl className={`thirds line-above line-below ${css.three}`}>
        <div>
          <dt className="caption">{t('earnings.yesterday')}</dt>
          <dd data-testid="earnings-yesterday" translate="no">
            {formatSigned(summary.yesterdayInterest)}
          </dd>
        </div>
        <div>
          <dt className="caption">{t('earnings.accumulated')}</dt>
          <dd data-testid="earnings-accumulated" translate="no">
            {formatSigned(summary.accumulated)}
          </dd>
        </div>
        <div>
          <dt className="caption">{t('earnings.rate')}</dt>
          <dd>
            <span data-testid="earnings-rate">
              {annualRate === null ? t('earnings.noRate') : ratePercent(annualRate)}
            </span>
            {summary.isSample && <Tag look="outline">{t('earnings.sample')}</Tag>}
          </dd>
        </div>
      </dl>
      <p className={`text-12 ink-2 ${css.next}`}>
        {sentences(
          countsFromTomorrow(summary) && t('earnings.fromTomorrow'),
          annualRate === null
            ? t('earnings.notOffered', { asset })
            : t('earnings.next', {
                time: formatDayMinute(summary.nextAccrualAt, tag),
                amount: formatAmount(summary.countsToday),
                asset,
              }),
        )}
        {nextRate !== null && (
          <>
            {' '}
            <strong>
              {t('earnings.nextRate', {
                day: dayText(nextRate.from, tag),
                rate: ratePercent(nextRate.annualRate),
              })}
            </strong>
          </>
        )}
      </p>
    </>
  );
}
