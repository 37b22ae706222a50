import { useId } from 'react';
import { useText } from '../messages/text-context.tsx';
import { TextField } from '../shell/form.tsx';
import { AmountField } from '../shell/number-fields.tsx';
import css from './catalogue.module.css';
import { LicencedSources } from './licenced-sources.tsx';
import { type Draft, draftOf, isChanged, NUMBERS } from './propose-model.ts';
import type { Rules } from './queries.ts';

/** The rules for prices, and the trading hours. */
export function FeedFields({
  draft,
  rules,
  onChange,
}: {
  draft: Draft;
  /** The rules that the form started from; the feed sets a source's licence class. */
  rules: Rules;
  onChange: (changes: Partial<Draft>) => void;
}) {
  const { t } = useText();
  const before = draftOf(rules);
  return (
    <>
      <fieldset className={`box ${css.group}`}>
        <legend>{t('catalogue.prices')}</legend>
        <TextField
          label={t('part.sources')}
          hint={t('catalogue.sourcesHint')}
          value={draft.sources}
          onChange={(event) => onChange({ sources: event.target.value })}
        />
        <p className={css.quiet}>
          {t('part.licences')}: <LicencedSources rules={rules} />
        </p>
        <div className={`columns-fit items-start full gap-12 ${css.row}`}>
          {NUMBERS.map((name) => (
            <AmountField
              key={name}
              label={t(`part.${name}`)}
              isWhole
              hint={
                isChanged(draft[name], before[name]) ? t('catalogue.was', { value: before[name] }) : undefined
              }
              value={draft[name]}
              onChange={(event) => onChange({ [name]: event.target.value })}
            />
          ))}
        </div>
      </fieldset>
      <fieldset className={`box ${css.group}`}>
        <legend>{t('catalogue.sessions')}</legend>
        <TextField
          label={t('part.zone')}
          value={draft.zone}
          onChange={(event) => onChange({ zone: event.target.value })}
        />
        <TextField
          label={t('part.until')}
          hint={t('catalogue.untilHint')}
          value={draft.until}
          onChange={(event) => onChange({ until: event.target.value })}
        />
        <div className={`columns-fit items-start full gap-12 ${css.row}`}>
          <Lines
            label={t('part.windows')}
            hint={t('catalogue.windowsHint')}
            value={draft.windows}
            onChange={(windows) => onChange({ windows })}
          />
          <Lines
            label={t('part.holidays')}
            hint={t('catalogue.holidaysHint')}
            value={draft.holidays}
            onChange={(holidays) => onChange({ holidays })}
          />
        </div>
      </fieldset>
    </>
  );
}

function Lines(props: { label: string; hint: string; value: string; onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div className={`stack gap-6 ${css.lines}`}>
      <label className="secondary" htmlFor={id}>
        {props.label}
      </label>
      <textarea
        className="framed"
        data-code
        id={id}
        rows={6}
        value={props.value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => props.onChange(event.target.value)}
      />
      <p id={`${id}-hint`} className={css.quiet}>
        {props.hint}
      </p>
    </div>
  );
}
