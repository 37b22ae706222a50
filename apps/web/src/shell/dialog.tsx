import { CloseIcon, firstField, IconButton } from '@fairtick/ui';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useText } from '../messages/text-context.tsx';
import css from './dialog.module.css';

const PRESSED = 'a, button, input, select, textarea';

/**
 * A modal sheet on a phone, a centred dialog on a wide screen. The native element traps the focus, closes on Esc and restores the
 * focus.
 */
export function Dialog(props: { title: string; isOpen: boolean; onClose: () => void; children: ReactNode }) {
  const { t } = useText();
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (props.isOpen && !dialog.open) {
      dialog.showModal();
      // Focuses the first field, except on touch screens, where that would open the on-screen keyboard.
      const content = dialog.querySelector<HTMLElement>('[data-content]');
      if (content && matchMedia('(pointer: fine)').matches) firstField(content)?.focus();
      // Makes a long text without controls focusable, so that the keyboard can scroll it.
      if (content && content.scrollHeight > content.clientHeight && !content.querySelector(PRESSED))
        content.tabIndex = 0;
    }
    if (!props.isOpen && dialog.open) dialog.close();
  }, [props.isOpen]);
  return (
    <dialog ref={ref} className={css.dialog} aria-labelledby={id} onClose={props.onClose} closedby="any">
      {props.isOpen && (
        <div className={css.body}>
          <header className={css.head}>
            <h2 id={id}>{props.title}</h2>
            <IconButton label={t('shell.close')} onClick={props.onClose}>
              <CloseIcon size={20} />
            </IconButton>
          </header>
          <div className={css.content} data-content>
            {props.children}
          </div>
        </div>
      )}
    </dialog>
  );
}
