import type { UserInfo } from '@fairtick/protocol';
import { DEFAULT_LANGUAGE, type Language } from '@fairtick/protocol/languages';
import { get, post } from '../api/client.ts';
import { market } from '../live/market.ts';
import { isLoggedIn, useSession } from '../state/session.ts';
import { useSettings } from '../state/settings.ts';
import { readStored } from '../state/storage.ts';

/** Switches the language: stores the choice, refetches product names, and tells the server, which words notices in it. */
export function chooseLanguage(language: Language): void {
  if (language === useSettings.getState().language) return;
  useSettings.getState().setLanguage(language);
  void refreshNames();
  if (isLoggedIn(useSession.getState())) tellServer(language);
}

const tellServer = (language: Language): void =>
  void post('user/setLanguage', { language }, { isSilent: true }).catch(() => {});

export function takeSystemLanguage(language: Language): void {
  if (readStored('language') !== null || language === useSettings.getState().language) return;
  useSettings.getState().setLanguage(language, false);
  void refreshNames();
}

/**
 * After a login, a language that was chosen on this device becomes the account's, so that notices and staff's letters are in it. A device
 * that shows the default one because none was chosen takes the account's.
 */
export function takeLanguage({ language }: UserInfo): void {
  const own = useSettings.getState().language;
  if (readStored('language') === null) {
    if (own === DEFAULT_LANGUAGE) chooseLanguage(language);
  } else if (own !== language) tellServer(own);
}

export async function refreshNames(): Promise<void> {
  const { language } = useSettings.getState();
  try {
    const board = await get('product/board', {}, { isSilent: true });
    // Ignores the answer if the language has changed meanwhile.
    if (language === useSettings.getState().language) market.load(board);
  } catch {
    // The names stay in the former language until the list is read again.
  }
}
