import { useId, useState } from 'react';
import { useText } from '../../../messages/text-context.tsx';
import { areLengths, boundsOf, type ChartSettings, STUDIES, type Study } from '../plot/chart-settings.ts';
import css from './tools.module.css';

export function StudyChoices(props: {
  settings: ChartSettings;
  onChange: (change: Partial<ChartSettings>) => void;
}) {
  const { settings, onChange } = props;
  const { t } = useText();
  const { studies, lengths } = settings;
  const toggle = (study: Study) =>
    onChange({ studies: STUDIES.filter((one) => studies.includes(one) !== (one === study)) });
  return (
    <fieldset className={`stack text-15 ${css.studies}`}>
      <legend>{t('chart.studies')}</legend>
      {STUDIES.map((study) => (
        <div className="line-below" key={study}>
          <label>
            <input type="checkbox" checked={studies.includes(study)} onChange={() => toggle(study)} />
            {t(`chart.${study}`)}
          </label>
          {studies.includes(study) && (
            <Numbers
              study={study}
              values={lengths[study]}
              onChange={(values) => onChange({ lengths: { ...lengths, [study]: values } })}
            />
          )}
        </div>
      ))}
    </fieldset>
  );
}

/** Numbers that can't be used stay in the fields with the reason, and the chart keeps the last good ones. */
function Numbers(props: {
  study: Study;
  values: readonly number[];
  onChange: (values: readonly number[]) => void;
}) {
  const { study, values, onChange } = props;
  const { t } = useText();
  const id = useId();
  const [typed, setTyped] = useState(() => values.map(String));
  const change = (at: number, text: string) => {
    const next = typed.map((one, place) => (place === at ? text : one));
    setTyped(next);
    const numbers = next.map(numberOf);
    if (areLengths(study, numbers)) onChange(numbers);
  };
  const isBad = !areLengths(study, typed.map(numberOf));
  return (
    <>
      <p className={`flex gap-8 ${css.numbers}`}>
        {typed.map((text, at) => {
          const { least, most, step } = boundsOf(study, at);
          return (
            <input
              className="framed ink"
              key={at}
              type="number"
              inputMode="decimal"
              {...{ min: least, max: most, step }}
              aria-label={t('chart.number', { study: t(`chart.${study}`), at: at + 1 })}
              aria-invalid={isBad || undefined}
              aria-describedby={id}
              value={text}
              onChange={(event) => change(at, event.target.value)}
            />
          );
        })}
      </p>
      <p id={id} role="alert" className={`text-12 bad ${css.numbersFault}`}>
        {isBad &&
          t(
            study === 'macd' ? 'chart.numbersMacd' : study === 'boll' ? 'chart.numbersBoll' : 'chart.numbers',
          )}
      </p>
    </>
  );
}

const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
