import { LANGUAGE_NAMES, type Language } from '@fairtick/protocol/languages';
import type { Text } from '../messages/text.ts';
import { useText } from '../messages/text-context.tsx';
import { percentOf } from '../state/rates.ts';

/** The name of a path within the rules: `cycles.5.payoutRate` is "Payout rate, 5 min". */
export function PathName({ path }: { path: string }) {
  const { t, word } = useText();
  const parts = path.split('.');
  const name = (id: string) => word('part', id);
  switch (parts[0]) {
    case 'cycles':
      return t('catalogue.rateOf', { minutes: parts[1] ?? '' });
    case 'limits':
      return parts[2] === 'max'
        ? t('catalogue.maxOf', { asset: parts[1] ?? '', minutes: parts[3] ?? '' })
        : `${name(parts[2] ?? '')} · ${parts[1]}`;
    case 'names':
      return `${name('names')} · ${LANGUAGE_NAMES[parts[1] as Language]}`;
    case 'licences':
    case 'sources':
    case 'guards':
      return parts[1] === undefined ? name(path) : `${name(parts[0])} · ${parts[1]}`;
    case 'levels':
      return t('catalogue.levelOf', { level: parts[1] ?? '' });
    case 'schedule':
      return parts[1] === 'holidays'
        ? t('catalogue.holidayOf', { date: parts[2] ?? '' })
        : name(parts[1] ?? '');
    default:
      return name(path);
  }
}

/** The name of a day of trading hours, 1 to 7 from Monday. */
export function dayName(day: number, { tag }: Text): string {
  // 5 January 2026 was a Monday.
  return new Intl.DateTimeFormat(tag, { weekday: 'short', timeZone: 'UTC' }).format(
    Date.UTC(2026, 0, 4 + day),
  );
}

const WORDS: Readonly<Record<string, string>> = { assetClass: 'class', hours: 'hours' };

/** A value of the rules as staff read it: a payout rate in percent, days, class and hours in words, others as they are written. */
export function valueText(path: string, value: string | null, text: Text): string {
  const { t, word } = text;
  if (value === null) return t('catalogue.absent');
  if (path.startsWith('cycles.')) return `${percentOf(value)}%`;
  if (path !== 'schedule.windows') return word(WORDS[path] ?? '', value);
  if (value === '24/7' || value === '1234567 00:00–00:00') return t('catalogue.roundTheClock');
  return value.replace(/(^|; )([1-7]+)/g, (_, join, days) =>
    [join, [...days].map((day) => dayName(Number(day), text)).join(' ')].join(''),
  );
}

export function DifferenceText(props: { path: string; before: string | null; after: string | null }) {
  const text = useText();
  const { path, before, after } = props;
  return (
    <>
      <PathName path={path} />: {valueText(path, before, text)} → {valueText(path, after, text)}
    </>
  );
}
