import type { ReactNode } from 'react';
import { useText } from '../messages/text-context.tsx';
import { Dialog, focusFirst } from '../shell/dialog.tsx';
import { Action, buttonsClass, FormFault, formClass, useForm } from '../shell/form.tsx';

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
  const { t } = useText();
  return (
    <Dialog title={props.title} isOpen={props.isOpen} onClose={props.onClose}>
      <ConfirmForm {...props} cancel={t('shell.cancel')} />
    </Dialog>
  );
}

function ConfirmForm(props: {
  action: string;
  cancel: string;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => Promise<void>;
  children: ReactNode;
}) {
  const form = useForm();
  return (
    <form className={formClass} onSubmit={form.onSubmit(props.onConfirm)}>
      {props.children}
      <FormFault text={form.fault} />
      <div className={buttonsClass}>
        <Action onClick={props.onClose}>{props.cancel}</Action>
        <Action ref={focusFirst} look="gold" type="submit" meaning={props.action} disabled={form.isBusy}>
          {props.action}
        </Action>
      </div>
    </form>
  );
}
