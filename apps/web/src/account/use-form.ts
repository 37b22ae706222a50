import { useState } from 'react';
import { RefusedError } from '../api/client.ts';
import { faultText } from '../api/tell-fault.ts';
import type { MessageId } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { useToast } from '../state/toast.ts';

/**
 * A form's sending: checked first, sent once, and what the server refuses is shown where it belongs. What was typed stays
 * whatever happens.
 */
export function useForm<F extends string>(options: {
  check: () => Partial<Record<F, MessageId>>;
  send: () => Promise<void>;
}) {
  const { t } = useText();
  const [isBusy, setBusy] = useState(false);
  const [own, setOwn] = useState<Partial<Record<string, MessageId>>>({});
  const [theirs, setTheirs] = useState<Readonly<Record<string, string>>>({});

  const submit = async (event: { preventDefault: () => void }) => {
    event.preventDefault();
    if (isBusy) return;
    const faults = options.check();
    setOwn(faults);
    setTheirs({});
    if (Object.keys(faults).length > 0) return;
    setBusy(true);
    try {
      await options.send();
    } catch (error) {
      const text = faultText(error, t);
      if (error instanceof RefusedError && Object.keys(error.fields).length > 0) setTheirs(error.fields);
      else if (text !== null) useToast.getState().show(text, { isFault: true });
    } finally {
      setBusy(false);
    }
  };
  const faultOf = (field: F): string | null => {
    const id = own[field];
    return theirs[field] ?? (id ? t(id) : null);
  };
  /** The reader mends a field: its fault goes, others stay. */
  const clear = (field: F) => {
    setOwn(({ [field]: _mended, ...rest }) => rest as Partial<Record<string, MessageId>>);
    setTheirs(({ [field]: _mended, ...rest }) => rest as Readonly<Record<string, string>>);
  };
  return { submit, isBusy, faultOf, clear };
}
