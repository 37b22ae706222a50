import { CloseIcon, firstField, IconButton } from '@fairtick/ui';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useText } from '../messages/text-context.tsx';
import css from './dialog.module.css';

/** A modal dialog that focuses its first field. The native element traps the focus, closes on Esc and restores the focus. */
export function Dialog(props: { title: string; isOpen: boolean; onClose: () => void; children: ReactNode }) {
  const { t } = useText();
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (props.isOpen && !dialog.open) {
      dialog.showModal();
      const content = dialog.querySelector<HTMLElement>('[data-content]');
      if (content && !dialog.querySelector('[autofocus]')) firstField(content)?.focus();
    }
    if (!props.isOpen && dialog.open) dialog.close();
  }, [props.isOpen]);
  return (
    <dialog ref={ref} className={css.dialog} aria-labelledby={id} onClose={props.onClose}>
      {props.isOpen && (
        <>
          <header className={css.head}>
            <h2 id={id}>{props.title}</h2>
            <IconButton label={t('shell.close')} onClick={props.onClose}>
              <CloseIcon size={20} />
            </IconButton>
          </header>
          <div className={css.content} data-content>
            {props.children}
          </div>
        </>
      )}
    </dialog>
  );
}

/** A ref for the element to focus on opening, instead of the dialog's first button, which closes it. */
export function focusFirst(element: HTMLElement | null): void {
  element?.setAttribute('autofocus', '');
}
