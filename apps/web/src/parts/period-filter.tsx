import { Button, DateInput, Field } from '@fairtick/ui';
import { useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { dayOf } from '../state/format.ts';
import { Dialog } from './dialog.tsx';
import { FilterChip } from './filter-chip.tsx';
import { type Days, errors, type Period } from './period.ts';
import { useForm } from './use-form.ts';

/** The chosen range is an option of its own, so that selecting "choose days" again is a change. */
const CHOSEN = 'chosen';
type PeriodOption = { readonly value: Period['period'] | typeof CHOSEN; readonly label: string };

/** A choice of days, with a dialog for two dates. Its texts are in the catalogue `wallet`. */
export function PeriodFilter({
  value,
  onChange,
}: {
  value: Period;
  onChange: (period: Partial<Period>) => void;
}) {
  const { t, tag } = useText();
  const [isOpen, setOpen] = useState(false);
  const isChosen = value.period === 'custom';
  const options: readonly PeriodOption[] = [
    ...(['all', 'today', 'week', 'month', 'lastMonth'] as const).map((period) => ({
      value: period,
      label: t(`log.period.${period}`),
    })),
    ...(isChosen ? [{ value: CHOSEN, label: formatDays(value, tag) } as const] : []),
    { value: 'custom', label: t('log.period.custom') },
  ];
  return (
    <>
      <FilterChip
        label={t('log.period')}
        value={isChosen ? CHOSEN : value.period}
        options={options}
        onChange={(period) => {
          if (period === 'custom') setOpen(true);
          else if (period !== CHOSEN) onChange({ period });
        }}
      />
      <Dialog title={t('log.period')} isOpen={isOpen} onClose={() => setOpen(false)}>
        <DaysForm
          first={value}
          onChoose={(days) => {
            onChange({ period: 'custom', ...days });
            setOpen(false);
          }}
        />
      </Dialog>
    </>
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

/**
 * A range of days (`2026-11-19`, as date fields write them) in the reader's language: Nov 1 – 19. Other years than this one are
 * shown.
 */
function formatDays({ from, to }: Days, tag: string): string {
  const days = [from, to].map(Date.parse) as [number, number];
  const thisYear = dayOf(Date.now()).slice(0, 4);
  const year = [from, to].every((day) => day.startsWith(thisYear)) ? undefined : 'numeric';
  return new Intl.DateTimeFormat(tag, { year, month: 'short', day: 'numeric', timeZone: 'UTC' }).formatRange(
    ...days,
  );
}
