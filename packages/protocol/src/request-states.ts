import type { RequestEnding } from './answers.ts';
import { type Language, type Localised, localised } from './languages.ts';
import type { StatusOf } from './lifecycles.ts';

type State =
  | StatusOf<'deposit'>
  | StatusOf<'withdrawal'>
  | StatusOf<'verification'>
  | NonNullable<RequestEnding>;

/** The words for the state of a deposit, a withdrawal or a real name, for customers and staff alike. */
export const REQUEST_STATES: Readonly<Record<State, Localised>> = {
  review: localised('审核中', '審核中', 'Under review'),
  pending: localised('审核中', '審核中', 'Under review'),
  approved: localised('已批准', '已核准', 'Approved'),
  sending: localised('付款中', '付款中', 'Being paid'),
  success: localised('成功', '成功', 'Success'),
  failure: localised('失败', '失敗', 'Failure'),
  ignored: localised('已忽略', '已忽略', 'Ignored'),
  cancelled: localised('已撤回', '已撤回', 'Cancelled'),
  lapsed: localised('已过期', '已過期', 'Expired'),
  verified: localised('已认证', '已認證', 'Verified'),
  failed: localised('未通过', '未通過', 'Failed'),
};

/** How a request ended without staff, by its stored reason; null for every other reason. */
export const endingOf = (reason: string | null): RequestEnding =>
  reason === 'taken_back' ? 'cancelled' : reason === 'lapsed' ? 'lapsed' : null;

/** The state in words: how it ended, or else its status; a status newer than this code stands as it is. */
export const stateText = (status: string, ending: RequestEnding, language: Language): string =>
  (REQUEST_STATES as Readonly<Record<string, Localised>>)[ending ?? status]?.[language] ?? status;
