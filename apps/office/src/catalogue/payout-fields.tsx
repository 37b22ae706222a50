import { useText } from '../messages/text-context.tsx';
import { Action, TextField } from '../shell/form.tsx';
import css from './catalogue.module.css';
import type { Draft } from './propose-model.ts';

/** The database takes no more. */
const MAX_CYCLES = 12;
/** Row keys: a row has no other identity than its place, and rows never move. */
const PLACES = Array.from({ length: MAX_CYCLES }, (_, place) => `row-${place}`);

interface Props {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
}

/** Cycles with their payout rates, and the limits of stakes. */
export function PayoutFields({ draft, onChange }: Props) {
  const { t } = useText();
  const setCycle = (place: number, changes: Partial<Draft['cycles'][number]>) =>
    onChange({ cycles: draft.cycles.map((row, at) => (at === place ? { ...row, ...changes } : row)) });
  const setLimit = (asset: string, changes: Partial<Draft['limits'][number]>) =>
    onChange({ limits: draft.limits.map((row) => (row.asset === asset ? { ...row, ...changes } : row)) });
  return (
    <>
      <fieldset className={css.group}>
        <legend>{t('catalogue.payouts')}</legend>
        {draft.cycles.map((cycle, place) => (
          <div key={PLACES[place]} className={css.row}>
            <TextField
              label={t('catalogue.minutes')}
              inputMode="numeric"
              value={cycle.minutes}
              onChange={(event) => setCycle(place, { minutes: event.target.value })}
            />
            <TextField
              label={t('catalogue.rateBounds')}
              inputMode="decimal"
              value={cycle.payoutRate}
              onChange={(event) => setCycle(place, { payoutRate: event.target.value })}
            />
          </div>
        ))}
        <Action
          size="small"
          disabled={draft.cycles.length >= MAX_CYCLES}
          onClick={() => onChange({ cycles: [...draft.cycles, { minutes: '', payoutRate: '' }] })}
        >
          {t('catalogue.addCycle')}
        </Action>
        <p className={css.quiet}>{t('catalogue.cyclesHint')}</p>
      </fieldset>
      <fieldset className={css.group}>
        <legend>{t('catalogue.limits')}</legend>
        {draft.limits.map((limit) => (
          <div key={limit.asset} className={css.row}>
            <b>
              {limit.asset} <small className={css.quiet}>{t('catalogue.scaleOf', { n: limit.scale })}</small>
            </b>
            <TextField
              label={t('part.minBalance')}
              inputMode="decimal"
              value={limit.minBalance}
              onChange={(event) => setLimit(limit.asset, { minBalance: event.target.value })}
            />
            <TextField
              label={t('part.minPurchase')}
              inputMode="decimal"
              value={limit.minPurchase}
              onChange={(event) => setLimit(limit.asset, { minPurchase: event.target.value })}
            />
            {limit.max.map((step) => (
              <TextField
                key={step.upToMinutes}
                label={t('catalogue.maxUpTo', { minutes: step.upToMinutes })}
                inputMode="decimal"
                value={step.amount}
                onChange={(event) =>
                  setLimit(limit.asset, {
                    max: limit.max.map((one) =>
                      one.upToMinutes === step.upToMinutes ? { ...one, amount: event.target.value } : one,
                    ),
                  })
                }
              />
            ))}
          </div>
        ))}
      </fieldset>
    </>
  );
}
