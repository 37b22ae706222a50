import type { LiveSources as Answer } from '@fairtick/protocol';
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { formatDateTime, formatSignedCount } from '../state/format.ts';
import { duration } from './operation.tsx';
import { Section } from './section.tsx';
import css from './transparency.module.css';

const REFRESH_MS = 10_000;
/** The log's time is read over a connection, so a few ms below zero say nothing. */
const BEHIND_MS = -100;

/** The exchanges and vendors that the prices come from, as they are now; nothing where prices are not live. */
export function LiveSources() {
  const { t, tag } = useText();
  const { data } = useQuery({
    queryKey: ['live-sources'],
    queryFn: ({ signal }) => get('transparency/sources', {}, { signal, isSilent: true }),
    refetchOnMount: 'always',
    refetchInterval: REFRESH_MS,
  });
  if (data?.feed !== 'live') return null;
  return (
    <Section id="live-sources" title={t('open.live')} note={t('open.liveNote')}>
      {data.at === null ? (
        <div className={`card ${css.card}`}>
          <p className="note">{t('open.liveNone')}</p>
        </div>
      ) : (
        <>
          <div className={`card ${css.list}`}>
            <SourceTable sources={data.sources} />
          </div>
          <div className={`card ${css.card} ${css.products}`}>
            <h3>{t('open.liveProducts')}</h3>
            <dl className={`${css.facts} ${css.columns}`}>
              {data.products.map((product) => {
                const { symbol, priced, sources, quorum } = product;
                return (
                  <div key={symbol}>
                    <dt>{symbol}</dt>
                    <dd>
                      {t('open.livePriced', { priced, sources, quorum })}
                      <small>{standing(product, t)}</small>
                    </dd>
                  </div>
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

function SourceTable({ sources }: Pick<Answer, 'sources'>) {
  const { t } = useText();
  return (
    <table className={css.table}>
      <thead>
        <tr>
          <th scope="col">{t('open.source')}</th>
          <th scope="col">{t('open.lagHalf')}</th>
          <th scope="col">{t('open.lagNearlyAll')}</th>
          <th scope="col">{t('open.livePerSecond')}</th>
          <th scope="col">{t('open.liveClock')}</th>
        </tr>
      </thead>
      <tbody>
        {sources.map(({ source, state, lagP50, lagP99, quotesPerSecond, clockMs }) => (
          <tr key={source}>
            <th scope="row">
              {source}
              <small>{t(`open.live.${state}`)}</small>
            </th>
            <td>{duration(lagP50, t)}</td>
            <td>{duration(lagP99, t)}</td>
            <td>{quotesPerSecond}</td>
            <td>
              {clockMs === null ? '–' : formatSignedCount(clockMs)}
              {clockMs !== null && clockMs <= BEHIND_MS && <small>{t('open.liveBehind')}</small>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How far a product is from being closed for want of sources. */
function standing({ isOpen, priced, quorum }: Answer['products'][number], t: Text['t']): string {
  if (!isOpen) return t('open.liveClosed');
  if (priced < quorum) return t('open.gap.quorum');
  return priced === quorum ? t('open.liveLast') : t('open.liveSpare', { count: priced - quorum });
}
