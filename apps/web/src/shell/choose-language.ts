import type { Language } from '@fairtick/protocol/languages';
import { get, post } from '../api/client.ts';
import { market } from '../live/market.ts';
import { isLoggedIn, useSession } from '../state/session.ts';
import { useSettings } from '../state/settings.ts';

/** Switches the language: stores the choice, refetches product names, and tells the server, which words notices in it. */
export function chooseLanguage(language: Language): void {
  if (language === useSettings.getState().language) return;
  useSettings.getState().setLanguage(language);
  void refreshNames();
  if (isLoggedIn(useSession.getState()))
    post('user/setLanguage', { language }, { isSilent: true }).catch(() => {});
}

/** Refetches the products' names in the current language. */
export async function refreshNames(): Promise<void> {
  const { language } = useSettings.getState();
  try {
    const board = await get('product/board', {}, { isSilent: true });
    // Ignores the answer if the language has changed meanwhile.
    if (language === useSettings.getState().language) market.load(board);
  } catch {
    // They stay in the old language until the list is read again.
  }
}
