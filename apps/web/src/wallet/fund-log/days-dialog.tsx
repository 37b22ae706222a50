import { Button, DateInput, Field } from '@fairtick/ui';
import { useState } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { Dialog } from '../../shell/dialog.tsx';
import { type Faults, faultWords } from '../parts/fault.ts';
import css from '../parts/records.module.css';
import { errors, type LogFilter } from './fund-log-model.ts';

type Days = Pick<LogFilter, 'from' | 'to'>;

/** Chooses a range of days. */
export function DaysDialog(props: {
  isOpen: boolean;
  filter: LogFilter;
  onChoose: (days: Days) => void;
  onClose: () => void;
}) {
  const { t } = useText();
  return (
    <Dialog title={t('log.period')} isOpen={props.isOpen} onClose={props.onClose}>
      <DaysForm first={props.filter} onChoose={props.onChoose} />
    </Dialog>
  );
}

function DaysForm({ first, onChoose }: { first: Days; onChoose: (days: Days) => void }) {
  const { t } = useText();
  const [days, setDays] = useState<Days>({ from: first.from, to: first.to });
  const [faults, setFaults] = useState<Faults<'from' | 'to'>>({});
  return (
    <form
      className={css.dialogForm}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const found = errors(days);
        setFaults(found);
        if (Object.keys(found).length === 0) onChoose(days);
      }}
    >
      {(['from', 'to'] as const).map((field) => (
        <Field key={field} label={t(`log.${field}`)} fault={faultWords(faults[field], t)}>
          {(ids) => (
            <DateInput
              {...ids}
              type="date"
              value={days[field]}
              onChange={(event) => {
                setFaults({});
                setDays({ ...days, [field]: event.target.value });
              }}
            />
          )}
        </Field>
      ))}
      <Button type="submit" look="gold" isBlock>
        {t('log.showDays')}
      </Button>
    </form>
  );
}
