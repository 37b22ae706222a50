import { Button, DateInput, Field } from '@fairtick/ui';
import { useText } from '../../messages/text-context.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useForm } from '../../parts/use-form.ts';
import { errors, type LogFilter } from './fund-log-model.ts';

type Days = Pick<LogFilter, 'from' | 'to'>;

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
  const form = useForm({ values: { from: first.from, to: first.to }, check: errors });
  const days = form.values;
  return (
    <form className="stack gap-16 mt-4" noValidate onSubmit={form.onSubmit(async () => onChoose(days))}>
      {(['from', 'to'] as const).map((field) => (
        <Field key={field} label={t(`log.${field}`)} fault={form.faultOf(field)}>
          {(ids) => (
            <DateInput
              {...ids}
              type="date"
              value={days[field]}
              onChange={(event) => form.set({ ...days, [field]: event.target.value })}
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
