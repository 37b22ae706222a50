export * from './answers.ts';
export type { Endpoint } from './endpoint.ts';
export * from './endpoints.ts';
export type { ErrorEntry } from './error-entry.ts';
export * from './errors.ts';
export type {
  PriceAlert,
  PriceAlerts,
  Protection,
  Statistics,
  Tally,
  UsedLimit,
} from './identity/protection-answers.ts';
export * from './languages.ts';
export type { Attempt, GuessKind, Limit, Quota } from './limit.ts';
export type { Landing } from './market/landing-endpoints.ts';
export * from './market/log-answers.ts';
export * from './market/product-answers.ts';
export { CLOSED_REASONS, type Closed, type ClosedReason } from './market/product-state.ts';
export type {
  CycleOutcome,
  LiveSources,
  OwedAnswer,
  PublicRules,
  PublicStatistics,
} from './market/transparency-endpoints.ts';
export type { EarningsRecord, EarningsSummary } from './money/earnings-endpoints.ts';
export type {
  AddressProof,
  ChainDeposit,
  DepositChannel,
  DepositRequest,
  Destination,
  Notice,
  RequestStatus,
  WithdrawalRequest,
  WithdrawOptions,
} from './money/money-answers.ts';
export type { ArticleNode, NewsCategory, NewsDetail, NewsItem } from './news-endpoints.ts';
export * from './stream.ts';
export type { ChatMessage, ChatState } from './support/chat-answers.ts';
