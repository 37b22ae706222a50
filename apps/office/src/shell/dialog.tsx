import { type DialogProps, ModalDialog } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import css from './dialog.module.css';

/** A modal dialog; a click beside it does not close it, so that nothing typed is lost. */
export function Dialog(props: DialogProps) {
  const { t } = useText();
  return <ModalDialog {...props} closeLabel={t('shell.close')} style={css} />;
}

/** A ref for the element to focus on opening, instead of the dialog's first button, which closes it. */
export function focusFirst(element: HTMLElement | null): void {
  element?.setAttribute('autofocus', '');
}
