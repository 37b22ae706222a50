import type { Language } from '@fairtick/protocol';
import { MOST_AHEAD_MS } from '@fairtick/trading';

/**
 * The rules of an order as shown to the customer, in the order of their numbers. `{delay}` is D in seconds, `{latest}` the greatest
 * time from acceptance to the opening time, `{fresh}` the greatest age of quotes that make a price current, and `{window}` how long
 * after its opening time the order may still open.
 */
const TEXTS: Readonly<Record<Language, readonly string[]>> = {
  zh: [
    '受理：订单与资金变动写入数据库后，您会收到签名的受理单，其中写明批次、开仓时间、结算时间，以及您所提交内容的哈希。开仓时间由您的应用随订单指定，须在受理后 {delay} 至 {latest} 秒之间，否则不予受理，平台不能更改；未指定时由服务器取最早的时间。结算时间为开仓时间加周期，向上取整到秒，且不晚于收盘。',
    '入日志：您所在的批次必须在开仓时间至少 1 秒之前写入公开日志，否则作废。作废在任何可能的开仓价格出现之前就已确定。',
    '开仓：以开仓时间起的第一个有效价格开仓；该价格采用的报价，须过半数的发出与收到时间都不早于开仓时间前 {delay} 秒。过半数来源的采用报价不早于 {fresh} 秒前，价格才有效。每 0.25 秒有一个价格：从开仓时间之前的最后一个到开仓价格，一个也不能少。缺少价格、行情中断，或 {window} 秒内（最迟到结算时间）没有开仓价格：作废。',
    '结算：以结算时刻的有效价格结算。如果没有，则算您赢：行情中断只会让平台受损。',
    '来源缺失：开仓或结算的价格中，如有来源缺失或其报价过旧，则以对您最有利的报价代替该价格：开仓时买涨取最低、买跌取最高，结算时相反。',
    '作废：投入全额退回，平台另付投入的十分之一，最小单位以下舍去。没有其他作废原因，开仓之后不再作废，也没有任何人可以自行决定。作废订单按下一个价格本应支付的金额，会按原因公布。',
    '结果：买涨时结算价高于开仓价为盈利，买跌相反；价格相同则退回投入。盈利时退回投入，并加上投入乘以赔付率，最小单位以下舍去，归平台。',
    '规则：订单按其受理单所写的规则结算。新规则先写入日志，至少一个最长周期之后才生效。平台只能暂停新订单，且只能对所有人暂停；暂停的开始和结束都写入日志。',
  ],
  tw: [
    '受理：訂單與資金變動寫入資料庫後，您會收到簽名的受理單，其中寫明批次、開倉時間、結算時間，以及您所送出內容的雜湊。開倉時間由您的應用程式隨訂單指定，須在受理後 {delay} 至 {latest} 秒之間，否則不予受理，平台不能更改；未指定時由伺服器取最早的時間。結算時間為開倉時間加週期，向上取整到秒，且不晚於收盤。',
    '入日誌：您所在的批次必須在開倉時間至少 1 秒之前寫入公開日誌，否則作廢。作廢在任何可能的開倉價格出現之前就已確定。',
    '開倉：以開倉時間起的第一個有效價格開倉；該價格採用的報價，須過半數的發出與收到時間都不早於開倉時間前 {delay} 秒。過半數來源的採用報價不早於 {fresh} 秒前，價格才有效。每 0.25 秒有一個價格：從開倉時間之前的最後一個到開倉價格，一個也不能少。缺少價格、行情中斷，或 {window} 秒內（最遲到結算時間）沒有開倉價格：作廢。',
    '結算：以結算時刻的有效價格結算。如果沒有，則算您贏：行情中斷只會讓平台受損。',
    '來源缺失：開倉或結算的價格中，如有來源缺失或其報價過舊，則以對您最有利的報價代替該價格：開倉時買漲取最低、買跌取最高，結算時相反。',
    '作廢：投入全額退回，平台另付投入的十分之一，最小單位以下捨去。沒有其他作廢原因，開倉之後不再作廢，也沒有任何人可以自行決定。作廢訂單按下一個價格本應支付的金額，會按原因公布。',
    '結果：買漲時結算價高於開倉價為獲利，買跌相反；價格相同則退回投入。獲利時退回投入，並加上投入乘以賠付率，最小單位以下捨去，歸平台。',
    '規則：訂單按其受理單所寫的規則結算。新規則先寫入日誌，至少一個最長週期之後才生效。平台只能暫停新訂單，且只能對所有人暫停；暫停的開始和結束都寫入日誌。',
  ],
  en: [
    'Acceptance: once the order and its movement of money are stored, you get a signed acceptance. It names the batch, the opening time, the settlement time and the hash of what you asked for. Your app names the opening time with the order: {delay} to {latest} s after acceptance, or the order is refused. The house can’t change it; if none is named, the server takes the earliest. The order settles at the opening time plus the cycle, rounded up to a whole second, and never after the end of trading.',
    'Logging: the batch must be in the public log at least 1 s before the opening time. Otherwise the order is void, and that is certain before any price that could open it.',
    'Opening: at the first current price from the opening time on for which more than half of the quotes used were issued and received no earlier than {delay} s before the opening time. A price is current if more than half of all sources have a quote in use that is at most {fresh} s old. There is a price every 0.25 s, and none may be missing, from the last one before the opening time to the opening. A missing price, an interruption of prices, or no opening within {window} s or by the settlement time: void.',
    'Settlement: at the current price of exactly the settlement time. If there is none, you win: silence costs only the house.',
    'Missing sources: if a source is missing or its quote is too old in the price that opens or settles the order, the quote most favourable to you replaces that price: at the opening the lowest for up and the highest for down, at the settlement the reverse.',
    'Void: the stake is returned in full, and the house pays a tenth of it on top, cut off at the smallest unit. There are no other reasons, no order becomes void after its opening, and nobody can decide it. What void orders would have paid at the next price is published by reason.',
    'Outcome: up wins if the settlement price is above the opening price, down if it is below; an equal price returns the stake. A win pays the stake plus stake × payout rate, cut off at the smallest unit; the remainder stays with the house.',
    'Rules: an order settles under the rules that its acceptance names. Changed rules are logged first and take effect no sooner than the longest cycle later. Only new orders can be halted, and only for everyone; the log records when a halt begins and ends.',
  ],
};

/** Rule 3 where only one price can open an order, because `openWithinMs` is 0. */
const OPENS_AT_ONCE: Readonly<Record<Language, string>> = {
  zh: '开仓：以开仓时刻的价格开仓；该价格须有效，且其采用的报价须过半数的发出与收到时间都不早于开仓时间前 {delay} 秒。过半数来源的采用报价不早于 {fresh} 秒前，价格才有效。该价格或它的前一个缺失、行情中断，或该价格不能开仓：作废。',
  tw: '開倉：以開倉時刻的價格開倉；該價格須有效，且其採用的報價須過半數的發出與收到時間都不早於開倉時間前 {delay} 秒。過半數來源的採用報價不早於 {fresh} 秒前，價格才有效。該價格或它的前一個缺失、行情中斷，或該價格不能開倉：作廢。',
  en: 'Opening: at the price of exactly the opening time, if it is current and more than half of the quotes that it uses were issued and received no earlier than {delay} s before it. A price is current if more than half of all sources have a quote in use that is at most {fresh} s old. If that price or the one before it is missing, prices are interrupted, or the price can’t open it: void.',
};
/** The index of the opening's rule in the list. */
const OPENS = 2;

export function orderRuleTexts(
  language: Language,
  rules: { delayMs: number; freshMs: number; openWithinMs: number } | null,
): string[] {
  const seconds = (ms: number | undefined) => (ms === undefined ? '–' : String(ms / 1000));
  const texts = rules?.openWithinMs ? TEXTS[language] : TEXTS[language].with(OPENS, OPENS_AT_ONCE[language]);
  return texts.map((text) =>
    text
      .replaceAll('{delay}', seconds(rules?.delayMs))
      .replaceAll('{latest}', seconds(rules ? rules.delayMs + MOST_AHEAD_MS : undefined))
      .replaceAll('{fresh}', seconds(rules?.freshMs))
      .replaceAll('{window}', seconds(rules?.openWithinMs)),
  );
}
