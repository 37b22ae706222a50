import { useText } from '../../messages/text-context.tsx';
import css from './chart.module.css';

/** The drawing library asks for a credit with a link. */
export function ChartCredit() {
  const { t } = useText();
  const name = 'TradingView Lightweight Charts';
  const [before, after] = t('chart.credit', { name: '\u0000' }).split('\u0000');
  return (
    <p className={`caption pb-16 ${css.credit}`}>
      {before}
      <a href="https://www.tradingview.com/" target="_blank" rel="noopener noreferrer">
        {name}
      </a>
      {after}
    </p>
  );
}
