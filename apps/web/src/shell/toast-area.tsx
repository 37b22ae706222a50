import { CheckIcon, FaultIcon, ForwardIcon, MessageArea } from '@fairtick/ui';
import { useEffect, useState } from 'react';
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { LINK_MS, TOAST_MS, type Toast, useToast } from '../state/toast.ts';
import { Link } from './link.tsx';
import css from './shell.module.css';

/** The line at the bottom that says what just happened. It goes with the screen that it was shown on. */
export function ToastArea() {
  const { toast, leave } = useToast();
  const place = `${usePathname()}?${useSearch()}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at each navigation
  useEffect(leave, [leave, place]);
  return (
    <MessageArea className={css.toastArea}>{toast && <Line key={toast.id} toast={toast} />}</MessageArea>
  );
}

/** A link does not go while it is pointed at or has the focus. */
function Line({ toast }: { toast: Toast }) {
  const hide = useToast((state) => state.hide);
  const [isHeld, setHeld] = useState(false);
  const { id, href } = toast;
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => hide(id), href === null ? TOAST_MS : LINK_MS);
    return () => clearTimeout(timer);
  }, [id, href, hide, isHeld]);
  const icon = toast.isFault ? <FaultIcon size={18} /> : <CheckIcon size={18} />;
  if (href === null)
    return (
      <div className={`row gap-10 py-12 px-16 text-13 touch ${css.toast}`}>
        {icon}
        {toast.text}
      </div>
    );
  const hold = () => setHeld(true);
  const release = () => setHeld(false);
  return (
    <Link
      href={href}
      className={`row gap-10 py-12 px-16 text-13 touch ${css.toast}`}
      onClick={() => hide(id)}
      onFocus={hold}
      onBlur={release}
      onPointerEnter={hold}
      onPointerLeave={release}
    >
      {icon}
      {toast.text}
      <ForwardIcon size={18} />
    </Link>
  );
}
