import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { NetworkError, RefusedError } from './client.ts';
import { takeFilled } from './typed-text.ts';

/** An app's texts for failures, in the reader's language. */
export interface FormTexts<Fault> {
  /** The text for a failed call; null if nothing needs to be shown. Throws an error that is not a failed call. */
  readonly ofError: (error: unknown) => string | null;
  /** The text for a fault that the form's own check found at a field. */
  readonly ofFault: (fault: Fault) => string;
  /** The text above the button for all faults that the check found; null if those at the fields are enough. */
  readonly ofFaults: (faults: readonly Fault[]) => string | null;
  /** Shows a failure outside the form. */
  readonly show: (text: string) => void;
}

export interface FormOptions<Values, F extends string, Fault> {
  /** The form's first values, by field. A form whose values are kept elsewhere, as in a draft, has none. */
  readonly values?: Values;
  /** The faults by field that prevent sending. */
  readonly check?: (values: Values) => Partial<Record<F, Fault>>;
  /** The failures that the form shows itself; the others are shown outside. By default all. */
  readonly shows?: 'all' | 'unanswered' | 'none';
}

/** The report of a control: its text, or the event that has it. */
export type Typed = string | { readonly target: { readonly value: string } };

/** The fields of a form that hold text. */
export type TextName<Values> = {
  [Name in keyof Values]: Values[Name] extends string ? Name : never;
}[keyof Values] &
  string;

interface FormEvent {
  preventDefault(): void;
  readonly currentTarget: Element;
}

/** The failure of the last attempt. */
interface Failure<Fault> {
  /** Faults at fields, found by the form's check. */
  readonly own: Readonly<Record<string, Fault | undefined>>;
  /** Faults at fields, in the server's words. */
  readonly theirs: Readonly<Record<string, string | undefined>>;
  readonly text: string | null;
  readonly isUnanswered: boolean;
}
const NONE = { own: {}, theirs: {}, text: null, isUnanswered: false };

/**
 * Holds the values of a form and sends them, or sends what a button starts: checks it, sends one call at a time, and shows a
 * refusal at the field concerned, which gets the focus, or else as one text. Typed text stays after a failure. React ignores a
 * failure after the form has gone.
 */
export function useForm<Values extends object, F extends string, Fault>(
  texts: FormTexts<Fault>,
  { values: first, check, shows = 'all' }: FormOptions<Values, F, Fault>,
) {
  const [values, setValues] = useState(first ?? ({} as Values));
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure<Fault>>(NONE);
  // A ref, because state is updated too late to stop a second tap at the same moment.
  const isSending = useRef(false);
  const isFilled = useRef(false);

  const fail = (error: unknown, form: Element | undefined) => {
    const isUnanswered = error instanceof NetworkError;
    const theirs = error instanceof RefusedError ? error.fields : {};
    const isAtField =
      form !== undefined &&
      Object.keys(theirs).length > 0 &&
      showAtField(form, () => {
        setFailure({ ...NONE, theirs });
        setBusy(false);
      });
    if (isAtField) return;
    const text = texts.ofError(error);
    const isOwn = shows === 'all' || (shows === 'unanswered' && isUnanswered);
    setFailure({ ...NONE, theirs, isUnanswered, text: isOwn ? text : null });
    if (text !== null && !isOwn) texts.show(text);
  };
  /** Does the work unless other work is going on. A given form's fields show the faults of a refusal. */
  const send = async (work: () => Promise<unknown>, form?: Element): Promise<void> => {
    if (isSending.current) return;
    isSending.current = true;
    setBusy(true);
    setFailure(NONE);
    try {
      await work();
    } catch (error) {
      if (!isStopped(error)) fail(error, form);
    } finally {
      isSending.current = false;
      setBusy(false);
    }
  };
  const onSubmit = (work: () => Promise<unknown>) => (event: FormEvent) => {
    event.preventDefault();
    if (isSending.current) return;
    const form = event.currentTarget;
    if (!isFilled.current && flushSync(() => takeFilled(form))) {
      // The handler of the next rendering has what was filled in.
      isFilled.current = true;
      form.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
      isFilled.current = false;
      return;
    }
    const tooLong = form.querySelector<HTMLElement>('[data-over]');
    if (tooLong) {
      tooLong.focus();
      return;
    }
    const own = check?.(values) ?? {};
    const found = Object.values<Fault>(own as Record<string, Fault>);
    if (found.length === 0) void send(work, form);
    else {
      const text = texts.ofFaults(found);
      showAtField(form, () => setFailure(({ isUnanswered }) => ({ ...NONE, isUnanswered, own, text })));
    }
  };
  const faultOf = (field: F | (keyof Values & string)): string | null => {
    const own = failure.own[field];
    return failure.theirs[field] ?? (own === undefined ? null : texts.ofFault(own));
  };
  /** Removes the faults of fields that the reader edits, and no others. */
  const clear = (...fields: readonly string[]) => {
    const none = Object.fromEntries(fields.map((field) => [field, undefined]));
    setFailure(({ own, theirs, ...rest }) => ({
      ...rest,
      own: { ...own, ...none },
      theirs: { ...theirs, ...none },
    }));
  };
  /** Changes values, and removes the faults of their fields. */
  const set = (change: Partial<Values>) => {
    clear(...Object.keys(change));
    setValues((before) => ({ ...before, ...change }));
  };
  /** The properties of a text control. `shown` names the field whose fault it shows, if the server calls it otherwise. */
  const field = (name: TextName<Values>, shown: string = name) => ({
    value: values[name] as string,
    fault: faultOf(shown as F),
    onChange: (typed: Typed) => {
      clear(shown);
      set({ [name]: typeof typed === 'string' ? typed : typed.target.value } as Partial<Values>);
    },
  });
  return {
    isBusy,
    /** The text of the last failure that the form shows itself. */
    fault: failure.text,
    /** Whether the last attempt got no answer: it is unknown whether it had an effect. */
    isUnanswered: failure.isUnanswered,
    send,
    onSubmit,
    faultOf,
    clear,
    values,
    set,
    field,
  };
}

/**
 * Draws faults and focuses the first faulty field; false if the form shows none. Synchronous, because a later focus could
 * interrupt typing in another field.
 */
function showAtField(form: Element, draw: () => void): boolean {
  flushSync(draw);
  const field = form.querySelector<HTMLElement>('[aria-invalid=true]');
  field?.focus();
  return field !== null;
}

/** The reader aborted the call. */
const isStopped = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
