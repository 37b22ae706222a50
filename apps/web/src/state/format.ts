import { TZDateMini } from '@date-fns/tz/date/mini';
import { withoutTrailingZeros } from '@fairtick/money';
import { scaleOf } from './decimal-strings.ts';
import { useSettings } from './settings.ts';

/** Formats numbers and times for readers. Money and prices stay decimal strings, which are never converted to floats. */
const TRUE_MINUS = '\u2212';

/** A decimal string with grouped digits, and between `min` and `max` decimals: cut at `max`, without zeros after `min`. */
function format(value: string, min: number, max: number): string {
  const [whole = '', rest = ''] = value.split('.');
  // Digits and grouping are the same in all three languages.
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',').replace('-', TRUE_MINUS);
  const decimals = withoutTrailingZeros(`.${rest.slice(0, max)}`)
    .slice(1)
    .padEnd(min, '0');
  return decimals === '' ? grouped : `${grouped}.${decimals}`;
}

export function formatCount(count: number): string {
  return format(String(count), 0, 0);
}

export const formatSignedCount = (count: number): string => `${count > 0 ? '+' : ''}${formatCount(count)}`;

const USUAL_DECIMALS: Readonly<Record<string, number>> = { BTC: 8, ETH: 8 };

/** The decimals that people use for an asset; its smallest unit may be finer. */
export const usualDecimals = (asset: string): number => USUAL_DECIMALS[asset] ?? 2;

/** Whether an amount has more decimals than people use for the asset. */
export const isTooFine = (amount: string, asset: string): boolean => scaleOf(amount) > usualDecimals(asset);

export function formatPrice(price: string): string {
  const decimals = scaleOf(price);
  return format(price, decimals, decimals);
}

/**
 * An amount that is not the reader's own, such as a bound or what was typed just now, with two decimals, more where it has more that
 * are not zero. Never rounded.
 */
export function formatPublic(amount: string): string {
  return format(amount, 2, Math.max(2, scaleOf(amount)));
}

export function formatSignedPublic(amount: string): string {
  const text = formatPublic(amount);
  return /[1-9]/.test(amount) && !amount.startsWith('-') ? `+${text}` : text;
}

/** Stands for each figure of the reader's own money while the reader hides them. */
const HIDDEN = '••••••';
const unlessHidden = (text: string) => (useSettings.getState().isBalanceHidden ? HIDDEN : text);

export const formatAmount = (amount: string): string => unlessHidden(formatPublic(amount));
export const formatSigned = (amount: string): string => unlessHidden(formatSignedPublic(amount));

/** A text of the server in which the reader's own money stands, such as a notice. */
export const hideAmounts = (text: string): string =>
  text.replace(/[+\u2212-]?\d[\d,]{0,25}(?:\.\d{1,18})?(?=[ \u00a0]?[A-Z]{3,5}\b)/g, unlessHidden);

/** A change of price: with its sign and all its decimals. */
export function formatChange(change: string): string {
  const text = formatPrice(change);
  return /[1-9]/.test(change) && !change.startsWith('-') ? `+${text}` : text;
}

/** A rate such as 0.0012 as a percentage with two decimals and its sign. */
export function formatRate(rate: string): string {
  const percent = Number(rate) * 100;
  const text = Math.abs(percent).toFixed(2);
  if (Number(text) === 0) return '0.00%';
  return `${percent < 0 ? TRUE_MINUS : '+'}${text}%`;
}

/** A share of one as a percentage: 0.85 is 85%. */
export function formatShare(share: number, decimals = 0): string {
  return `${(share * 100).toFixed(decimals).replace('-', TRUE_MINUS)}%`;
}

export const wayOf = (signed: string | null): 'up' | 'down' | 'none' =>
  signed === null || !/[1-9]/.test(signed) ? 'none' : signed.startsWith('-') ? 'down' : 'up';

export function chosenZone(): Intl.DateTimeFormatOptions {
  const { zone } = useSettings.getState();
  return zone === null ? {} : { timeZone: zone };
}

export const DATE = { month: '2-digit', day: '2-digit' } as const;
export const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
export const CLOCK_SECONDS = { ...CLOCK, second: '2-digit' } as const;

const times = new Map<string, Intl.DateTimeFormat>();

/** A time in the customer's zone, unless the options name one. */
export function timeText(ms: number, tag: string, options: Intl.DateTimeFormatOptions): string {
  const wanted: Intl.DateTimeFormatOptions = { hourCycle: 'h23', ...chosenZone(), ...options };
  const key = `${tag} ${JSON.stringify(wanted)}`;
  const format = times.get(key) ?? new Intl.DateTimeFormat(tag, wanted);
  times.set(key, format);
  return format.format(ms);
}

/** 2026-11-22, for file names: the day in the customer's zone. */
export const dayOf = (ms: number): string => timeText(ms, 'sv', { ...DATE, year: 'numeric' });

/** The first moment, in Unix ms, of a day such as `2026-11-22` in the customer's zone, `daysLater` days on. */
export function startOfDay(day: string, daysLater = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const zone = chosenZone().timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return new TZDateMini(year, month - 1, date + daysLater, zone).getTime();
}

/** Sentences one after the other. A Chinese full stop has its own room, so no space follows it. */
export const sentences = (...texts: readonly (string | false | null | undefined)[]): string =>
  texts.filter(Boolean).join(' ').replaceAll('。 ', '。');

/** A, B and C; in Chinese A、B和C. */
export const formatList = (words: readonly string[], tag: string): string =>
  new Intl.ListFormat(tag).format(words);

const formatOf = (options: Intl.DateTimeFormatOptions) => (ms: number, tag: string) =>
  timeText(ms, tag, options);

/** 14:42:20 */
export const formatTime = formatOf(CLOCK_SECONDS);

/** 14:42:20.250, as times of the log are told apart */
export const formatExactTime = formatOf({ ...CLOCK_SECONDS, fractionalSecondDigits: 3 });

/** 14:42 */
export const formatMinute = formatOf(CLOCK);

/** 11/21 14:42:20 */
export const formatDateTime = formatOf({ ...DATE, ...CLOCK_SECONDS });

/** The time of something that lasts since then, with the day unless that is today. */
export const formatSince = (ms: number, tag: string): string =>
  dayOf(ms) === dayOf(Date.now()) ? formatTime(ms, tag) : formatDateTime(ms, tag);

/** 11/21 14:42 */
export const formatDayMinute = formatOf({ ...DATE, ...CLOCK });

/** Date with year, and time to the minute: a break may end years from now. */
export const formatMoment = formatOf({ year: 'numeric', month: 'long', day: 'numeric', ...CLOCK });

/** A day with its weekday: Saturday, November 21; 11月21日 周六. */
export const formatDay = (ms: number, tag: string): string =>
  spaced(timeText(ms, tag, { month: 'long', day: 'numeric', weekday: 'short' }));

/** A Chinese weekday stands apart from the day before it and the time after it. */
const spaced = (text: string): string =>
  text.replace(/(?<=日)(?=[周週])|(?<=\p{Script=Han})(?=\d\d:)/gu, ' ');

/** When a market opens: the time if today, else with the weekday. */
export function formatOpening(ms: number, nowMs: number, tag: string): string {
  const isSoon = ms - nowMs < 20 * 3_600_000;
  return spaced(timeText(ms, tag, isSoon ? CLOCK : { weekday: 'short', ...CLOCK }));
}

/** Remaining time: 02:41, or 1:02:41 above an hour. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = `${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** With fewer orders than this, a win rate is mere chance. */
export const FEW = 30;

/** A time zone's readable name: Asia/Ho_Chi_Minh is Ho Chi Minh. */
export const zoneName = (zone: string): string => zone.slice(zone.indexOf('/') + 1).replaceAll('_', ' ');
