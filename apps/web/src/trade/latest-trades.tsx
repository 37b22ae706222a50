import { DirectionMark, Empty, FileIcon, Skeleton } from '@fairtick/ui';
import { useAnswer } from '../api/use-answer.ts';
import { useOnOrder } from '../live/orders.ts';
import { useText } from '../messages/text-context.tsx';
import { formatPublic, formatTime } from '../state/format.ts';
import chart from './chart/chart.module.css';
import css from './product.module.css';

const LIMIT = 12;
const AGAIN_MS = 5_000;

/** The newest accepted orders of all customers, without results or names. */
export function LatestTrades({ symbol }: { symbol: string }) {
  const { t, tag } = useText();
  const { data, isPending, refetch } = useAnswer(
    'product/latestTrades',
    { symbol, limit: LIMIT },
    { refetchInterval: AGAIN_MS },
  );
  useOnOrder((order) => order.symbol === symbol && void refetch());
  if (isPending) return <TradeSkeletons />;
  if (!data || data.length === 0) {
    return (
      <>
        <Empty icon={<FileIcon size={28} />} title={t('product.noTrades')}>
          {t('product.tradesNote')}
        </Empty>
        <ChartCredit />
      </>
    );
  }
  // The note is above the list, so that new orders do not move it.
  return (
    <>
      <div className={`caption ${css.tradesNote}`}>
        <p>{t('product.tradesNote')}</p>
        <ChartCredit />
      </div>
      <table className={`full text-13 ${css.trades}`}>
        <thead className="sr">
          <tr>
            <th scope="col">{t('product.time')}</th>
            <th scope="col">{t('trade.direction')}</th>
            <th scope="col">{t('orders.cycle')}</th>
            <th scope="col">{t('orders.stake')}</th>
          </tr>
        </thead>
        <tbody>
          {data.map((trade, at) => (
            <tr key={`${trade.time}:${at}`}>
              <td>{formatTime(trade.time, tag)}</td>
              <td>
                <DirectionMark way={trade.direction}>{t(`trade.${trade.direction}`)}</DirectionMark>
              </td>
              <td>{t('trade.minutes', { minutes: trade.minutes })}</td>
              <td translate="no">{`${formatPublic(trade.amount)} ${trade.asset}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function TradeSkeletons() {
  return (
    <div className={css.tradeSkeletons} aria-busy="true">
      {Array.from({ length: 4 }, (_, at) => (
        <Skeleton key={at} width="100%" height={14} />
      ))}
    </div>
  );
}

/** The drawing library asks for a credit with a link. */
function ChartCredit() {
  const { t } = useText();
  const name = 'TradingView Lightweight Charts';
  const [before, after] = t('chart.credit', { name: '\u0000' }).split('\u0000');
  return (
    <p className={`caption pb-16 ${chart.credit}`}>
      {before}
      <a href="https://www.tradingview.com/" target="_blank" rel="noopener noreferrer">
        {name}
      </a>
      {after}
    </p>
  );
}
