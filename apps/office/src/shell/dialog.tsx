import { CloseIcon, firstField, IconButton } from '@fairtick/ui';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useText } from '../messages/text-context.tsx';
import css from './dialog.module.css';

/** A modal dialog that begins with its first field: the browser's own element keeps the focus inside, closes on Esc and gives the focus back. */
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

/** As a ref: the dialog puts the focus here when it opens, and not on its first button, which closes it. */
export function focusFirst(element: HTMLElement | null): void {
  element?.setAttribute('autofocus', '');
}
