import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { go } from './navigate.ts';
import { preload } from './preload.ts';

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string };

/** A link within the app. Modifier keys open it in a new tab or window, as any link. */
export function Link({ href, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    go(href);
  };
  return <a href={href} onClick={follow} onPointerDown={() => preload(href)} {...rest} />;
}
