import { GlobeIcon } from '@fairtick/ui';
import { useIsLoggedIn } from '../state/session.ts';
import { ThemeButton } from './desktop-header.tsx';
import { LanguageMenu } from './language-menu.tsx';

/**
 * Language and theme for a visitor, on screens without the header of wide screens. A customer has both in My Account.
 * @param isCompact one button whose menu has both, where other buttons need the room
 */
export function VisitorControls({ isCompact = false }: { isCompact?: boolean }) {
  if (useIsLoggedIn()) return null;
  return (
    // The reader is unknown when prerendering: a class on the root element hides `for-visitor` from a customer.
    <span className="narrow for-visitor">
      <LanguageMenu icon={<GlobeIcon size={22} />} hasTheme={isCompact} />
      {!isCompact && <ThemeButton />}
    </span>
  );
}
