import { Button } from '@fairtick/ui';
import { isProved } from '@fairtick/ui/receipt';
import type { Text } from '../../messages/text.ts';
import { useText } from '../../messages/text-context.tsx';
import { Link } from '../../shell/link.tsx';
import { formatAmount, formatDateTime, formatPrice } from '../../state/format.ts';
import { resultText } from '../order-words.ts';
import type { CheckedReceipt } from './check-receipt.ts';
import css from './receipt-check.module.css';
import { type Picture, pictureFile } from './receipt-picture.ts';
import { canShareFiles, documentFile, shareFile } from './share-file.ts';

export function ShareReceipt({ orderId, checked }: { orderId: string; checked: CheckedReceipt }) {
  const { t, gap } = useText();
  const picture = usePicture(orderId, checked);
  const name = `receipt-${orderId}`;
  const canShare = canShareFiles();
  return (
    <>
      <div className={`columns-fit gap-8 ${css.share}`}>
        {picture && (
          <Button onClick={() => void pictureFile(`fairtick-${name}`, picture).then(shareFile)}>
            {t(canShare ? 'receipt.sharePicture' : 'receipt.savePicture')}
          </Button>
        )}
        <Button onClick={() => void shareFile(documentFile(name, checked.receipt))}>
          {t(canShare ? 'receipt.shareFile' : 'receipt.save')}
        </Button>
      </div>
      <p className={`caption mt-12 ${css.saveNote}`}>
        {t('receipt.saveNote')}
        {gap}
        <Link className="link" href="/transparency">
          {t('title.transparency')}
        </Link>
      </p>
    </>
  );
}

function demoMark(t: Text['t']): string {
  const { mode, feed } = document.documentElement.dataset;
  if (mode === 'live') return '';
  return t(feed === 'live' ? 'shell.livePrices' : 'shell.demo').replace('\n', ' ');
}

/** What the picture of a receipt says, all from the receipt; null for one that does not hold. */
function usePicture(orderId: string, checked: CheckedReceipt): Picture | null {
  const { t, tag } = useText();
  const terms = checked.report.shown?.terms;
  if (!terms || !isProved(checked)) return null;
  const { outcome } = checked.receipt;
  const price = (value: string | null) => (value === null ? '–' : formatPrice(value));
  const amount = (value: string) => `${formatAmount(value)} ${terms.asset}`;
  return {
    brand: 'Fairtick',
    mark: demoMark(t),
    title: resultText(outcome, t),
    verdict: t('receipt.valid'),
    facts: [
      [terms.symbol, t(`trade.${terms.direction}`)],
      [t('orders.cycle'), t('ticket.cycleTime', { minutes: terms.minutes })],
      [t('orders.stake'), amount(terms.amount)],
      [t('orders.credited'), amount(outcome.payout)],
      [t('evidence.open'), price(outcome.openPrice)],
      [t('orders.settlePrice'), price(outcome.settlePrice)],
      [t('receipt.settledAt'), formatDateTime(terms.settlesAt, tag)],
    ],
    foot: [
      `${t('orders.number', { id: orderId })} · ${checked.keys === 'example' ? t('sample.example') : location.host}`,
      t('receipt.checkedAt', { time: formatDateTime(checked.checkedAtMs, tag) }),
      t('receipt.pictureNote'),
    ],
  };
}
