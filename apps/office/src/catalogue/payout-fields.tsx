import type { ReactNode } from 'react';
import { useText } from '../messages/text-context.tsx';
import { Action } from '../shell/form.tsx';
import { CellField } from '../shell/number-fields.tsx';
import css from './catalogue.module.css';
import { type Draft, draftOf, isChanged, stepsOf } from './propose-model.ts';
import type { Rules } from './queries.ts';

/** The database takes no more. */
const MAX_CYCLES = 12;
/** Row keys: a row has no other identity than its place, and rows never move. */
const PLACES = Array.from({ length: MAX_CYCLES }, (_, place) => `row-${place}`);

type Limit = Draft['limits'][number];

interface Props {
  readonly draft: Draft;
  /** The rules that the form started from. */
  readonly rules: Rules;
  readonly onChange: (changes: Partial<Draft>) => void;
}

/** Cycles with their payout rates, and the limits of stakes. */
export function PayoutFields({ draft, rules, onChange }: Props) {
  const { t } = useText();
  const setCycle = (place: number, changes: Partial<Draft['cycles'][number]>) =>
    onChange({ cycles: draft.cycles.map((row, at) => (at === place ? { ...row, ...changes } : row)) });
  const setLimit = (asset: string, changes: Partial<Draft['limits'][number]>) =>
    onChange({ limits: draft.limits.map((row) => (row.asset === asset ? { ...row, ...changes } : row)) });
  const steps = stepsOf(draft.limits);
  const before = draftOf(rules);
  const was = useWas();
  return (
    <>
      <fieldset className={`box ${css.group}`}>
        <legend>{t('catalogue.payouts')}</legend>
        <FieldTable heads={[t('customer.cycle'), t('catalogue.rateBounds')]}>
          {draft.cycles.map((cycle, place) => (
            <tr key={PLACES[place]}>
              <td>
                <CellField
                  label={t('catalogue.minutes')}
                  unit={t('catalogue.min')}
                  {...was(cycle.minutes, before.cycles[place]?.minutes)}
                  isWhole
                  value={cycle.minutes}
                  onChange={(event) => setCycle(place, { minutes: event.target.value })}
                />
              </td>
              <td>
                <CellField
                  label={t('catalogue.rateOf', { minutes: cycle.minutes })}
                  unit="%"
                  {...was(cycle.percent, before.cycles[place]?.percent)}
                  value={cycle.percent}
                  onChange={(event) => setCycle(place, { percent: event.target.value })}
                />
              </td>
            </tr>
          ))}
        </FieldTable>
        <Action
          size="small"
          disabled={draft.cycles.length >= MAX_CYCLES}
          onClick={() => onChange({ cycles: [...draft.cycles, { minutes: '', percent: '' }] })}
        >
          {t('catalogue.addCycle')}
        </Action>
        <p className={css.quiet}>{t('catalogue.cyclesHint')}</p>
      </fieldset>
      <fieldset className={`box ${css.group}`}>
        <legend>{t('catalogue.limits')}</legend>
        <FieldTable
          heads={[
            t('catalogue.asset'),
            t('part.minBalance'),
            t('part.minPurchase'),
            ...steps.map((minutes) => t('catalogue.maxUpTo', { minutes })),
          ]}
        >
          {draft.limits.map((limit) => (
            <LimitRow
              key={limit.asset}
              limit={limit}
              before={before.limits.find(({ asset }) => asset === limit.asset)}
              steps={steps}
              onChange={(changes) => setLimit(limit.asset, changes)}
            />
          ))}
        </FieldTable>
      </fieldset>
    </>
  );
}

/** The old value of a changed field, in words. */
function useWas() {
  const { t } = useText();
  return (typed: string, before: string | undefined) =>
    isChanged(typed, before) ? { was: t('catalogue.was', { value: before ?? t('catalogue.absent') }) } : {};
}

/** Fields in rows below one row of labels. */
function FieldTable({ heads, children }: { heads: readonly string[]; children: ReactNode }) {
  return (
    <table className={css.fields}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

function LimitRow(props: {
  limit: Limit;
  before: Limit | undefined;
  steps: readonly string[];
  onChange: (changes: Partial<Limit>) => void;
}) {
  const { t } = useText();
  const { limit, before, steps, onChange } = props;
  const { asset } = limit;
  const was = useWas();
  const stepOf = (one: Limit | undefined, minutes: string) =>
    one?.max.find(({ upToMinutes }) => upToMinutes === minutes);
  return (
    <tr>
      <th scope="row">
        {asset} <span className={css.scale}>{t('catalogue.scaleOf', { n: limit.scale })}</span>
      </th>
      {(['minBalance', 'minPurchase'] as const).map((name) => (
        <td key={name}>
          <CellField
            label={`${t(`part.${name}`)} · ${asset}`}
            {...was(limit[name], before?.[name])}
            value={limit[name]}
            onChange={(event) => onChange({ [name]: event.target.value })}
          />
        </td>
      ))}
      {steps.map((minutes) => {
        const step = stepOf(limit, minutes);
        return (
          <td key={minutes}>
            {step && (
              <CellField
                label={t('catalogue.maxOf', { asset, minutes })}
                {...was(step.amount, stepOf(before, minutes)?.amount)}
                value={step.amount}
                onChange={(event) =>
                  onChange({
                    max: limit.max.map((one) =>
                      one === step ? { ...one, amount: event.target.value } : one,
                    ),
                  })
                }
              />
            )}
          </td>
        );
      })}
    </tr>
  );
}
