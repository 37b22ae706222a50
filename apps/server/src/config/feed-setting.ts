import { LANGUAGES, type Language, type NewsCategory } from '@fairtick/protocol';

/** A feed to import news from, as configured. */
export interface FeedSetting {
  readonly url: URL;
  readonly language: Language;
  readonly category: NewsCategory;
}

const CATEGORIES: readonly NewsCategory[] = ['notice', 'rules', 'market', 'guide'];
const MAX_FEEDS = 20;

/**
 * `LANGUAGE:CATEGORY=ADDRESS`, several separated by spaces.
 * @throws Error that names the wrong part and the reason
 */
export function readFeedSettings(text: string): FeedSetting[] {
  const parts = text.split(/\s+/).filter(Boolean);
  if (parts.length > MAX_FEEDS) throw new Error(`must name at most ${MAX_FEEDS} feeds, not ${parts.length}`);
  return parts.map((part) => {
    const [, language, category, address] = /^(\w+):(\w+)=(.+)$/.exec(part) ?? [];
    const url = URL.parse(address ?? '');
    if (
      !LANGUAGES.includes(language as Language) ||
      !CATEGORIES.includes(category as NewsCategory) ||
      !url ||
      !/^https?:$/.test(url.protocol) ||
      url.username !== '' ||
      url.password !== ''
    ) {
      const forms = `(${LANGUAGES.join('|')}):(${CATEGORIES.join('|')})=http(s)://…`;
      throw new Error(`must be ${forms} with spaces between, not "${part}"`);
    }
    return { url, language: language as Language, category: category as NewsCategory };
  });
}
