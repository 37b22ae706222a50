export * from './answers.ts';
export type { ChatMessage, ChatState } from './chat.ts';
export type { EarningsRecord, EarningsSummary } from './earnings.ts';
export type { Endpoint } from './endpoint.ts';
export * from './endpoints.ts';
export type { ErrorEntry } from './error-entry.ts';
export * from './errors.ts';
export type { Landing } from './landing.ts';
export * from './languages.ts';
export type { Attempt, GuessKind, Limit, Quota } from './limit.ts';
export * from './log-answers.ts';
export type {
  DepositChannel,
  DepositRequest,
  Destination,
  Notice,
  RequestStatus,
  WithdrawalRequest,
  WithdrawOptions,
} from './money.ts';
export type { ArticleNode, NewsCategory, NewsDetail, NewsItem } from './news-endpoints.ts';
export type {
  PriceAlert,
  PriceAlerts,
  Protection,
  Statistics,
  Tally,
  UsedLimit,
} from './protection-answers.ts';
export * from './stream.ts';
export type {
  CycleOutcome,
  OwedAnswer,
  PublicRules,
  PublicStatistics,
} from './transparency-endpoints.ts';
