import { LANGUAGE_TAGS, type Language, languageOf } from '@fairtick/protocol/languages';
import { create } from 'zustand';

/** Keys in local storage. Storage may be forbidden or edited: invalid values count as absent. */
type Key =
  | 'language'
  | 'dark'
  | 'hasSession'
  | 'noShortcuts'
  | 'auditHead'
  | `recent ${string}`
  | `draft ${string}`
  | `log ${string}`;

export function readStored(key: Key): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function store(key: Key, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage is full or forbidden: the office works without it.
  }
}

interface Settings {
  readonly language: Language;
  readonly dark: boolean;
  /** Whether single-key shortcuts (without a modifier) are on. */
  readonly hasShortcuts: boolean;
  setLanguage(language: Language): void;
  toggleDark(): void;
  toggleShortcuts(): void;
}

/** Takes the system's theme, unless the reader has chosen one. */
export function takeSystemDark(dark: boolean): void {
  if (readStored('dark') !== null) return;
  useSettings.setState({ dark });
  applyToRoot();
}

/** Takes the system's language, unless the reader has chosen one. */
export function takeSystemLanguage(language: Language): void {
  if (readStored('language') !== null) return;
  useSettings.setState({ language });
  applyToRoot();
}

function initialDark(): boolean {
  const stored = readStored('dark');
  return stored === null ? matchMedia('(prefers-color-scheme: dark)').matches : stored === 'true';
}

export const useSettings = create<Settings>()((set, get) => ({
  language: languageOf(readStored('language')),
  dark: initialDark(),
  hasShortcuts: readStored('noShortcuts') === null,
  setLanguage(language) {
    store('language', language);
    set({ language });
    applyToRoot();
  },
  toggleDark() {
    const dark = !get().dark;
    store('dark', String(dark));
    set({ dark });
    applyToRoot();
  },
  toggleShortcuts() {
    const hasShortcuts = !get().hasShortcuts;
    store('noShortcuts', hasShortcuts ? null : '1');
    set({ hasShortcuts });
  },
}));

/** Applies what styles depend on: the class `dark` and the language. */
export function applyToRoot(): void {
  const { dark, language } = useSettings.getState();
  document.documentElement.classList.toggle('dark', dark);
  document.documentElement.lang = LANGUAGE_TAGS[language];
}
