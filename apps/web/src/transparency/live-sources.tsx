import type { LiveSources as Answer } from '@fairtick/protocol';
import { useAnswer } from '../api/use-answer.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { formatDateTime, formatSignedCount } from '../state/format.ts';
import { duration } from './operation.tsx';
import { Fact, NoFigures, Section, Table } from './section.tsx';
import css from './transparency.module.css';

const REFRESH_MS = 10_000;
/** The log's time is read over a connection, so a few ms below zero say nothing. */
const BEHIND_MS = -100;

/** The exchanges and vendors that the prices come from, as they are now; nothing where prices are not live. */
export function LiveSources() {
  const { t, tag } = useText();
  const { data } = useAnswer(
    'transparency/sources',
    {},
    { refetchOnMount: 'always', refetchInterval: REFRESH_MS },
  );
  if (data?.feed !== 'live') return null;
  return (
    <Section id="live-sources" title={t('open.live')} note={t('open.liveNote')}>
      {data.at === null ? (
        <NoFigures>{t('open.liveNone')}</NoFigures>
      ) : (
        <>
          <Table
            columns={[
              [
                t('open.source'),
                ({ source, state }) => (
                  <>
                    {source}
                    <small>{t(`open.live.${state}`)}</small>
                  </>
                ),
              ],
              [t('open.lagHalf'), ({ lagP50 }) => duration(lagP50, t)],
              [t('open.lagNearlyAll'), ({ lagP99 }) => duration(lagP99, t)],
              [t('open.livePerSecond'), ({ quotesPerSecond }) => quotesPerSecond],
              [t('open.liveClock'), ({ clockMs }) => clock(clockMs, t)],
            ]}
            rows={data.sources}
            keyOf={({ source }) => source}
          />
          <div className={`card p-16 ${css.card} ${css.products}`}>
            <h3>{t('open.liveProducts')}</h3>
            <dl className={`${css.facts} ${css.columns}`}>
              {data.products.map((product) => {
                const { symbol, priced, sources, quorum } = product;
                return (
                  <Fact key={symbol} name={symbol}>
                    {t('open.livePriced', { priced, sources, quorum })}
                    <small>{standing(product, t)}</small>
                  </Fact>
                );
              })}
            </dl>
            <p className="note">{t('open.liveAt', { time: formatDateTime(data.at, tag) })}</p>
          </div>
        </>
      )}
    </Section>
  );
}

const clock = (ms: number | null, t: Text['t']) =>
  ms === null ? (
    '–'
  ) : (
    <>
      {formatSignedCount(ms)}
      {ms <= BEHIND_MS && <small>{t('open.liveBehind')}</small>}
    </>
  );

function standing({ isOpen, priced, quorum }: Answer['products'][number], t: Text['t']): string {
  if (!isOpen) return t('open.liveClosed');
  if (priced < quorum) return t('open.gap.quorum');
  return priced === quorum ? t('open.liveLast') : t('open.liveSpare', { count: priced - quorum });
}
