import { useText } from '../../messages/text-context.tsx';
import { formatAmount } from '../../state/format.ts';
import css from './ticket.module.css';
import type { TicketSummary } from './ticket-model.ts';

/** What comes back in each case, the stake included. Shown before anything is confirmed. */
export function Outcomes({ summary, asset }: { summary: TicketSummary; asset: string }) {
  const { t } = useText();
  const money = (value: string | null) => (value === null ? '–' : formatAmount(value));
  const cases = [
    [t('ticket.ifRight'), money(summary.ifRight)],
    [t('ticket.ifWrong'), money(summary.ifWrong)],
    [t('ticket.ifEven'), money(summary.ifEven)],
    [t('ticket.ifVoid'), money(summary.ifVoid)],
  ] as const;
  return (
    <section className={css.outcomes} aria-label={t('ticket.comesBack', { asset })}>
      <p>{t('ticket.comesBack', { asset })}</p>
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
