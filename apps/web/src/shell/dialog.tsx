import { CloseIcon, firstField, IconButton } from '@fairtick/ui';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useText } from '../messages/text-context.tsx';
import css from './dialog.module.css';

const PRESSED = 'a, button, input, select, textarea';

/**
 * A modal sheet on a phone, a centred dialog on a wide screen. The browser's own element keeps the focus inside, closes on
 * Esc and gives the focus back.
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
      // With a keyboard one goes on at the first field; on glass that would push the screen's own one up unasked.
      const content = dialog.querySelector<HTMLElement>('[data-content]');
      if (content && matchMedia('(pointer: fine)').matches) firstField(content)?.focus();
      // A long text with nothing to press in it is scrolled by the keys once the keyboard can stand on it.
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
