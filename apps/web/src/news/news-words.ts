import type { NewsItem } from '@fairtick/protocol';
import { serverNow } from '../live/clock.ts';
import type { Text } from '../messages/text.ts';
import { dayOf, formatMinute, startOfDay, timeText } from '../state/format.ts';

/** Says that an article is not in the reader's language; null if it is. */
export function fallbackText({ t }: Text, { isFallback, language }: NewsItem): string | null {
  return isFallback ? t('news.fallback', { language: t(`news.in.${language}`) }) : null;
}

/** Today and yesterday in words, older days as dates. */
export function newsTime({ t, tag }: Text, ms: number): string {
  const time = formatMinute(ms, tag);
  const [day, today] = [dayOf(ms), dayOf(serverNow())];
  if (day === today) return t('news.today', { time });
  if (day === dayOf(startOfDay(today, -1))) return t('news.yesterday', { time });
  const isThisYear = day.slice(0, 4) === today.slice(0, 4);
  return timeText(ms, tag, {
    ...(isThisYear ? {} : { year: 'numeric' }),
    month: tag === 'en-US' ? 'short' : 'long',
    day: 'numeric',
  });
}
