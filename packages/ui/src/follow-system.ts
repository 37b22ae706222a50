import { type Language, languageOfTag } from '@fairtick/protocol/languages';

/** Tells when the system's theme or language changes while the app is open; the app decides whether its reader has chosen another one. */
export function followSystem(take: {
  dark: (isDark: boolean) => void;
  language: (language: Language) => void;
}): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => take.dark(matches));
  addEventListener('languagechange', () => {
    const language = languageOfTag(navigator.language);
    if (language !== null) take.language(language);
  });
}
