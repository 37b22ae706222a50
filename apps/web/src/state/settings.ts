import { LANGUAGE_TAGS, type Language, languageOf, RISING_COLOURS } from '@fairtick/protocol/languages';
import { create } from 'zustand';
import { readStored, store, storeInSession } from './storage.ts';

type UpDown = 'red' | 'green';

interface Settings {
  readonly language: Language;
  readonly dark: boolean;
  /** The colour of a rise: red by Chinese custom. */
  readonly updown: UpDown;
  readonly asset: string;
  /** The asset that the customer chose, whose value `asset` has then; null before. */
  readonly chosenAsset: string | null;
  readonly isBalanceHidden: boolean;
  /** Whether other screens show a line with an order's result. */
  readonly tellsSettlements: boolean;
  /** Whether the device shakes when an order is armed, confirmed or settled. */
  readonly hasHaptics: boolean;
  /** Whether letters are shortcuts of the trading screen. */
  readonly hasShortcuts: boolean;
  /** IANA zone in which times are shown; null: the device's. */
  readonly zone: string | null;
  readonly worthIn: string;
  /** The cycle that the ticket shows first: the one chosen last. */
  readonly minutes: number;
  /** The last stake of an order by asset, which a ticket that the customer opens begins with. */
  readonly stakes: Readonly<Record<string, string>>;
}

interface SettingsStore extends Settings {
  /** `isChosen`: by the reader, whose choice is kept. */
  setLanguage(language: Language, isChosen?: boolean): void;
  toggleDark(): void;
  setUpDown(updown: UpDown): void;
  /** Changes a setting that belongs to the session. */
  choose<K extends keyof typeof STORED>(name: K, value: Settings[K]): void;
}

/** The settings that belong to the session: each with its name in storage, and its value without a session. */
const STORED = {
  asset: ['asset', 'DEMO'],
  isBalanceHidden: ['hideBalance', false],
  tellsSettlements: ['settlementNotice', true],
  hasHaptics: ['haptics', true],
  hasShortcuts: ['shortcuts', true],
  zone: ['zone', null],
  worthIn: ['worthIn', 'USDT'],
  minutes: ['minutes', 5],
  stakes: ['stakes', {}],
} as const;
const DEFAULTS = Object.fromEntries(Object.entries(STORED).map(([name, [, value]]) => [name, value])) as Pick<
  Settings,
  keyof typeof STORED
>;

const COOKIE_S = 365 * 86_400;

function storedDark(): boolean | null {
  const stored = readStored('dark');
  return stored === 'true' || stored === 'false' ? stored === 'true' : null;
}

function initialDark(): boolean {
  const stored = storedDark();
  if (stored !== null) return stored;
  return globalThis.matchMedia?.('(prefers-color-scheme: dark)').matches ?? false;
}

/**
 * The language that the server read from the cookie and wrote into the page. The cookie survives a logout, which clears the
 * storage, so that the next visit keeps the language. (Reading the cookie here would delay the start by 30 ms.)
 */
function pageLanguage(): string | undefined {
  return globalThis.document?.documentElement.dataset.language;
}

/** The zone if this browser knows it, else null: storage can be edited, and zones can be renamed. */
function knownZone(zone: string | null): string | null {
  try {
    return zone && new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone && zone;
  } catch {
    return null;
  }
}

/** Storage can be edited: anything but texts counts as absent. */
function storedStakes(): Record<string, string> {
  try {
    const stored = Object.entries(JSON.parse(readStored('stakes') ?? '{}') ?? {});
    return Object.fromEntries(
      stored.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}

function initialUpDown(language: Language): UpDown {
  const stored = readStored('updown');
  return stored === 'red' || stored === 'green' ? stored : RISING_COLOURS[language];
}

export const useSettings = create<SettingsStore>()((set, get) => {
  const language = languageOf(readStored('language') ?? pageLanguage());
  return {
    language,
    dark: initialDark(),
    updown: initialUpDown(language),
    asset: readStored('asset') ?? DEFAULTS.asset,
    chosenAsset: readStored('asset'),
    isBalanceHidden: readStored('hideBalance') === 'true',
    tellsSettlements: readStored('settlementNotice') !== 'false',
    hasHaptics: readStored('haptics') !== 'false',
    hasShortcuts: readStored('shortcuts') !== 'false',
    zone: knownZone(readStored('zone')),
    worthIn: readStored('worthIn') ?? DEFAULTS.worthIn,
    minutes: Number(readStored('minutes')) || DEFAULTS.minutes,
    stakes: storedStakes(),
    setLanguage(next, isChosen = true) {
      if (isChosen) store('language', next);
      // The colour follows the language's custom until the customer chooses one.
      const updown = readStored('updown') === null ? RISING_COLOURS[next] : get().updown;
      set({ language: next, updown });
      applyToRoot();
    },
    toggleDark() {
      const dark = !get().dark;
      store('dark', String(dark));
      set({ dark });
      applyToRoot();
    },
    setUpDown(updown) {
      store('updown', updown);
      set({ updown });
      applyToRoot();
    },
    choose(name, value) {
      const isPlain = value === null || typeof value === 'string';
      storeInSession(STORED[name][0], isPlain ? value : JSON.stringify(value));
      set({ [name]: value, ...(name === 'asset' && { chosenAsset: String(value) }) });
    },
  };
});

/**
 * Applies what styles depend on: the class `dark`, the colour of a rise, the language. A cookie tells the server the language for
 * prerendering.
 */
export function applyToRoot(): void {
  const { dark, updown, language } = useSettings.getState();
  const root = document.documentElement;
  root.classList.toggle('dark', dark);
  root.dataset.updown = updown;
  root.lang = LANGUAGE_TAGS[language];
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', dark ? '#0b0d11' : '#f3f4f6');
  // The newer `cookieStore` is missing in the oldest browsers.
  // biome-ignore lint/suspicious/noDocumentCookie: as above
  document.cookie = `language=${language}; path=/; max-age=${COOKIE_S}; samesite=lax`;
}

export function takeSystemDark(dark: boolean): void {
  if (storedDark() !== null) return;
  useSettings.setState({ dark });
  applyToRoot();
}

/** Resets settings after a logout, when storage is cleared; language and theme stay until the page is reloaded. */
export function resetSettings(): void {
  useSettings.setState({ ...DEFAULTS, chosenAsset: null });
}
