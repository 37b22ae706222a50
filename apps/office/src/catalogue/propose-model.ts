import { amountTyped, asTyped } from '@fairtick/money';
import { isDay } from '@fairtick/protocol/day';
import { percentOf, rateOf } from '../state/rates.ts';
import type { Rules } from './queries.ts';

export const NUMBERS = ['quorum', 'quietMs', 'waitMs', 'outlierBps', 'delayMs'] as const;

export type Kind = 'payout_table' | 'feed_rules' | 'product_end';

/** The fields of the proposal form, as typed. */
export interface Draft {
  readonly cycles: readonly { readonly minutes: string; readonly percent: string }[];
  readonly limits: readonly {
    readonly asset: string;
    /** Decimals of the asset's amounts; not for the form to change. */
    readonly scale: number;
    readonly minBalance: string;
    readonly minPurchase: string;
    readonly max: readonly { readonly upToMinutes: string; readonly amount: string }[];
  }[];
  readonly sources: string;
  readonly quorum: string;
  readonly quietMs: string;
  readonly waitMs: string;
  readonly outlierBps: string;
  readonly delayMs: string;
  readonly zone: string;
  /** Each line is a window: `12345 09:30-16:00`. */
  readonly windows: string;
  /** Each line is a date, with windows of its own if it is no holiday: `2026-11-27 09:30-13:00`. */
  readonly holidays: string;
  /** The last date whose holidays are known; empty: none is set. */
  readonly until: string;
  /** Of a product that is to be closed for good. */
  readonly lastDay: string;
}

export function draftOf(rules: Rules): Draft {
  return {
    cycles: rules.cycles.map(({ minutes, payoutRate }) => ({
      minutes: String(minutes),
      percent: percentOf(payoutRate),
    })),
    limits: rules.limits.map(({ max, ...limit }) => ({
      ...limit,
      minBalance: asTyped(limit.minBalance),
      minPurchase: asTyped(limit.minPurchase),
      max: max.map(({ upToMinutes, amount }) => ({
        upToMinutes: String(upToMinutes),
        amount: asTyped(amount),
      })),
    })),
    sources: rules.sources.join(', '),
    quorum: String(rules.quorum),
    quietMs: String(rules.quietMs),
    waitMs: String(rules.waitMs),
    outlierBps: String(rules.outlierBps),
    delayMs: String(rules.delayMs),
    zone: rules.schedule.zone,
    windows: rules.schedule.windows.map(({ days, from, to }) => `${days.join('')} ${from}-${to}`).join('\n'),
    holidays: datesOf(rules.schedule)
      .map(({ date, windows }) => [date, ...windows.map(({ from, to }) => `${from}-${to}`)].join(' '))
      .join('\n'),
    until: rules.schedule.until ?? '',
    lastDay: '',
  };
}

/** Holidays, without windows, and dates with windows of their own, in order. */
export const datesOf = ({ holidays, shortDays = [] }: Rules['schedule']) =>
  [...holidays.map((date) => ({ date, windows: [] })), ...shortDays].sort((one, other) =>
    one.date < other.date ? -1 : 1,
  );

/** The cycles up to which limits have a maximum of their own, over all assets. */
export const stepsOf = <Minutes>(
  limits: readonly { readonly max: readonly { readonly upToMinutes: Minutes }[] }[],
): Minutes[] => [...new Set(limits.flatMap(({ max }) => max.map(({ upToMinutes }) => upToMinutes)))];

export type Part = 'cycles' | 'limits' | 'sources' | 'numbers' | 'windows' | 'holidays' | 'until' | 'lastDay';

/** The rules to send, or the part that can't be parsed. Unchanged parts are left out. */
export type Patch =
  | { readonly kind: 'patch'; readonly rules: Partial<Rules> }
  | { readonly kind: 'fault'; readonly part: Part }
  | { readonly kind: 'nothing' };

const WINDOW = /^([1-7]{1,7}) (\d\d:\d\d)\s*[-–]\s*(\d\d:\d\d)$/;

/** Compares a form with the rules that it began with. */
export function patchOf(kind: Kind, draft: Draft, rules: Rules): Patch {
  const read = { payout_table: readPayouts, feed_rules: readFeed, product_end: readEnd }[kind](draft, rules);
  if ('part' in read) return { kind: 'fault', part: read.part };
  const changed = Object.entries(read.rules).filter(
    ([name, value]) => differencesOf({ [name]: value }, rules).length > 0,
  );
  return changed.length === 0 ? { kind: 'nothing' } : { kind: 'patch', rules: Object.fromEntries(changed) };
}

/** Whether a typed value says something else than the rules do. */
export const isChanged = (typed: string, was = ''): boolean =>
  (amountTyped(typed) ?? typed.trim()) !== (amountTyped(was) ?? was);

export interface Difference {
  /** The value's place in the rules, such as `cycles.5.payoutRate`. */
  readonly path: string;
  /** Null: not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Every single value that a patch changes, in the order of the form. */
export function differencesOf(patch: Partial<Rules>, rules: Rules): Difference[] {
  const base = Object.fromEntries(Object.keys(patch).map((name) => [name, rules[name as keyof Rules]]));
  const [old, young] = [valuesOf(base), valuesOf(patch)];
  return [...new Set([...young.keys(), ...old.keys()])].flatMap((path) => {
    const difference = { path, before: old.get(path) ?? null, after: young.get(path) ?? null };
    return difference.before === difference.after ? [] : [difference];
  });
}

function valuesOf({ cycles = [], limits = [], sources, schedule, ...numbers }: Partial<Rules>) {
  return new Map<string, string>([
    ...cycles.map(({ minutes, payoutRate }) => [`cycles.${minutes}.payoutRate`, payoutRate] as const),
    ...limits.flatMap(({ asset, minBalance, minPurchase, max }) => [
      [`limits.${asset}.minBalance`, minBalance] as const,
      [`limits.${asset}.minPurchase`, minPurchase] as const,
      ...max.map(({ upToMinutes, amount }) => [`limits.${asset}.max.${upToMinutes}`, amount] as const),
    ]),
    ...(sources ? [['sources', sources.join(', ')] as const] : []),
    ...Object.entries(numbers).map(([name, value]) => [name, String(value)] as const),
    ...(schedule ? scheduleValues(schedule) : []),
  ]);
}

const scheduleValues = (schedule: Rules['schedule']): (readonly [string, string])[] => [
  ['schedule.zone', schedule.zone],
  [
    'schedule.windows',
    schedule.windows.map(({ days, from, to }) => `${days.join('')} ${from}–${to}`).join('; ') || '24/7',
  ],
  ...(schedule.until === undefined ? [] : [['schedule.until', schedule.until] as const]),
  ...datesOf(schedule).map(
    ({ date, windows }) =>
      [
        `schedule.holidays.${date}`,
        windows.map(({ from, to }) => `${from}–${to}`).join(', ') || '×',
      ] as const,
  ),
];

type Read = { readonly part: Part } | { readonly rules: Partial<Rules> };

function readPayouts(draft: Draft): Read {
  const cycles = draft.cycles.filter(({ minutes, percent }) => minutes.trim() + percent.trim() !== '');
  const isRow = (row: (typeof cycles)[number]) =>
    wholeOf(row.minutes) !== null && rateOf(row.percent) !== null;
  if (cycles.length === 0 || !cycles.every(isRow)) return { part: 'cycles' };
  const limits: Rules['limits'] = [];
  for (const limit of draft.limits) {
    const [minBalance, minPurchase] = [amountTyped(limit.minBalance), amountTyped(limit.minPurchase)];
    const max = limit.max.map((step) => ({
      upToMinutes: Number(step.upToMinutes),
      amount: amountTyped(step.amount) ?? '',
    }));
    if (minBalance === null || minPurchase === null || max.some(({ amount }) => amount === ''))
      return { part: 'limits' };
    limits.push({ asset: limit.asset, scale: limit.scale, minBalance, minPurchase, max });
  }
  return {
    rules: {
      cycles: cycles.map(({ minutes, percent }) => ({
        minutes: wholeOf(minutes) as number,
        payoutRate: rateOf(percent) as string,
      })),
      limits,
    },
  };
}

function readFeed(draft: Draft): Read {
  const numbers = NUMBERS.map((name) => [name, wholeOf(draft[name])] as const);
  if (numbers.some(([, value]) => value === null)) return { part: 'numbers' };
  const sources = draft.sources.split(',').map((name) => name.trim());
  if (sources.includes('')) return { part: 'sources' };
  const windows: Rules['schedule']['windows'] = [];
  for (const line of linesOf(draft.windows)) {
    const [, days, from, to] = WINDOW.exec(line) ?? [];
    if (days === undefined || from === undefined || to === undefined) return { part: 'windows' };
    windows.push({ days: [...days].map(Number), from, to });
  }
  const dates = linesOf(draft.holidays).map(readDate);
  if (!dates.every((date) => date !== null)) return { part: 'holidays' };
  const until = draft.until.trim();
  if (until !== '' && !isDay(until)) return { part: 'until' };
  const shortDays = dates.filter(({ windows }) => windows.length > 0);
  return {
    rules: {
      sources: sources.sort(),
      ...Object.fromEntries(numbers),
      schedule: {
        zone: draft.zone.trim(),
        windows,
        holidays: dates.filter(({ windows }) => windows.length === 0).map(({ date }) => date),
        ...(shortDays.length > 0 ? { shortDays } : {}),
        ...(until === '' ? {} : { until }),
      },
    },
  };
}

/** Hours that can end: those of a product without any are whole days. */
const WHOLE_DAYS = [{ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '00:00' }];

/** The hours of a product that is to be closed for good. */
function readEnd({ lastDay }: Draft, { schedule }: Rules): Read {
  if (!isDay(lastDay)) return { part: 'lastDay' };
  const windows = schedule.windows.length > 0 ? schedule.windows : WHOLE_DAYS;
  return { rules: { schedule: { ...schedule, windows, until: lastDay } } };
}

/** A line of {@link Draft.holidays}; null if it is none. */
function readDate(line: string): { date: string; windows: { from: string; to: string }[] } | null {
  const [date = '', ...spans] = line.replaceAll(/\s*[-–]\s*(?=\d\d:)/g, '–').split(/[\s,]+/);
  const windows = spans.map((span) => /^(\d\d:\d\d)–(\d\d:\d\d)$/.exec(span));
  if (!isDay(date) || !windows.every((window) => window !== null)) return null;
  return { date, windows: windows.map(([, from = '', to = '']) => ({ from, to })) };
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** A typed whole number of at most eight digits; null if it is none. */
function wholeOf(text: string): number | null {
  const value = amountTyped(text, { isWhole: true });
  return value === null || value.length > 8 ? null : Number(value);
}
