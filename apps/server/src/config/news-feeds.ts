import { LANGUAGES, type Language, type NewsCategory } from '@fairtick/protocol';
import { isZone } from '../platform/imports/moments.ts';
import { ConfigError } from './config-error.ts';

export interface NewsFeedSetting {
  readonly url: URL;
  readonly language: Language;
  readonly category: NewsCategory;
  /** IANA name of the zone of times that the feed writes without one. */
  readonly zone: string;
}

const CATEGORIES: readonly NewsCategory[] = ['market', 'guide'];
const MAX_FEEDS = 20;

/** Feeds in Chinese mostly write their times without a zone; all their places have the same one. */
const ZONES: Readonly<Record<Language, string>> = { zh: 'Asia/Shanghai', tw: 'Asia/Taipei', en: 'UTC' };

/** `LANGUAGE:CATEGORY[@ZONE]=ADDRESS`, several separated by spaces. @throws ConfigError */
export function readNewsFeedSettings(text: string): NewsFeedSetting[] {
  const parts = text.split(/\s+/).filter(Boolean);
  if (parts.length > MAX_FEEDS)
    throw new ConfigError(`NEWS_FEEDS must name at most ${MAX_FEEDS} feeds, not ${parts.length}`);
  return parts.map((part) => {
    const [, language, category, named, address] = /^(\w+):(\w+)(?:@([\w+:/-]+))?=(.+)$/.exec(part) ?? [];
    const zone = named ?? ZONES[language as Language];
    const url = URL.parse(address ?? '');
    if (
      !LANGUAGES.includes(language as Language) ||
      !CATEGORIES.includes(category as NewsCategory) ||
      !url ||
      !/^https?:$/.test(url.protocol) ||
      url.username !== '' ||
      url.password !== '' ||
      !isZone(zone)
    ) {
      const forms = `(${LANGUAGES.join('|')}):(${CATEGORIES.join('|')})[@ZONE]=http(s)://…`;
      throw new ConfigError(`NEWS_FEEDS must be ${forms} with spaces between, not "${part}"`);
    }
    return { url, language: language as Language, category: category as NewsCategory, zone };
  });
}
