import { type ReactNode, type RefObject, useEffect, useRef, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';

/** The open modal dialogs, the topmost last. */
let dialogs: readonly HTMLElement[] = [];
const listeners = new Set<() => void>();

function set(next: readonly HTMLElement[]): void {
  dialogs = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Messages are shown inside this modal dialog while it is the topmost one. Call it after the effect that opens the dialog. */
export function useMessagesInside(dialog: RefObject<HTMLElement | null>, isOpen: boolean): void {
  useEffect(() => {
    const element = dialog.current;
    if (!isOpen || !element) return undefined;
    set([...dialogs, element]);
    return () => set(dialogs.filter((other) => other !== element));
  }, [dialog, isOpen]);
}

/**
 * Where an app says what just happened. All outside of an open modal dialog is inert and lies below it, so the area stands inside the
 * dialog, and as a popover above it. Browsers without popovers show it at its place in the dialog.
 */
export function MessageArea({ className, children }: { className: string | undefined; children: ReactNode }) {
  const host = useSyncExternalStore(
    subscribe,
    () => dialogs.at(-1) ?? document.body,
    () => null,
  );
  return host && createPortal(<Area className={className}>{children}</Area>, host);
}

function Area({ className, children }: { className: string | undefined; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => ref.current?.showPopover?.(), []);
  return (
    <div ref={ref} className={className} popover="manual" role="status" aria-live="polite">
      {children}
    </div>
  );
}
