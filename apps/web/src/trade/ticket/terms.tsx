import { Fact, Facts } from '@fairtick/ui';
import { useState } from 'react';
import { priceNow, useRow } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { formatPrice, formatPublic, formatShare, formatSignedPublic } from '../../state/format.ts';
import css from './ticket.module.css';
import type { TicketSummary } from './ticket-model.ts';

/** A column that is lower than this has no room for the terms beside all else. */
const ROOMY = '(min-height: 55em)';

interface TermsProps {
  readonly symbol: string;
  readonly asset: string;
  readonly summary: TicketSummary;
  readonly layout: 'sheet' | 'column';
}

/** Everything else that follows from the fields; the bounds are folded away where there is little room. */
export function Terms({ symbol, asset, summary, layout }: TermsProps) {
  const { t } = useText();
  const price = priceNow(useRow(symbol));
  const [isOpen] = useState(() => layout === 'column' && matchMedia(ROOMY).matches);
  const { limits } = summary;
  const amount = (value: string | undefined) => (value === undefined ? '–' : formatPublic(value));
  return (
    <>
      <Facts className={css.derived ?? ''} columns={1}>
        <Fact name={t('ticket.averagePrice')}>{price ? formatPrice(price) : '–'}</Fact>
        <Fact name={t('ticket.expectedIncome')}>{incomeText(summary)}</Fact>
        <Fact name={t('ticket.deposit')}>
          {summary.income === null || summary.amount === null
            ? formatShare(1)
            : `${amount(summary.amount)} ${asset}`}
        </Fact>
      </Facts>
      <details open={isOpen}>
        <summary className="unfolds row text-12 ink-2 py-12">{t('ticket.details')}</summary>
        <Facts className={css.terms ?? ''} columns={layout === 'column' ? 1 : 2}>
          <Fact name={t('ticket.minBalance')}>{amount(limits?.minBalance)}</Fact>
          <Fact name={t('ticket.minPurchase')}>{amount(limits?.minPurchase)}</Fact>
          <Fact name={t('ticket.maxPurchase')}>
            {limits?.maxPurchase === null ? t('ticket.unlimited') : amount(limits?.maxPurchase)}
          </Fact>
        </Facts>
      </details>
    </>
  );
}

/** Until there is a stake that the ticket takes, the income is a share of it. */
const incomeText = ({ income, payoutRate }: TicketSummary): string => {
  if (income !== null) return formatSignedPublic(income);
  return payoutRate === null ? '–' : `+${formatShare(payoutRate)}`;
};
