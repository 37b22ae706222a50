import type { Language } from '@fairtick/protocol/languages';
import { get, post } from '../api/client.ts';
import { market } from '../state/market.ts';
import { isLoggedIn, useSession } from '../state/session.ts';
import { useSettings } from '../state/settings.ts';

/** Switches the language: the choice is stored, products are named anew, and the server remembers it for notices. */
export function chooseLanguage(language: Language): void {
  if (language === useSettings.getState().language) return;
  useSettings.getState().setLanguage(language);
  void refreshNames();
  if (isLoggedIn(useSession.getState()))
    post('setLanguage', { language }, { isSilent: true }).catch(() => {});
}

/** Reads the products' names in the language of now. */
export async function refreshNames(): Promise<void> {
  const { language } = useSettings.getState();
  try {
    const board = await get('productBoard', {}, { isSilent: true });
    // Who has chosen another one meanwhile gets that one's.
    if (language === useSettings.getState().language) market.load(board);
  } catch {
    // They stay in the old language until the list is read again.
  }
}
