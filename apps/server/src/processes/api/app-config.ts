import { type AppConfig, DEFAULT_LANGUAGE, LANGUAGES, type Language, localised } from '@fairtick/protocol';
import { tradingPeriodAt } from '@fairtick/trading';
import type { OperatorProfile } from '../../config/operator-profile.ts';
import type { SupportConfig } from '../../config/support-config.ts';
import type { Assets } from '../../platform/assets.ts';

const RISK = localised(
  '短期合约风险很高，每笔订单都可能亏掉全部投入。赔付率低于 100%，长期看平均会亏损。请只用亏得起的钱。',
  '短期合約風險很高，每筆訂單都可能虧掉全部投入。賠付率低於 100%，長期看平均會虧損。請只用虧得起的錢。',
  'Short-term contracts are high-risk: any order can lose its whole stake. Payout rates are below 100%, so over time customers lose money on average. Only use money you can afford to lose.',
);

export const riskTextOf =
  (mode: 'demo' | 'live', operator: OperatorProfile | null) =>
  (language: Language): string =>
    mode === 'live' && operator !== null ? operator.riskText[language] : RISK[language];

export function appConfig(
  options: {
    assets: Assets;
    mode: 'demo' | 'live';
    feed: string;
    support: SupportConfig;
    restrictedRegions: readonly string[];
    riskOf: (language: Language) => string;
    nowMs: number;
  },
  language: Language,
): AppConfig {
  return {
    brand: 'Fairtick',
    mode: options.mode,
    charUrl: options.support.chatUrl ?? '',
    chatOnline: tradingPeriodAt(options.support.schedule, options.nowMs) !== null,
    defaultLanguage: DEFAULT_LANGUAGE,
    languages: [...LANGUAGES],
    restrictedRegions: [...options.restrictedRegions],
    riskText: options.riskOf(language),
    serverTime: options.nowMs,
    features: ['trade', 'news', 'chat'],
    assets: options.assets.all.map(({ code, scale, isPractice }) => ({ code, scale, isPractice })),
    feed: options.feed,
  };
}
