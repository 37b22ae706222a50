import { useRef, useState } from 'react';
import { showFault } from '../../account/show-fault.ts';
import { NetworkError, RefusedError } from '../../api/client.ts';
import { faultText } from '../../api/tell-fault.ts';
import { useText } from '../../messages/text-context.tsx';
import { useToast } from '../../state/toast.ts';
import { keyFor } from './draft.ts';
import { type Faults, faultWords } from './fault.ts';

/**
 * Sends a form that moves money. A second tap while it is on its way does nothing. Without an answer nobody knows whether it
 * arrived: the same content goes with the same key again, also after a detour, which does nothing twice; what was typed stays.
 */
export function useSending<F extends string>(options: {
  /** Of the form's draft: `send` forgets it when the answer is there. */
  readonly name: string;
  /** What would be sent, in one text, but for passwords: another content is another request. It is kept with the draft. */
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
      // The form itself says so, and for as long as it is so.
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
    /** The reader mends a field: its fault goes, others stay. */
    clear: (field: F) => {
      setOwn(({ [field]: _mended, ...rest }) => rest as Faults<F>);
      setTheirs(({ [field]: _mended, ...rest }) => rest as Readonly<Record<string, string>>);
    },
  };
}

/** The reader stopped it. The key stays: what is sent again counts once, should the first have arrived after all. */
const isStopped = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
