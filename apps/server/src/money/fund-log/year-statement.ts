import { formatDecimal } from '@fairtick/money';
import { type Language, localised } from '@fairtick/protocol';
import { Temporal } from 'temporal-polyfill';
import type { Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** The kinds of sums of a year. All but the stakes move the balance: opening + their sum = closing. */
export const YEAR_SUMS = [
  'deposits',
  'withdrawals',
  'fees',
  'result',
  'interest',
  'other',
  'stakes',
] as const;
type Sums = Readonly<Record<(typeof YEAR_SUMS)[number], string>>;

/** A customer's year by asset: available, held and earning money together. Amounts are decimals of the asset, with their sign. */
export interface YearStatement {
  readonly account: string;
  readonly year: number;
  readonly zone: string;
  readonly assets: readonly {
    readonly asset: string;
    readonly opening: string;
    readonly closing: string;
    readonly sums: Sums;
    /** The months that have any, by their number; `balance` is that of their end. */
    readonly months: readonly { readonly month: number; readonly balance: string; readonly sums: Sums }[];
  }[];
}

interface Part {
  readonly asset_id: number;
  /** 0: before the year, 13: after it. */
  readonly month: number;
  readonly sums: Readonly<Record<(typeof YEAR_SUMS)[number], bigint>>;
  readonly moved: bigint;
}

/**
 * Adds up a customer's postings of a calendar year in a zone.
 * @throws Error when the postings don't lead to the balances that the ledger keeps
 */
export async function readYear(
  db: Queryable,
  assets: Assets,
  { customerId, account, year, zone }: { customerId: string; account: string; year: number; zone: string },
): Promise<YearStatement> {
  const starts = Array.from({ length: 13 }, (_, place) =>
    Temporal.PlainDate.from({ year, month: 1, day: 1 })
      .add({ months: place })
      .toZonedDateTime(zone)
      .toInstant()
      .toString(),
  );
  const { rows } = await db.query<Record<string, string>>(YEAR, [customerId, starts]);
  const parts = rows.map(partOf);
  const found = assets.all.flatMap(({ id, code, scale }) => {
    const own = parts.filter(({ asset_id }) => asset_id === id);
    const standing = rows.find((row) => Number(row.asset_id) === id)?.standing;
    const of = (chosen: readonly Part[]) => chosen.reduce((sum, { moved }) => sum + moved, 0n);
    if (standing !== undefined && of(own) !== BigInt(standing))
      throw new Error(`customer ${customerId}: the postings of ${code} lead to ${of(own)}, not ${standing}`);
    const opening = of(own.filter(({ month }) => month === 0));
    const inYear = own.filter(({ month }) => month > 0 && month < 13);
    if (inYear.length === 0 && opening === 0n) return [];
    const text = (amount: bigint) => formatDecimal(amount, scale);
    const sumsOf = (chosen: readonly Part[]) =>
      Object.fromEntries(
        YEAR_SUMS.map((name) => [name, text(chosen.reduce((sum, { sums }) => sum + sums[name], 0n))]),
      ) as Sums;
    return {
      asset: code,
      opening: text(opening),
      closing: text(opening + of(inYear)),
      sums: sumsOf(inYear),
      months: inYear.map((part, at) => ({
        month: part.month,
        balance: text(opening + of(inYear.slice(0, at + 1))),
        sums: sumsOf([part]),
      })),
    };
  });
  return { account, year, zone, assets: found };
}

function partOf(row: Record<string, string>): Part {
  const sums = Object.fromEntries(YEAR_SUMS.map((name) => [name, BigInt(row[name] ?? 0)])) as Part['sums'];
  return { asset_id: Number(row.asset_id), month: Number(row.month), sums, moved: BigInt(row.moved ?? 0) };
}

/** The amount that a posting adds to the customer's money, by the account on its other side; moves between own balances add nothing. */
const YEAR = `with line as (
    select p.asset_id, t.kind, p.amount, case when p.debit / 4 = $1 then p.credit else p.debit end as other,
      p.amount * ((p.credit / 4 = $1)::int - (p.debit / 4 = $1)::int) as moved,
      width_bucket(t.created_at, $2::timestamptz[]) as month
    from ledger.postings p join ledger.transfers t on t.id = p.transfer_id where p.owner_id = $1
  )
  select l.asset_id, l.month, sum(l.moved) as moved,
    sum(l.moved) filter (where l.kind = 'deposit' and l.other = ledger.external_account()) as deposits,
    sum(l.moved) filter (where l.kind = 'payout' and l.other = ledger.external_account()) as withdrawals,
    sum(l.moved) filter (where l.other = ledger.fees_account()) as fees,
    sum(l.moved) filter (where l.other = ledger.trading_account()) as result,
    sum(l.moved) filter (where l.other = ledger.earnings_account()) as interest,
    sum(l.moved) filter (where l.kind not in ('deposit', 'payout') and l.other = ledger.external_account()) as other,
    sum(l.amount) filter (where l.kind = 'reserve') as stakes,
    (select b.available + b.held + b.earning from ledger.balances b where b.owner_id = $1 and b.asset_id = l.asset_id) as standing
  from line l group by 1, 2 order by 1, 2`;

export const YEAR_LABELS = {
  title: localised('{year} 年度报表', '{year} 年度報表', 'Annual statement {year}'),
  month: localised('月份', '月份', 'Month'),
  deposits: localised('充值', '入金', 'Deposits'),
  withdrawals: localised('提现', '出金', 'Withdrawals'),
  fees: localised('手续费', '手續費', 'Fees'),
  result: localised('订单盈亏', '訂單盈虧', 'Order results'),
  interest: localised('收益利息', '收益利息', 'Interest'),
  other: localised('其他', '其他', 'Other'),
  stakes: localised('投入', '投入', 'Stakes'),
  balance: localised('期末余额', '期末餘額', 'Closing balance'),
  total: localised('全年', '全年', 'Year'),
  rule: localised(
    '期初余额加上除投入以外的各列，等于期末余额。余额包括可用、冻结和收益中的资金。',
    '期初餘額加上除投入以外的各欄，等於期末餘額。餘額包括可用、凍結和收益中的資金。',
    'The opening balance plus all columns except stakes is the closing balance. Balances include available, held and earning money.',
  ),
  others: localised(
    '其他：模拟资金和更正。投入：当年买入订单的投入。',
    '其他：模擬資金和更正。投入：當年買入訂單的投入。',
    'Other: practice money and corrections. Stakes: those of orders placed in the year.',
  ),
} as const;

/** `2026-03`, or the name of the whole year's line. */
export const monthText = (year: number, month: number | null, language: Language): string =>
  month === null ? YEAR_LABELS.total[language] : `${year}-${String(month).padStart(2, '0')}`;
