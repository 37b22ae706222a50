import type { ReactNode } from 'react';
import { Dialog, focusFirst } from '../shell/dialog.tsx';
import { FormEnd, formClass, useForm } from '../shell/form.tsx';

/**
 * Confirms an action before it is sent. A step-up dialog opens above this one and this one keeps its content; a refusal is shown
 * here.
 */
export function ConfirmDialog(props: {
  title: string;
  action: string;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => Promise<void>;
  children: ReactNode;
}) {
  return (
    <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onClose}>
      <ConfirmForm {...props} />
    </Dialog>
  );
}

function ConfirmForm(props: {
  action: string;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => Promise<void>;
  children: ReactNode;
}) {
  const form = useForm();
  return (
    <form className={formClass} onSubmit={form.onSubmit(props.onConfirm)}>
      {props.children}
      <FormEnd form={form} onCancel={props.onClose} ref={focusFirst} meaning={props.action}>
        {props.action}
      </FormEnd>
    </form>
  );
}
