import { LANGUAGES, type Language } from '@fairtick/protocol';

type Part = 'app' | 'office';

/** How a screen is seen: by whom, and in which window, language and theme. */
export interface Look {
  readonly part: Part;
  readonly width: number;
  readonly height: number;
  readonly language: Language;
  readonly theme: 'dark' | 'light';
}

/** Phones, a phone held sideways, a tablet, laptops and a large screen, in CSS pixels. */
const SIZES: Readonly<Record<Part, readonly (readonly [number, number])[]>> = {
  app: [
    [360, 640],
    [375, 812],
    [812, 375],
    [820, 1180],
    [1280, 720],
    [1366, 657],
    [1920, 1080],
  ],
  office: [
    [1280, 720],
    [1366, 657],
    [1920, 1080],
  ],
};

export const ALL_LOOKS: readonly Look[] = (['app', 'office'] as const).flatMap((part) =>
  SIZES[part].flatMap(([width, height]) =>
    LANGUAGES.flatMap((language) =>
      (['dark', 'light'] as const).map((theme) => ({ part, width, height, language, theme })),
    ),
  ),
);

/** The look of each part in which every size is taken. */
export const FIRST_LOOKS: Readonly<Record<Part, Look>> = {
  app: { part: 'app', width: 375, height: 812, language: 'en', theme: 'dark' },
  office: { part: 'office', width: 1280, height: 720, language: 'en', theme: 'light' },
};

export const nameOf = ({ part, width, height, language, theme }: Look): string =>
  `${part}-${width}x${height}-${language}-${theme}`;

/** Held upright: the ticket is a sheet, and other screens have one column. */
export const isPhone = ({ width }: Look): boolean => width < 768;

/** A window of a device that is touched. */
export const isTouched = ({ width, height }: Look): boolean => Math.min(width, height) < 768 && width < 1024;

/** Sizes that are taken in all languages and themes by default. */
const WHOLE: ReadonlySet<string> = new Set(['app-375x812', 'app-1280x720', 'office-1280x720']);

const isUsual = (look: Look): boolean => {
  const first = FIRST_LOOKS[look.part];
  return (
    WHOLE.has(`${look.part}-${look.width}x${look.height}`) ||
    (look.language === first.language && look.theme === first.theme)
  );
};

/**
 * @param wanted names of looks with commas between them, or `all`; undefined: every size in one look, and all languages and themes
 * at two sizes of the app and one of the office
 * @throws Error for a name that no look has
 */
export function looksOf(wanted: string | undefined): readonly Look[] {
  if (wanted === undefined) return ALL_LOOKS.filter(isUsual);
  if (wanted === 'all') return ALL_LOOKS;
  return wanted.split(',').map((name) => {
    const found = ALL_LOOKS.find((look) => nameOf(look) === name);
    if (!found) throw new Error(`no look is named ${name}; one of them is ${nameOf(FIRST_LOOKS.app)}`);
    return found;
  });
}
