import type { Protection } from '@fairtick/protocol';
import { Button, RadioOption } from '@fairtick/ui';
import { useState } from 'react';
import { post } from '../api/client.ts';
import { serverNow, useSecond } from '../live/clock.ts';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { useForm } from '../parts/use-form.ts';
import { formatMoment } from '../state/format.ts';
import { BREAK_HOURS, EXCLUSION_MONTHS, endOf } from './limits-model.ts';
import css from './protection.module.css';

const HOURS_A_DAY = 24;
const DAYS_A_WEEK = 7;
const MONTHS_A_YEAR = 12;

/** Chooses the length, and needs two taps, because a break or exclusion can't be ended early. */
export function BreakForm(props: { kind: 'break' | 'exclusion'; onDone: (protection: Protection) => void }) {
  const { kind, onDone } = props;
  const { t, tag } = useText();
  const choices: readonly string[] = (kind === 'break' ? BREAK_HOURS : EXCLUSION_MONTHS).map(String);
  const [value, setValue] = useState(choices[0] as string);
  const [isArmed, setArmed] = useState(false);
  useSecond();
  const until = endOf(kind === 'break' ? { hours: Number(value) } : { months: monthsOf(value) }, serverNow());
  const form = useForm();
  const send = async () =>
    onDone(
      kind === 'break'
        ? await post('protection/takeBreak', { hours: value })
        : await post('protection/selfExclude', { months: value }),
    );
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        if (isArmed) return form.onSubmit(send)(event);
        event.preventDefault();
        setArmed(true);
      }}
    >
      <p className="secondary mt-4">{t(kind === 'break' ? 'limits.breakNote' : 'limits.excludeNote')}</p>
      <fieldset className="thirds gap-8">
        <legend className="sr">{t('limits.howLong')}</legend>
        {choices.map((choice) => (
          <RadioOption
            key={choice}
            className="option"
            name={`length-${kind}`}
            value={choice}
            isChecked={choice === value}
            onChange={() => {
              setValue(choice);
              setArmed(false);
            }}
          >
            {kind === 'break' ? hoursText(Number(choice), t) : monthsText(monthsOf(choice), t)}
          </RadioOption>
        ))}
      </fieldset>
      <p role="status">
        {until === null ? t('limits.untilNever') : t('limits.until', { time: formatMoment(until, tag) })}
      </p>
      <Button type="submit" look={isArmed ? 'gold' : 'line'} decides={isArmed} isBlock disabled={form.isBusy}>
        {isArmed ? t('limits.beginAgain') : t('limits.begin')}
      </Button>
    </form>
  );
}

const monthsOf = (value: string): number | 'forever' => (value === 'forever' ? value : Number(value));

function hoursText(hours: number, t: Text['t']): string {
  if (hours === HOURS_A_DAY) return t('limits.h24');
  const days = hours / HOURS_A_DAY;
  return days % DAYS_A_WEEK === 0
    ? t('limits.weeks', { count: days / DAYS_A_WEEK })
    : t('limits.days', { count: days });
}

function monthsText(months: number | 'forever', t: Text['t']): string {
  if (months === 'forever') return t('limits.forever');
  return months % MONTHS_A_YEAR === 0
    ? t('limits.years', { count: months / MONTHS_A_YEAR })
    : t('limits.months', { count: months });
}
