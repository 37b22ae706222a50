import { type ReactNode, useEffect, useId, useRef } from 'react';
import { firstField } from './first-field.ts';
import { CloseIcon } from './icons.tsx';
import { useLayer } from './layers.ts';
import { useMessagesInside } from './message-area.tsx';
import { IconButton } from './parts.tsx';

/** Class names of an app's dialogs. */
export interface DialogStyle {
  readonly dialog?: string | undefined;
  readonly body?: string | undefined;
  readonly head?: string | undefined;
  readonly content?: string | undefined;
}

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

const PRESSED = 'a, button, input, select, textarea';

/** Makes a long text without controls focusable, so that the keyboard can scroll it, also one that arrives later. Returns how to stop. */
function keepReachable(content: HTMLElement): () => void {
  const sizes = new ResizeObserver(() => {
    if (content.scrollHeight > content.clientHeight && !content.querySelector(PRESSED)) content.tabIndex = 0;
  });
  sizes.observe(content);
  return () => sizes.disconnect();
}

/**
 * A modal dialog. The native element traps the focus, closes on Esc and restores the focus; the way back closes it, too. It opens with the focus on the element
 * marked `autofocus`, or else on its first field; on touch screens on its title.
 * @param props.closedby `any`: a click beside it closes it, too
 */
export function ModalDialog({
  title,
  isOpen,
  onClose,
  children,
  closeLabel,
  style,
  closedby,
}: DialogProps & {
  readonly closeLabel: string;
  readonly style: DialogStyle;
  readonly closedby?: 'any' | 'closerequest';
}) {
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayer(isOpen, onClose);
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return undefined;
    if (isOpen && !dialog.open) {
      dialog.showModal();
      const content = dialog.querySelector<HTMLElement>('[data-content]');
      if (content && !dialog.querySelector('[autofocus]')) {
        // On touch screens a focused field would open the on-screen keyboard.
        if (matchMedia('(pointer: fine)').matches) firstField(content)?.focus();
        else heading.current?.focus();
      }
      if (content) return keepReachable(content);
    }
    if (!isOpen && dialog.open) dialog.close();
    return undefined;
  }, [isOpen]);
  useMessagesInside(ref, isOpen);
  return (
    <dialog
      ref={ref}
      className={style.dialog}
      aria-labelledby={id}
      onClose={onClose}
      {...(closedby ? { closedby } : {})}
    >
      {isOpen && (
        <div className={style.body}>
          <header className={style.head}>
            <h2 ref={heading} id={id} tabIndex={-1}>
              {title}
            </h2>
            <IconButton label={closeLabel} onClick={onClose}>
              <CloseIcon size={20} />
            </IconButton>
          </header>
          <div className={style.content} data-content>
            {children}
          </div>
        </div>
      )}
    </dialog>
  );
}
