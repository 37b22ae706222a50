import type { Balance } from '@fairtick/protocol';
import { Segments } from '@fairtick/ui';
import { type BoardRow, useRow } from '../live/market.ts';
import { useText } from '../messages/text-context.tsx';
import { formatAmount, formatDateTime, formatList } from '../state/format.ts';
import { useSettings } from '../state/settings.ts';
import own from './mine.module.css';
import { CURRENCIES, isCurrency, worthOf } from './worth-model.ts';

const priceIn = (row: BoardRow | undefined) =>
  row && row.price !== null && row.priceAt !== null ? { price: row.price, atMs: row.priceAt } : null;

export function WorthTotal({ balances }: { balances: readonly Balance[] }) {
  const { t, tag } = useText();
  const { worthIn, choose } = useSettings();
  const currency = isCurrency(worthIn) ? worthIn : 'USDT';
  const rows = { 'BTC/USDT': useRow('BTC/USDT'), 'ETH/USDT': useRow('ETH/USDT') };
  const worth = worthOf(balances, currency, (symbol) => priceIn(rows[symbol as keyof typeof rows]));
  return (
    <section className="pb-16 line-below">
      <h3 className="secondary">{t('mine.worth', { currency })}</h3>
      <p className={own.worthTotal} data-testid="worth">
        {worth.total === null ? (
          <>
            <span aria-hidden="true">–</span>
            <span className="sr">{t('mine.unknown')}</span>
          </>
        ) : (
          formatAmount(worth.total)
        )}
      </p>
      <Segments
        label={t('mine.worthIn')}
        name="worth"
        choices={CURRENCIES.map((value) => ({ value, label: value }))}
        value={currency}
        onChange={(value) => choose('worthIn', value)}
      />
      <p className="note mt-14">
        {worth.total === null
          ? t('mine.worthMissing', { assets: formatList(worth.missing, tag) })
          : [
              worth.atMs === null ? '' : `${t('mine.worthAt', { time: formatDateTime(worth.atMs, tag) })} · `,
              t('mine.worthNote'),
            ].join('')}
      </p>
    </section>
  );
}
