import type { Language, Texts } from '../languages.ts';
import { LANGUAGES } from '../languages.ts';

/** Why a product takes no orders: its mark in a list and its words, in the order of `LANGUAGES`. Refusals have the same words. */
export const CLOSED_WORDS = {
  hours: { mark: ['休市', '休市', 'Closed'], words: ['已休市', '已休市', 'This market is closed'] },
  halt: {
    mark: ['暂停下单', '暫停下單', 'Halted'],
    words: ['暂停接受新订单', '暫停接受新訂單', 'New orders are currently halted'],
  },
  disagreement: {
    mark: ['暂停下单', '暫停下單', 'Paused'],
    words: ['来源价格不一致，暂停下单', '來源價格不一致，暫停下單', 'Paused: its sources disagree'],
  },
  no_price: {
    mark: ['暂无报价', '暫無報價', 'No price'],
    words: ['目前没有可靠报价', '目前沒有可靠報價', 'No reliable price now'],
  },
  maintenance: {
    mark: ['系统维护', '系統維護', 'Maintenance'],
    words: ['系统维护中，报价暂停', '系統維護中，報價暫停', 'Maintenance: our prices are interrupted'],
  },
  full: {
    mark: ['已达上限', '已達上限', 'At our limit'],
    words: ['平台在该产品上已达上限', '平台在該產品上已達上限', 'We have reached our limit in this product'],
  },
  ended: {
    mark: ['已停止交易', '已停止交易', 'Ended'],
    words: ['已停止交易', '已停止交易', 'Trading has ended'],
  },
  no_source: {
    mark: ['无报价来源', '無報價來源', 'No source'],
    words: ['无报价来源', '無報價來源', 'No price source'],
  },
  no_licence: {
    mark: ['需要授权', '需要授權', 'No licence'],
    words: ['需要指数授权', '需要指數授權', 'Needs an index licence'],
  },
} as const satisfies Readonly<Record<string, { readonly mark: Texts; readonly words: Texts }>>;

export type ClosedReason = keyof typeof CLOSED_WORDS;
export const CLOSED_REASONS = Object.keys(CLOSED_WORDS) as [ClosedReason, ...ClosedReason[]];

const SINCE: Texts = ['{time} 起', '{time} 起', 'since {time}'];
const OPENS: Texts = ['{time} 开盘', '{time} 開盤', 'opens {time}'];
const COUNTING: Texts = [
  '{all} 个来源中 {now} 个有效，至少需要 {needed} 个',
  '{all} 個來源中 {now} 個有效，至少需要 {needed} 個',
  '{now} of {all} sources count, {needed} are needed',
];

/** Why a product takes no orders, as the server tells it. */
export interface Closed {
  readonly because: ClosedReason;
  readonly since: number | null;
  readonly until: number | null;
  readonly reason: string | null;
  readonly sources: { readonly now: number; readonly all: number; readonly needed: number } | null;
  readonly assets: readonly string[] | null;
}

/** How the app that shows it writes times. */
interface Times {
  since(ms: number): string;
  opening(ms: number): string;
}

/** A closed product's mark in a list, what stands below it, and all of it in one line. */
export function closedText(closed: Closed, language: Language, times: Times) {
  const say = (texts: Texts) => texts[LANGUAGES.indexOf(language)] as string;
  const { mark, words } = CLOSED_WORDS[closed.because];
  const { since, until, reason, sources, assets } = closed;
  const opens = until === null ? null : say(OPENS).replace('{time}', times.opening(until));
  const began = since === null || until !== null ? null : say(SINCE).replace('{time}', times.since(since));
  const counting =
    sources &&
    say(COUNTING).replace(/\{(\w+)\}/g, (_, name: string) => String(sources[name as keyof typeof sources]));
  const line = [say(words), assets?.join(', '), opens, began, counting, reason];
  return {
    mark: say(mark),
    below: opens ?? began,
    line: line.filter((part) => part).join(' · '),
  };
}

/** Why a product takes no orders in an asset; null while it takes them. */
export const closedIn = (closed: Closed | null, asset: string): Closed | null =>
  closed?.assets && !closed.assets.includes(asset) ? null : closed;

/** Whether prices go on, although it may take no orders. */
export const isTicking = ({ closed }: { readonly closed: Closed | null }): boolean =>
  closed === null || closed.because === 'halt' || closed.because === 'full';
