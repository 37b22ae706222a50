import { type FundEntry, type Language, type Localised, localised } from '@fairtick/protocol';
import { Temporal } from 'temporal-polyfill';
import type { Queryable } from '../../platform/db/database.ts';
import { amountOf } from '../../platform/office-queries.ts';

/** The contents of a customer's statement. */
export interface Statement {
  readonly account: string;
  /** IANA time zone in which times are written. */
  readonly zone: string;
  readonly from: number | null;
  readonly to: number;
  readonly entries: readonly FundEntry[];
  /** Available balances before and after the period, for each asset with a balance or a movement. */
  readonly balances: readonly {
    readonly asset: string;
    readonly opening: string;
    readonly closing: string;
  }[];
}

/** Balances before and after a period, from the ledger's postings. */
export async function readPeriodBalances(
  db: Queryable,
  period: { customerId: string; fromMs: number | null; toMs: number },
): Promise<Statement['balances']> {
  const { rows } = await db.query<Statement['balances'][number]>(
    `select a.code as asset, ${amountOf('coalesce(o.available_after, 0)')} as opening, ${amountOf('coalesce(c.available_after, 0)')} as closing
     from ledger.balances b join ledger.assets a on a.id = b.asset_id
     left join lateral (
       select p.available_after from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
       where p.owner_id = b.owner_id and p.asset_id = b.asset_id and p.available_after is not null
         and t.created_at < to_timestamp($2::bigint / 1000.0) order by p.id desc limit 1
     ) o on $2::bigint is not null
     left join lateral (
       select p.available_after from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
       where p.owner_id = b.owner_id and p.asset_id = b.asset_id and p.available_after is not null
         and t.created_at < to_timestamp(($3::bigint + 1) / 1000.0) order by p.id desc limit 1
     ) c on true
     where b.owner_id = $1 and (o.available_after > 0 or c.available_after > 0) order by b.asset_id`,
    [period.customerId, period.fromMs, period.toMs],
  );
  return rows;
}

export const LABELS = {
  title: localised('资金对账单', '資金對帳單', 'Fund statement'),
  account: localised('账号', '帳號', 'Account'),
  period: localised('期间', '期間', 'Period'),
  begin: localised('开户', '開戶', 'Account opening'),
  asset: localised('资产', '資產', 'Asset'),
  opening: localised('期初余额', '期初餘額', 'Opening balance'),
  closing: localised('期末余额', '期末餘額', 'Closing balance'),
  time: localised('时间', '時間', 'Time'),
  zone: localised('时区', '時區', 'Time zone'),
  type: localised('类型', '類型', 'Type'),
  result: localised('结果', '結果', 'Result'),
  amount: localised('金额', '金額', 'Amount'),
  balance: localised('余额', '餘額', 'Balance'),
  ref: localised('编号', '編號', 'Reference'),
  minutes: localised('{minutes} 分钟', '{minutes} 分鐘', '{minutes} min'),
  none: localised('该期间没有记录', '該期間沒有紀錄', 'No entries in this period'),
  page: localised('第 {page} 页，共 {pages} 页', '第 {page} 頁，共 {pages} 頁', 'Page {page} of {pages}'),
} as const;

export const TYPES: Readonly<Record<FundEntry['type'], Localised>> = {
  deposit: localised('充值', '入金', 'Deposit'),
  withdrawal: localised('提现', '出金', 'Withdrawal'),
  purchase: localised('买入订单', '買入訂單', 'Purchase order'),
  settlement: localised('订单结算', '訂單結算', 'Order settlement'),
  earnIn: localised('转入收益', '轉入收益', 'Earnings in'),
  earnOut: localised('转出收益', '轉出收益', 'Earnings out'),
  interest: localised('收益利息', '收益利息', 'Interest'),
  legal: localised('依令冻结', '依令凍結', 'Hold of an authority'),
};

/** The subject of a line, by the first part of its reference; its number follows. */
export const ABOUT: Readonly<Record<string, Localised>> = {
  demo: localised('模拟资金', '模擬資金', 'Practice money'),
  deposit: localised('充值申请', '入金申請', 'Deposit'),
  chain: localised('链上付款', '鏈上付款', 'Payment on a chain'),
  withdrawal: localised('提现申请', '出金申請', 'Withdrawal'),
  order: localised('订单', '訂單', 'Order'),
  correction: localised('更正', '更正', 'Correction'),
  earnings: localised('收益', '收益', 'Earnings'),
  interest: localised('利息', '利息', 'Interest for'),
  legal: localised('依令冻结', '依令凍結', 'Hold of an authority'),
};

/** Names the subject of a line; an order is named by product, cycle and number. A reference of an unknown kind stays as it is. */
export function refText({ ref, order }: FundEntry, language: Language): string {
  const [kind = '', id = ''] = ref.split(':');
  if (order !== null) {
    const cycle = LABELS.minutes[language].replace('{minutes}', String(order.minutes));
    return `${order.symbol} · ${cycle} · ${id}`;
  }
  const about = ABOUT[kind]?.[language];
  if (about === undefined) return ref;
  return kind === 'demo' ? about : `${about} ${id}`;
}

/** An amount as the app shows it: grouped by thousands, with a true minus sign, without zeros after the cents. */
export function amountText(amount: string): string {
  return AMOUNT.format(amount as Intl.StringNumericLiteral).replace('-', '\u2212');
}
// Digits and grouping are the same in all languages.
const AMOUNT = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 20 });

/** A time as statements show it: in the zone, to the second. */
export function timeText(ms: number, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
    .toString({ smallestUnit: 'second' })
    .replace('T', ' ');
}
