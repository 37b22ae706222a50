import { type ComponentProps, useState } from 'react';
import { useText } from '../messages/text-context.tsx';
import { useToast } from '../state/toast.ts';
import { type Body, bodyOf, Controls, type Inputs, type Typed } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import { Action, FormEnd, formClass, useForm } from './form.tsx';

interface FormProps<Values extends Typed, Answer> {
  /** The values that the form begins with. */
  readonly values: Values;
  readonly inputs: (values: Values) => Inputs;
  /** Sends the values of the controls that are shown. */
  readonly send: (body: Body<Values>) => Promise<Answer>;
  readonly refresh: () => Promise<unknown>;
  /** The name of the gold button; by default it proposes. */
  readonly submit?: string | ((values: Values) => string);
  readonly isRefusal?: boolean;
  /** Shown once it is sent; by default that a second person must decide. Null: nothing. */
  readonly done?: string | null | ((answer: Answer) => string);
  readonly draft?: string;
}

/** A button that opens a form in a dialog. */
export function FormAction<Values extends Typed, Answer>({
  label,
  title = label,
  button,
  ...form
}: FormProps<Values, Answer> & {
  readonly label: string;
  /** The dialog's title; by default the button's label. */
  readonly title?: string;
  readonly button?: ComponentProps<typeof Action>;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Action {...button} onClick={() => setOpen(true)}>
        {label}
      </Action>
      <Dialog title={title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <DialogForm {...form} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

/** A form in a dialog, from the list of its controls. */
export function DialogForm<Values extends Typed, Answer>({
  inputs,
  isRefusal = false,
  onClose,
  ...props
}: FormProps<Values, Answer> & { readonly onClose: () => void }) {
  const { t } = useText();
  const { submit = t('staff.propose'), done = t('decision.proposed') } = props;
  const form = useForm<Values>({ values: props.values, draft: props.draft });
  const shown = inputs(form.values);
  const send = async () => {
    const answer = await props.send(bodyOf(shown, form.values));
    await props.refresh();
    const told = typeof done === 'function' ? done(answer) : done;
    if (told !== null) useToast.getState().show(told);
    onClose();
  };
  return (
    <form className={formClass} onSubmit={form.onSubmit(send)}>
      <Controls inputs={shown} form={form} />
      <FormEnd form={form} onCancel={onClose} isRefusal={isRefusal}>
        {typeof submit === 'string' ? submit : submit(form.values)}
      </FormEnd>
    </form>
  );
}
