import type { Language } from '@fairtick/protocol';
import { MOST_AHEAD_MS } from '@fairtick/trading';

/**
 * The rules of an order as shown to the customer, in the order of their numbers. `{delay}` is D in seconds, `{latest}` the greatest
 * time from acceptance to the opening time, `{quiet}` the greatest age of a record that counts, and `{wait}` how long a price waits for
 * every source.
 */
const TEXTS: Readonly<Record<Language, readonly string[]>> = {
  zh: [
    '受理：订单与资金变动写入数据库后，您会收到签名的受理单，其中写明批次、开仓时间、结算时间，以及您所提交内容的哈希。开仓时间为整秒，由您的应用随订单指定，须在受理后 {delay} 至 {latest} 秒之间，否则不予受理，平台不能更改；未指定时由服务器取最早的时间。结算时间为开仓时间加周期，且不晚于收盘。',
    '入日志：公开日志必须在开仓时间至少 1 秒之前写入您的订单，并公开您所提交内容的哈希的开头。写在那里的就是订单，无论是否收到回应；写入更晚则作废。',
    '价格：某一秒的价格，是各来源自身在该秒或之前最后一条记录的中位数。早于 {quiet} 秒的记录和偏离其他来源过远的记录不计。价格要等到各来源给出其后一条记录，或说明没有；{wait} 秒之后，由已确知的来源决定，但数量须足够。等候不会改变价格。',
    '开仓：以开仓时刻的价格开仓。有效来源少于规则所需：作废。',
    '结算：以结算时刻的价格结算；有效来源不足时，各记录不论新旧一并计入。任何一个价格在其时刻之后 24 小时仍未写出，则判您盈利。',
    '更正：如果后来的记录表明某来源在该秒还有被遗漏的记录，价格会重新写出，您的订单以两个结果中较好的为准，差额自动支付，已支付的绝不收回。',
    '作废：投入全额退回；未及时写入日志的，平台另付投入的十分之一，最小单位以下舍去。没有其他作废原因，开仓之后不再作废，也没有任何人可以自行决定。作废订单本应支付的金额，会按原因公布。',
    '结果：买涨时结算价高于开仓价为盈利，买跌相反；价格相同则退回投入。盈利时退回投入，并加上投入乘以赔付率，最小单位以下舍去，归平台。',
    '规则：订单按其受理单所写的规则结算。新规则先写入日志，至少一个最长周期之后才生效。平台只能暂停单一或全部产品的新订单，且只能对所有人暂停；暂停的开始和结束都写入日志。',
  ],
  tw: [
    '受理：訂單與資金變動寫入資料庫後，您會收到簽名的受理單，其中寫明批次、開倉時間、結算時間，以及您所送出內容的雜湊。開倉時間為整秒，由您的應用程式隨訂單指定，須在受理後 {delay} 至 {latest} 秒之間，否則不予受理，平台不能更改；未指定時由伺服器取最早的時間。結算時間為開倉時間加週期，且不晚於收盤。',
    '入日誌：公開日誌必須在開倉時間至少 1 秒之前寫入您的訂單，並公開您所送出內容的雜湊的開頭。寫在那裡的就是訂單，無論是否收到回應；寫入更晚則作廢。',
    '價格：某一秒的價格，是各來源自身在該秒或之前最後一條紀錄的中位數。早於 {quiet} 秒的紀錄和偏離其他來源過遠的紀錄不計。價格要等到各來源給出其後一條紀錄，或說明沒有；{wait} 秒之後，由已確知的來源決定，但數量須足夠。等候不會改變價格。',
    '開倉：以開倉時刻的價格開倉。有效來源少於規則所需：作廢。',
    '結算：以結算時刻的價格結算；有效來源不足時，各紀錄不論新舊一併計入。任何一個價格在其時刻之後 24 小時仍未寫出，則判您獲利。',
    '更正：如果後來的紀錄表明某來源在該秒還有被遺漏的紀錄，價格會重新寫出，您的訂單以兩個結果中較好的為準，差額自動支付，已支付的絕不收回。',
    '作廢：投入全額退回；未及時寫入日誌的，平台另付投入的十分之一，最小單位以下捨去。沒有其他作廢原因，開倉之後不再作廢，也沒有任何人可以自行決定。作廢訂單本應支付的金額，會按原因公布。',
    '結果：買漲時結算價高於開倉價為獲利，買跌相反；價格相同則退回投入。獲利時退回投入，並加上投入乘以賠付率，最小單位以下捨去，歸平台。',
    '規則：訂單按其受理單所寫的規則結算。新規則先寫入日誌，至少一個最長週期之後才生效。平台只能暫停單一或全部產品的新訂單，且只能對所有人暫停；暫停的開始和結束都寫入日誌。',
  ],
  en: [
    'Acceptance: once the order and its movement of money are stored, you get a signed acceptance. It names the batch, the opening time, the settlement time and the hash of what you asked for. Your app names the opening time with the order, a whole second: {delay} to {latest} s after acceptance, or the order is refused. The house can’t change it; if none is named, the server takes the earliest. The order settles at the opening time plus the cycle, and never after the end of trading.',
    'Logging: the public log must carry your order at least 1 s before the opening time, with the beginning of the hash of what you asked for in the open. What stands there is an order, answered or not. If it is logged later, it is void.',
    'Price: the price of a second is the median of what each source itself has last on record at or before it. A record older than {quiet} s does not count, nor one too far from the others. The price waits until each source has shown its next record or said that there is none; after {wait} s those known to the end decide, if they are enough. No wait changes a price.',
    'Opening: at the price of the opening time. If fewer sources count than the rules need: void.',
    'Settlement: at the price of the settlement time; if too few sources count, all records count, whatever their age. If either price is not written 24 hours after its time, you win.',
    'Correction: if a later record shows that a source had another one at that second, the price is written again, and the better of both results counts for you. The difference is paid by itself, and you never pay anything back.',
    'Void: the stake is returned in full. If the order was not logged in time, the house pays a tenth of it on top, cut off at the smallest unit. There are no other reasons, no order becomes void after its opening, and nobody can decide it. What void orders would have paid is published by reason.',
    'Outcome: up wins if the settlement price is above the opening price, down if it is below; an equal price returns the stake. A win pays the stake plus stake × payout rate, cut off at the smallest unit; the remainder stays with the house.',
    'Rules: an order settles under the rules that its acceptance names. Changed rules are logged first and take effect no sooner than the longest cycle later. Only new orders can be halted, in one product or in all, and only for everyone; the log records when a halt begins and ends.',
  ],
};

export function orderRuleTexts(
  language: Language,
  rules: { delayMs: number; quietMs: number; waitMs: number } | null,
): string[] {
  const seconds = (ms: number | undefined) => (ms === undefined ? '–' : String(ms / 1000));
  return TEXTS[language].map((text) =>
    text
      .replaceAll('{delay}', seconds(rules?.delayMs))
      .replaceAll('{latest}', seconds(rules ? rules.delayMs + MOST_AHEAD_MS : undefined))
      .replaceAll('{quiet}', seconds(rules?.quietMs))
      .replaceAll('{wait}', seconds(rules?.waitMs)),
  );
}
