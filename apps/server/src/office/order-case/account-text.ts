import { formatDecimal, parseDecimal, parseRate } from '@fairtick/money';
import { parseEntry } from '@fairtick/proof';
import type { Data, Language, Localised, Order } from '@fairtick/protocol';
import { localised } from '@fairtick/protocol/languages';
import type { OfficeData } from '@fairtick/protocol/office';
import { hasRecord } from '@fairtick/trading';
import { amountText, timeText } from '../../money/fund-log/statement.ts';

type Case = OfficeData<'order/case'>;
type Account = Case['account'];
type Part = 'opening' | 'settling';

const TEXTS = {
  title: localised('订单 {id} 的经过', '訂單 {id} 的經過', 'How order {id} was decided'),
  bought: localised(
    '您于 {time} 买入 {symbol}（{direction}），周期 {minutes} 分钟，投入 {stake}，赔付率 {rate}。',
    '您於 {time} 買入 {symbol}（{direction}），週期 {minutes} 分鐘，投入 {stake}，賠付率 {rate}。',
    'On {time} you bought {symbol} {direction} for {minutes} min, with a stake of {stake} and a payout rate of {rate}.',
  ),
  up: localised('买涨', '買漲', 'up'),
  down: localised('买跌', '買跌', 'down'),
  accepted: localised(
    '我们当时受理并签名，价格在那之后才产生。该订单在公开日志的第 {index} 条，写入时间 {time}。',
    '我們當時受理並簽名，價格在那之後才產生。該訂單在公開日誌的第 {index} 條，寫入時間 {time}。',
    'We signed its acceptance then, before its prices existed. The order is in entry {index} of the public log, written on {time}.',
  ),
  opening: localised(
    '开仓价是 {time} 的价格：{price}（日志第 {index} 条），即各来源当时最后一条记录的中位数：',
    '開倉價是 {time} 的價格：{price}（日誌第 {index} 條），即各來源當時最後一筆紀錄的中位數：',
    'It opened at the price of {time}: {price} (entry {index} of the log), the median of the last records that the sources had by then:',
  ),
  settling: localised(
    '结算价是 {time} 的价格：{price}（日志第 {index} 条），即各来源当时最后一条记录的中位数：',
    '結算價是 {time} 的價格：{price}（日誌第 {index} 條），即各來源當時最後一筆紀錄的中位數：',
    'It settled at the price of {time}: {price} (entry {index} of the log), the median of the last records that the sources had by then:',
  ),
  corrected: localised(
    '来源记录补全后，该价格更正为 {price}（日志第 {index} 条）：',
    '來源紀錄補全後，該價格更正為 {price}（日誌第 {index} 條）：',
    'Once the sources’ records were complete, that price was corrected to {price} (entry {index} of the log):',
  ),
  record: localised(
    '{source}：{price}，编号 {number}',
    '{source}：{price}，編號 {number}',
    '{source}: {price}, record {number}',
  ),
  recordUnused: localised(
    '{source}：{price}，编号 {number}，不计入（太旧或偏离过大）',
    '{source}：{price}，編號 {number}，不計入（太舊或偏離過大）',
    '{source}: {price}, record {number}, not counted (too old or too far off)',
  ),
  noRecord: localised('{source}：没有记录', '{source}：沒有紀錄', '{source}: no record'),
  open: localised(
    '该订单尚未结算，结算时间为 {time}。',
    '該訂單尚未結算，結算時間為 {time}。',
    'The order is not settled yet. Its settlement time is {time}.',
  ),
  profit: localised(
    '{open} 到 {settle}，方向与您的买入一致，订单盈利。退还投入 {stake} 和收益 {income}，共 {paid}。',
    '{open} 到 {settle}，方向與您的買入一致，訂單獲利。退還投入 {stake} 和收益 {income}，共 {paid}。',
    'From {open} to {settle}, the price moved as you bought, so the order made a profit. You got back the stake of {stake} and {income}, together {paid}.',
  ),
  loss: localised(
    '{open} 到 {settle}，方向与您的买入相反，订单亏损，投入 {stake} 不退还。',
    '{open} 到 {settle}，方向與您的買入相反，訂單虧損，投入 {stake} 不退還。',
    'From {open} to {settle}, the price moved against the order, so it made a loss. The stake of {stake} was not returned.',
  ),
  none: localised(
    '两个价格相同，投入 {stake} 已退还。',
    '兩個價格相同，投入 {stake} 已退還。',
    'Both prices are equal, so the stake of {stake} was returned.',
  ),
  unpriced: localised(
    '24 小时内没有写入所需的价格，按规则订单盈利，共退还 {paid}。',
    '24 小時內沒有寫入所需的價格，按規則訂單獲利，共退還 {paid}。',
    'A price that the order needed was not written within 24 hours. By the rules it made a profit, and you got back {paid}.',
  ),
  no_price: localised(
    '开仓时有价格的来源太少，订单作废，投入 {stake} 已退还。',
    '開倉時有價格的來源太少，訂單作廢，投入 {stake} 已退還。',
    'Too few sources had a price at the opening, so the order is void and the stake of {stake} was returned.',
  ),
  not_logged: localised(
    '订单没有在开仓前一秒写入日志，因此作废。已退还投入 {stake}，并另付十分之一，共 {paid}。',
    '訂單沒有在開倉前一秒寫入日誌，因此作廢。已退還投入 {stake}，並另付十分之一，共 {paid}。',
    'The order was not logged a second before its opening, so it is void. You got back the stake of {stake} and a tenth of it on top, together {paid}.',
  ),
  moved: localised(
    '您可用余额的变动：{time} {amount}，之后余额 {after}。',
    '您可用餘額的變動：{time} {amount}，之後餘額 {after}。',
    'Your available balance moved by {amount} on {time}, and was {after} after that.',
  ),
  check: localised(
    '所附文件 {file} 是这笔订单的凭证，任何人都可以自行验证：在应用中打开该订单并点“核对这笔结算”，或运行 fairtick verify。本公司任何人都不能更改价格或结果。',
    '所附檔案 {file} 是這筆訂單的憑證，任何人都可以自行驗證：在應用程式中打開該訂單並點「核對這筆結算」，或執行 fairtick verify。本公司任何人都不能更改價格或結果。',
    'The attached file {file} is the receipt of this order. Anybody can check it: open the order in the app and choose “Check this settlement”, or run fairtick verify. Nobody in our company can change a price or a result.',
  ),
} as const satisfies Record<string, Localised>;

const time = (ms: number) => `${timeText(ms, 'UTC')} UTC`;

export const receiptName = (id: string): string => `fairtick-receipt-${id}.json`;

/** The account of an order, in plain words of its customer's language: terms, prices with their sources, outcome, movements. */
export function accountOf(
  { order, receipt, transfers }: Pick<Case, 'order' | 'receipt' | 'transfers'>,
  language: Language,
): Account {
  const say = (text: keyof typeof TEXTS, values: Readonly<Record<string, string>> = {}) =>
    TEXTS[text][language].replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  const money = (amount: string) => `${amountText(amount)} ${order.asset}`;
  const { id, symbol, direction, minutes, amount } = order;
  const lines = [
    say('bought', {
      time: time(order.createdAt),
      symbol,
      direction: say(direction),
      minutes: String(minutes),
      stake: money(amount),
      rate: `${(parseRate(order.payoutRate) ?? 0) / 100}%`,
    }),
    ...acceptedLine(receipt, say),
    ...priceLines(receipt, 'opening', say),
    ...priceLines(receipt, 'settling', say),
    outcomeLine(order, say, money),
    ...transfers.flatMap((transfer) => movedLine(transfer, say, money)),
    ...(receipt === null ? [] : [say('check', { file: receiptName(id) })]),
  ];
  return { title: say('title', { id }), lines };
}

type Say = (text: keyof typeof TEXTS, values?: Readonly<Record<string, string>>) => string;
type Receipt = Data<'orderReceipt'>;

function acceptedLine(receipt: Receipt | null, say: Say): string[] {
  const logged = receipt?.entries.find(({ role }) => role === 'orders');
  const entry = logged && parseEntry(logged.entry);
  return logged && entry?.kind === 'orders'
    ? [say('accepted', { index: String(logged.index), time: time(entry.timeMs) })]
    : [];
}

/** The price of the opening or of the settlement, the entry that states it, and each source's record. */
function priceLines(receipt: Receipt | null, part: Part, say: Say): string[] {
  return (receipt?.entries ?? []).flatMap(({ role, index, entry: text }) => {
    const fix = role === part ? parseEntry(text) : null;
    if (fix?.kind !== 'fix' && fix?.kind !== 'close') return [];
    const { decimals } = fix;
    const records = fix.records.map((listed) => {
      if (!hasRecord(listed)) return say('noRecord', { source: listed.source });
      const { source, last, use } = listed;
      const values = { source, price: formatDecimal(last.price, decimals), number: String(last.number) };
      return say(use === 'use' ? 'record' : 'recordUnused', values);
    });
    const price = formatDecimal(fix.price, decimals);
    const values = { time: time(fix.fixMs), price, index: String(index) };
    return [say(fix.kind === 'fix' ? part : 'corrected', values), ...records.map((record) => `• ${record}`)];
  });
}

function outcomeLine(order: Order, say: Say, money: (amount: string) => string): string {
  const { openPrice, settlePrice, voidReason, result, profit, amount, expectedIncome } = order;
  if (result === null || profit === null) return say('open', { time: time(order.settlesAt) });
  const paid = sum([amount, profit]);
  const values = {
    stake: money(amount),
    income: money(expectedIncome),
    paid: money(paid),
    open: openPrice ?? '',
    settle: settlePrice ?? '',
  };
  if (voidReason !== null) return say(voidReason, values);
  return say(openPrice === null || settlePrice === null ? 'unpriced' : result, values);
}

/** One line for each transfer that moves the available balance. */
function movedLine(
  { time: at, postings }: Case['transfers'][number],
  say: Say,
  money: (amount: string) => string,
): string[] {
  const moves = postings.map(({ from, to, amount }) =>
    to.endsWith(' available') ? amount : from.endsWith(' available') ? `-${amount}` : '0',
  );
  const after = postings.findLast(({ availableAfter }) => availableAfter !== null)?.availableAfter;
  const moved = sum(moves);
  if (after === undefined || after === null || !/[1-9]/.test(moved)) return [];
  return [say('moved', { time: time(at), amount: money(moved), after: money(after) })];
}

/** Adds decimals of one asset, each with its sign. */
function sum(amounts: readonly string[]): string {
  const scale = Math.max(...amounts.map((amount) => amount.split('.')[1]?.length ?? 0));
  const units = amounts.reduce((all, amount) => {
    const size = parseDecimal(amount.replace('-', ''), scale) ?? 0n;
    return amount.startsWith('-') ? all - size : all + size;
  }, 0n);
  return formatDecimal(units, scale);
}
