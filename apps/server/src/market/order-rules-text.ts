import type { Language } from '@fairtick/protocol';

/**
 * The rules of an order as shown to the customer, in the order of their numbers. `{delay}` is D in seconds, `{fresh}` the greatest age
 * of quotes that make a price current, and `{window}` how long
 * after the first grid time from D on the order may still open.
 */
const TEXTS: Readonly<Record<Language, readonly string[]>> = {
  zh: [
    '受理：订单与资金变动落盘后，您会收到签名的受理单，其中写明所在批次。结算时间为受理时间加时限，向上取整到秒，且不晚于收盘。',
    '入日志：受理后 {delay} 秒之内，您所在的批次必须写入公开日志，否则作废。作废在任何可能的开仓价格出现之前就已确定。',
    '开仓：受理 {delay} 秒起的第一个有效价格，且其采用的报价过半数在受理当时或之后发出并收到。过半数来源的采用报价不早于 {fresh} 秒前，价格才有效。每 0.25 秒有一个价格：从受理满 {delay} 秒之前的最后一个到开仓价格，一个也不能少。缺少价格、行情中断，或 {window} 秒内（最迟到结算时间）没有开仓价格：作废。',
    '结算：以恰好在结算时间的有效价格结算。如果没有，则算您赢：行情沉默只会让平台受损。',
    '来源缺失：开仓或结算的价格中，如有来源缺失或其报价过旧，则以对您最有利的报价代替该价格：开仓时买涨取最低、买跌取最高，结算时相反。',
    '作废：投入全额退回。没有其他作废理由，开仓之后不再作废，也没有任何人可以自行决定。作废订单按下一个价格本应支付的金额，会按理由公布。',
    '结果：买涨时结算价高于开仓价为盈利，买跌相反；价格相同则退回投入。盈利时退回投入，并加上投入乘以赔付率，最小单位以下舍去，归平台。',
    '规则：订单按其受理单所写的规则结算。新规则先写入日志，至少一个最长时限之后才生效。平台可以对所有人暂停新订单，但仅限新订单；暂停的开始和结束都写入日志。',
  ],
  tw: [
    '受理：訂單與資金變動寫入後，您會收到簽名的受理單，其中寫明所在批次。結算時間為受理時間加時限，向上取整到秒，且不晚於收盤。',
    '入日誌：受理後 {delay} 秒之內，您所在的批次必須寫入公開日誌，否則作廢。作廢在任何可能的開倉價格出現之前就已確定。',
    '開倉：受理 {delay} 秒起的第一個有效價格，且其採用的報價過半數在受理當時或之後發出並收到。過半數來源的採用報價不早於 {fresh} 秒前，價格才有效。每 0.25 秒有一個價格：從受理滿 {delay} 秒之前的最後一個到開倉價格，一個也不能少。缺少價格、行情中斷，或 {window} 秒內（最遲到結算時間）沒有開倉價格：作廢。',
    '結算：以恰好在結算時間的有效價格結算。如果沒有，則算您贏：行情沉默只會讓平台受損。',
    '來源缺失：開倉或結算的價格中，如有來源缺失或其報價過舊，則以對您最有利的報價代替該價格：開倉時買漲取最低、買跌取最高，結算時相反。',
    '作廢：投入全額退回。沒有其他作廢理由，開倉之後不再作廢，也沒有任何人可以自行決定。作廢訂單按下一個價格本應支付的金額，會按理由公布。',
    '結果：買漲時結算價高於開倉價為盈利，買跌相反；價格相同則退回投入。盈利時退回投入，並加上投入乘以賠付率，最小單位以下捨去，歸平台。',
    '規則：訂單按其受理單所寫的規則結算。新規則先寫入日誌，至少一個最長時限之後才生效。平台可以對所有人暫停新訂單，但僅限新訂單；暫停的開始和結束都寫入日誌。',
  ],
  en: [
    'Accepted: once the order and its money are durable, you get a signed acceptance, which names its batch. It settles at acceptance plus the time limit, rounded up to a whole second, never after the session ends.',
    'Logged: the batch stands in the public log within {delay} s of acceptance. Otherwise the order is void, which is known before any price that could open it.',
    'Opens at the first current price {delay} s or more after acceptance in which more than half of the quotes of use were made and received at or after acceptance. A price is current if more than half of all sources have a quote of use that is at most {fresh} s old. There is a price every 0.25 s, and none may be missing, from the last one before those {delay} s to the opening. A missing one, an interruption of prices, or no opening within {window} s more or by the settlement time: void.',
    'Settles at the current price of exactly the settlement time. If there is none, you win: silence only costs the house.',
    'Where a source is missing or its quote is too old, in the price that opens or in the one that settles, the quote that is best for you counts in place of the price: at the opening the lowest for up and the highest for down, at the settlement the other way round.',
    'Void: the stake is returned in full. There is no other reason, none after the opening, and nobody decides it. What void orders would have paid at the next price is published, by reason.',
    'Up wins when the settlement price is above the opening price, down when it is below; equal returns the stake. A win pays the stake and stake × payout rate, cut off at the smallest unit; the remainder stays with the house.',
    'An order settles under the rules that its acceptance names. Changed rules are logged first and hold no sooner than the longest time limit later. New orders can be halted for everybody, and only they; the log says when a halt begins and ends.',
  ],
};

/** Rule 3 where only one price can open an order, because `openWithinMs` is 0. */
const OPENS_AT_ONCE: Readonly<Record<Language, string>> = {
  zh: '开仓：以受理满 {delay} 秒起第一个 0.25 秒时刻的价格开仓；该价格须有效，且其采用的报价过半数在受理当时或之后发出并收到。过半数来源的采用报价不早于 {fresh} 秒前，价格才有效。该价格或它的前一个缺失、行情中断，或该价格不能开仓：作废。',
  tw: '開倉：以受理滿 {delay} 秒起第一個 0.25 秒時刻的價格開倉；該價格須有效，且其採用的報價過半數在受理當時或之後發出並收到。過半數來源的採用報價不早於 {fresh} 秒前，價格才有效。該價格或它的前一個缺失、行情中斷，或該價格不能開倉：作廢。',
  en: 'Opens at the price of the first quarter of a second {delay} s or more after acceptance, if it is current and more than half of its quotes of use were made and received at or after acceptance. A price is current if more than half of all sources have a quote of use that is at most {fresh} s old. If that price or the one before it is missing, prices are interrupted, or the price can’t open it: void.',
};
/** Its place among the rules. */
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
      .replaceAll('{fresh}', seconds(rules?.freshMs))
      .replaceAll('{window}', seconds(rules?.openWithinMs)),
  );
}
