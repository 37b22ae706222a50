import type { ProductDetail } from '@fairtick/protocol';
import { Fact, Facts } from '@fairtick/ui';
import { useId } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { formatShare, formatTime } from '../../state/format.ts';
import css from './ticket.module.css';
import type { TicketSummary } from './ticket-model.ts';

/** Shown until the product's cycles are loaded, to avoid a layout shift. */
const USUAL = [1, 3, 5, 15, 30, 60];

export function CycleChoice(props: {
  /** Null until the product is loaded. */
  cycles: ProductDetail['cycles'] | null;
  minutes: number;
  settlesAtMs: number;
  odds: Pick<TicketSummary, 'breakEven' | 'edge'>;
  onChange: (minutes: number) => void;
}) {
  const { t, tag } = useText();
  const id = useId();
  const share = (value: number | null) => (value === null ? '–' : formatShare(value, 1));
  const cycles = props.cycles ?? USUAL.map((minutes) => ({ minutes, payoutRate: null }));
  const nameOf = ({ minutes, payoutRate }: (typeof cycles)[number]) => {
    if (payoutRate === null) return t('ticket.cycleTime', { minutes });
    return t('ticket.cycleName', { minutes, percent: Math.round(Number(payoutRate) * 100) });
  };
  return (
    <fieldset className={`mt-12 ${css.cycles}`} aria-labelledby={id}>
      {/* No legend: the time changes every second, and a group's name is read out with each choice. */}
      <p className={`caption flex between full gap-12 ${css.head}`}>
        <span id={id}>{t('ticket.cycles')}</span>
        <span>{t('ticket.settlesAt', { time: formatTime(props.settlesAtMs, tag) })}</span>
      </p>
      <div>
        {cycles.map((cycle) => (
          <label
            key={cycle.minutes}
            className={`option ${css.cycle}`}
            data-checked={cycle.minutes === props.minutes || undefined}
          >
            <input
              type="radio"
              className="cover"
              name="minutes"
              value={cycle.minutes}
              aria-label={nameOf(cycle)}
              checked={cycle.minutes === props.minutes}
              onChange={() => props.onChange(cycle.minutes)}
            />
            <b aria-hidden="true">{cycle.minutes}</b>
            <span aria-hidden="true">
              {cycle.payoutRate === null ? ' ' : formatShare(Number(cycle.payoutRate))}
            </span>
          </label>
        ))}
      </div>
      <Facts className={css.odds ?? ''} columns={2}>
        <Fact name={t('ticket.breakEven')}>{share(props.odds.breakEven)}</Fact>
        <Fact name={t('ticket.edge')}>{share(props.odds.edge)}</Fact>
      </Facts>
    </fieldset>
  );
}
