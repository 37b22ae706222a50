import { type ReactNode, useState } from 'react';
import { Dialog, focusFirst } from '../shell/dialog.tsx';
import { FormEnd, formClass, useForm } from '../shell/form.tsx';
import { KeyedAction } from '../shell/keyed-action.tsx';
import { useToast } from '../state/toast.ts';
import { Acts } from './case-frame.tsx';
import { refreshReview } from './queries.ts';
import type { ReviewKind } from './queue-model.ts';
import { focusOn, onEnter } from './use-reader.ts';

interface StepProps {
  readonly kind: ReviewKind;
  readonly id: string;
  /** The name of the step, on its button. */
  readonly label: string;
  /** The dialog's title; by default the label. */
  readonly title?: string;
  /** What is missing before the button can be pressed; null: nothing. */
  readonly missing: string | null;
  /** Fields above the button, in which Enter does what the button does. */
  readonly field?: (keys: ReturnType<typeof onEnter>) => ReactNode;
  /** Focused by the shortcut while something is missing. */
  readonly focus?: string;
  /** Other buttons. */
  readonly beside?: ReactNode;
  /** What is confirmed before it is sent. */
  readonly children: ReactNode;
  /** Sends the step; the text is shown afterwards. */
  readonly act: () => Promise<string>;
  readonly onDone: () => void;
}

/** The gold button of a step, a line above it that says what is still missing, and the dialog that asks to confirm. */
export function Step(props: StepProps) {
  const { label, missing, focus } = props;
  const [isOpen, setOpen] = useState(false);
  const run = () => {
    if (missing === null) setOpen(true);
    else if (focus !== undefined) focusOn(focus);
  };
  return (
    <>
      {props.field?.(onEnter(run))}
      <Acts missing={missing}>
        <KeyedAction hotkey="a" look="gold" disabled={missing !== null} onPress={run} onMissing={run}>
          {label}
        </KeyedAction>
        {props.beside}
      </Acts>
      <Dialog title={props.title ?? label} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Confirm {...props} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

/** A step-up dialog opens above this one, which keeps its content; a refusal is shown here. */
function Confirm({ kind, id, label, children, act, onDone, onClose }: StepProps & { onClose: () => void }) {
  const form = useForm();
  const confirm = async () => {
    try {
      const told = await act();
      onClose();
      useToast.getState().show(told);
      onDone();
    } finally {
      await refreshReview(kind, id);
    }
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(confirm)}>
      {children}
      <FormEnd form={form} onCancel={onClose} ref={focusFirst} meaning={label}>
        {label}
      </FormEnd>
    </form>
  );
}
