import type { Schedule, TradingWindow } from '@fairtick/trading';
import { isZone } from '../platform/imports/moments.ts';
import { ConfigError } from './config-error.ts';
import { type Env, readInteger } from './read-values.ts';

export interface SupportConfig {
  readonly schedule: Schedule;
  readonly answerMinutes: number;
  /** An https page of another provider's chat; null: the built-in conversation. */
  readonly chatUrl: string | null;
}

/** Every day from nine to nine, in the time zone of most customers. */
const DEFAULT_HOURS = '1-7 09:00-21:00';
const DEFAULT_ZONE = 'Asia/Shanghai';
const WINDOW = /^([1-7])(?:-([1-7]))? ([01]\d|2[0-3]):([0-5]\d)-(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/;

/** Reads SUPPORT_HOURS (ISO weekdays and wall-clock times), SUPPORT_ZONE, SUPPORT_ANSWER_MINUTES and CHAT_URL. */
export function readSupport(env: Env): SupportConfig {
  const zone = env.SUPPORT_ZONE || DEFAULT_ZONE;
  // Offsets such as +08:00 are no zones, because they have no summer time.
  if (!isZone(zone) || !/^[A-Za-z]/.test(zone))
    throw new ConfigError(`SUPPORT_ZONE must be an IANA time zone, not "${zone}"`);
  return {
    schedule: { zone, windows: readHours(env.SUPPORT_HOURS || DEFAULT_HOURS), holidays: [] },
    answerMinutes: readInteger(env, 'SUPPORT_ANSWER_MINUTES', { fallback: 15, min: 1, max: 10_080 }),
    chatUrl: readChatUrl(env.CHAT_URL),
  };
}

/** For example `1-5 09:00-18:00, 6 10:00-16:00`; `always` means round the clock. */
function readHours(text: string): readonly TradingWindow[] {
  if (text === 'always') return [];
  return text.split(',').map((part) => {
    const found = WINDOW.exec(part.trim());
    if (!found)
      throw new ConfigError(
        `SUPPORT_HOURS must be like "1-5 09:00-18:00, 6 10:00-16:00" (1 is Monday) or "always", not "${text}"`,
      );
    const [, first, last = first, fromHour, fromMinute, toHour = '00', toMinute = '00'] = found;
    const days = Array.from({ length: 7 }, (_, day) => day + 1).filter(
      (day) => day >= Number(first) && day <= Number(last),
    );
    if (days.length === 0)
      throw new ConfigError(`SUPPORT_HOURS has days that run backwards: "${part.trim()}"`);
    return { days, from: `${fromHour}:${fromMinute}`, to: `${toHour}:${toMinute}` };
  });
}

/** The page is embedded in the app, so it must come over https. */
function readChatUrl(text: string | undefined): string | null {
  if (!text) return null;
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username || url.password || /[;,'"\s]/.test(text))
    throw new ConfigError(`CHAT_URL must be an https:// address, not "${text}"`);
  return url.href;
}
