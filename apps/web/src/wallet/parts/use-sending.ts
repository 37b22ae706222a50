import { useRef, useState } from 'react';
import { showFault } from '../../account/show-fault.ts';
import { NetworkError, RefusedError } from '../../api/client.ts';
import { faultText } from '../../api/tell-fault.ts';
import { useText } from '../../messages/text-context.tsx';
import { useToast } from '../../state/toast.ts';
import { keyFor } from './draft.ts';
import { type Faults, faultWords } from './fault.ts';

/**
 * Sends a form that moves money. A second tap during a call does nothing. Without an answer it is unknown whether the form
 * arrived: the same content is sent again under the same key, also after leaving the screen, so that it counts once. Typed text
 * stays.
 */
export function useSending<F extends string>(options: {
  /** Name of the form's draft; `send` deletes the draft after success. */
  readonly name: string;
  /**
   * Everything that would be sent, as one text, without passwords. Different content is a different request. Kept with the draft.
   */
  readonly content: string;
  readonly check: () => Faults<F>;
  readonly send: (key: string) => Promise<void>;
}) {
  const { t } = useText();
  const [state, setState] = useState<'ready' | 'sending' | 'unknown'>('ready');
  const [own, setOwn] = useState<Faults<F>>({});
  const [theirs, setTheirs] = useState<Readonly<Record<string, string>>>({});
  const isSending = useRef(false);

  const submit = async (event: { preventDefault: () => void; readonly currentTarget: Element }) => {
    event.preventDefault();
    if (isSending.current) return;
    const faults = options.check();
    const draw = () => {
      setOwn(faults);
      setTheirs({});
    };
    if (Object.keys(faults).length > 0) return showFault(event.currentTarget, draw);
    draw();
    isSending.current = true;
    setState('sending');
    try {
      await options.send(keyFor(options.name, options.content));
      setState('ready');
    } catch (error) {
      if (isStopped(error)) {
        setState('ready');
        return;
      }
      // The form shows this state itself, for as long as it lasts.
      if (error instanceof NetworkError) {
        setState('unknown');
        return;
      }
      setState('ready');
      const text = faultText(error, t);
      if (error instanceof RefusedError && Object.keys(error.fields).length > 0) setTheirs(error.fields);
      else if (text !== null) useToast.getState().show(text, { isFault: true });
    } finally {
      isSending.current = false;
    }
  };
  return {
    submit,
    state,
    faultOf: (field: F): string | null => theirs[field] ?? faultWords(own[field], t),
    /** Called when the reader edits a field: removes that field's fault only. */
    clear: (field: F) => {
      setOwn(({ [field]: _mended, ...rest }) => rest as Faults<F>);
      setTheirs(({ [field]: _mended, ...rest }) => rest as Readonly<Record<string, string>>);
    },
  };
}

/** The reader aborted the call. The key is kept: if the first request has arrived after all, a resend counts once. */
const isStopped = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
