import { useText } from '../../messages/text-context.tsx';
import { formatPublic, formatShare } from '../../state/format.ts';
import css from './ticket.module.css';
import { backShares, type TicketSummary } from './ticket-model.ts';

/** The returns in each case, with the stake; as shares of the stake until an amount is typed. Shown before anything is confirmed. */
export function Outcomes({ summary, asset }: { summary: TicketSummary; asset: string }) {
  const { t } = useText();
  const shares = backShares(summary.payoutRate);
  const back = (value: string | null, share: number | null) =>
    value !== null ? formatPublic(value) : share !== null ? formatShare(share) : '–';
  const cases = [
    [t('ticket.ifRight'), back(summary.ifRight, shares.ifRight)],
    [t('ticket.ifWrong'), back(summary.ifWrong, shares.ifWrong)],
    [t('ticket.ifEven'), back(summary.ifEven, shares.ifEven)],
    [t('ticket.ifUnlogged'), back(summary.ifUnlogged, shares.ifUnlogged)],
  ] as const;
  const title = summary.ifRight === null ? t('ticket.comesBackShare') : t('ticket.comesBack', { asset });
  return (
    <section className={`caption mt-8 ${css.outcomes}`} aria-label={title}>
      <p>{title}</p>
      <dl>
        {cases.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd translate="no">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
