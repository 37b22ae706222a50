import { useRef, useState } from 'react';
import { NetworkError, RefusedError } from '../api/client.ts';
import { faultText } from '../api/tell-fault.ts';
import type { MessageId } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { useToast } from '../state/toast.ts';
import { showFault } from './show-fault.ts';

interface SubmitEvent {
  preventDefault(): void;
  readonly currentTarget: HTMLElement;
}

/** Sends a form: checks it, sends it once, and shows a refusal at the field concerned. Typed text stays after a failure. */
export function useForm<F extends string>(options: {
  check: () => Partial<Record<F, MessageId>>;
  send: () => Promise<void>;
  /** Shows a fault without a field above the button until the next try ({@link failure}) instead of in a toast. */
  staysInForm?: boolean;
}) {
  const { t } = useText();
  const [isBusy, setBusy] = useState(false);
  const [own, setOwn] = useState<Partial<Record<string, MessageId>>>({});
  const [theirs, setTheirs] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<string | null>(null);
  // A ref, because state is updated too late to stop a second tap at the same moment.
  const isSending = useRef(false);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isSending.current) return;
    const element = event.currentTarget;
    const faults = options.check();
    const isIncomplete = Object.values(faults).includes('fault.required');
    const draw = () => {
      setOwn(faults);
      setTheirs({});
      setFailure(isIncomplete ? t('fault.formIncomplete') : null);
    };
    if (Object.keys(faults).length > 0) return showFault(element, draw);
    draw();
    isSending.current = true;
    setBusy(true);
    try {
      await options.send();
    } catch (error) {
      const text = faultText(error, t);
      if (error instanceof RefusedError && Object.keys(error.fields).length > 0) {
        showFault(element, () => {
          setTheirs(error.fields);
          setBusy(false);
        });
      } else if (text !== null && options.staysInForm) {
        setFailure(error instanceof NetworkError ? t('form.noAnswer') : text);
      } else if (text !== null) useToast.getState().show(text, { isFault: true });
    } finally {
      isSending.current = false;
      setBusy(false);
    }
  };
  const faultOf = (field: F): string | null => {
    const id = own[field];
    return theirs[field] ?? (id ? t(id) : null);
  };
  /** Called when the reader edits a field: removes that field's fault only. */
  const clear = (field: F) => {
    setOwn(({ [field]: _mended, ...rest }) => rest as Partial<Record<string, MessageId>>);
    setTheirs(({ [field]: _mended, ...rest }) => rest as Readonly<Record<string, string>>);
  };
  return { submit, isBusy, faultOf, clear, failure };
}
