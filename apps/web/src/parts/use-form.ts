import { type FormOptions, useForm as useFormWith } from '@fairtick/ui/use-form';
import { NetworkError } from '../api/client.ts';
import { faultText } from '../api/tell-fault.ts';
import type { MessageId } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { useToast } from '../state/toast.ts';
import type { Fault } from '../state/typed-amount.ts';

export type { Fault };
/** Faults of a form by field. The server checks the same and decides. */
export type Faults<F extends string, Kind extends MessageId | Fault = MessageId> = Partial<Record<F, Kind>>;

export function blank<F extends string>(
  values: Readonly<Record<NoInfer<F>, string>>,
  messages: Readonly<Record<F, MessageId>>,
): Faults<F> {
  const names = Object.keys(messages) as F[];
  const found = names.filter((name) => values[name].trim() === '').map((name) => [name, messages[name]]);
  return Object.fromEntries(found) as Faults<F>;
}

/** The form hook with the app's texts. By default a failure without a field is shown as a toast. */
export function useForm<
  Values extends object = Record<never, string>,
  F extends string = keyof Values & string,
>(options: FormOptions<Values, F, MessageId | Fault> = {}) {
  const { t } = useText();
  return useFormWith<Values, F, MessageId | Fault>(
    {
      ofError: (error) =>
        options.shows === 'all' && error instanceof NetworkError ? t('form.noAnswer') : faultText(error, t),
      ofFault: (fault) => (typeof fault === 'string' ? t(fault) : t(fault.id, fault.values)),
      ofFaults: (faults) => (faults.includes('fault.required') ? t('fault.formIncomplete') : null),
      show: (text) => useToast.getState().show(text, { isFault: true }),
    },
    { shows: 'none', ...options },
  );
}
