import type { AppConfig, Language } from '@fairtick/protocol';
import { sessionAt } from '@fairtick/trading';
import type { Assets } from '../assets.ts';
import type { SupportConfig } from '../config.ts';

/** The European Economic Area. */
const EEA = [
  'AT',
  'BE',
  'BG',
  'CY',
  'CZ',
  'DE',
  'DK',
  'EE',
  'ES',
  'FI',
  'FR',
  'GR',
  'HR',
  'HU',
  'IE',
  'IS',
  'IT',
  'LI',
  'LT',
  'LU',
  'LV',
  'MT',
  'NL',
  'NO',
  'PL',
  'PT',
  'RO',
  'SE',
  'SI',
  'SK',
];

/**
 * Where contracts of this kind may not be offered to retail customers: ISO 3166 codes. In demo a warning, in live enforced.
 */
export const RESTRICTED_REGIONS: readonly string[] = ['US', 'CA', 'GB', ...EEA, 'IL', 'AU', 'JP', 'CN', 'HK'];

const RISK: Readonly<Record<Language, string>> = {
  zh: '短期合约风险很高，每笔订单都可能亏掉全部投入。赔付率低于 100%，长期看平均会亏损。请只用亏得起的钱。',
  tw: '短期合約風險很高，每筆訂單都可能虧掉全部投入。賠付率低於 100%，長期看平均會虧損。請只用虧得起的錢。',
  en: 'Short-term contracts are high risk: each order can lose its whole stake. Payout rates are below 100 %, so on average money is lost over time. Use only what you can afford to lose.',
};

export const riskText = (language: Language): string => RISK[language];

export function appConfig(
  options: { assets: Assets; mode: 'demo' | 'live'; feed: string; support: SupportConfig },
  language: Language,
): AppConfig {
  return {
    brand: 'Fairtick',
    mode: options.mode,
    charUrl: options.support.chatUrl ?? '',
    chatOnline: sessionAt(options.support.schedule, Date.now()) !== null,
    defaultLanguage: 'zh',
    languages: ['zh', 'tw', 'en'],
    restrictedRegions: [...RESTRICTED_REGIONS],
    riskText: RISK[language],
    serverTime: Date.now(),
    features: ['trade', 'news', 'chat'],
    assets: options.assets.all.map(({ code, scale, isPractice }) => ({ code, scale, isPractice })),
    feed: options.feed,
  };
}
