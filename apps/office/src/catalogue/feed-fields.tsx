import { useText } from '../messages/text-context.tsx';
import { LongField, TextField } from '../shell/form.tsx';
import { AmountField } from '../shell/number-fields.tsx';
import css from './catalogue.module.css';
import { LicencedSources } from './licenced-sources.tsx';
import { type Draft, draftOf, isChanged, NUMBERS } from './propose-model.ts';
import type { Rules } from './queries.ts';

interface Props {
  readonly draft: Draft;
  /** The rules that the form started from; the feed sets a source's licence class. */
  readonly rules: Rules;
  readonly onChange: (changes: Partial<Draft>) => void;
}

/** The rules for prices, and the trading hours. */
export function FeedFields(props: Props) {
  return (
    <>
      <PriceFields {...props} />
      <HourFields {...props} />
    </>
  );
}

function PriceFields({ draft, rules, onChange }: Props) {
  const { t } = useText();
  const before = draftOf(rules);
  return (
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
  );
}

function HourFields({ draft, onChange }: Props) {
  const { t } = useText();
  return (
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
        <LongField
          label={t('part.windows')}
          hint={t('catalogue.windowsHint')}
          rows={6}
          isCode
          value={draft.windows}
          onChange={(event) => onChange({ windows: event.target.value })}
        />
        <LongField
          label={t('part.holidays')}
          hint={t('catalogue.holidaysHint')}
          rows={6}
          isCode
          value={draft.holidays}
          onChange={(event) => onChange({ holidays: event.target.value })}
        />
      </div>
    </fieldset>
  );
}
