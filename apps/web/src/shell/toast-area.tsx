import { CheckIcon, FaultIcon } from '@fairtick/ui';
import { useEffect } from 'react';
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { TOAST_MS, useToast } from '../state/toast.ts';
import css from './shell.module.css';

/** The line at the bottom that says what just happened. It goes with the screen that it was shown on. */
export function ToastArea() {
  const { toast, hide, leave } = useToast();
  const place = `${usePathname()}?${useSearch()}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at each navigation
  useEffect(leave, [leave, place]);
  useEffect(() => {
    if (!toast) return;
    const timer = setTimeout(() => hide(toast.id), TOAST_MS);
    return () => clearTimeout(timer);
  }, [toast, hide]);
  return (
    <div className={css.toastArea} role="status" aria-live="polite">
      {toast && (
        <div key={toast.id} className={css.toast}>
          {toast.isFault ? <FaultIcon size={18} /> : <CheckIcon size={18} />}
          {toast.text}
        </div>
      )}
    </div>
  );
}
