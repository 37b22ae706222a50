import type { Language } from '@fairtick/protocol';

/** The rules of an order as shown to the customer, in the order of their numbers. `{delay}` and `{bound}` are seconds. */
const TEXTS: Readonly<Record<Language, readonly string[]>> = {
  zh: [
    '受理：订单与资金变动落盘后，您会收到签名的受理单。结算时间为受理时间加时限，向上取整到秒，且不晚于收盘。',
    '入日志：受理后 2 秒内，订单写入公开日志，此后既不能否认，也不能倒签。',
    '开仓：以日志中受理 {delay} 秒之后收到多数报价的第一个价格开仓。按钮上的价格仅供参考。',
    '结算：以结算时间当时或之前的最后一个价格结算。',
    '作废：未及时入日志、没有开仓价格、开仓前行情中断，投入全额退回。结算价格若早于结算时间 {bound} 秒以上，只在对您有利时才算数，否则作废退回。',
    '结果：买涨时结算价高于开仓价为盈利，买跌相反；价格相同则退回投入。盈利为投入乘以赔付率，最小单位以下舍去。',
    '规则变更：先写入日志，至少一个最长时限之后才生效，只影响新订单。',
  ],
  tw: [
    '受理：訂單與資金變動寫入後，您會收到簽名的受理單。結算時間為受理時間加時限，向上取整到秒，且不晚於收盤。',
    '入日誌：受理後 2 秒內，訂單寫入公開日誌，此後既不能否認，也不能倒簽。',
    '開倉：以日誌中受理 {delay} 秒之後收到多數報價的第一個價格開倉。按鈕上的價格僅供參考。',
    '結算：以結算時間當時或之前的最後一個價格結算。',
    '作廢：未及時入日誌、沒有開倉價格、開倉前行情中斷，投入全額退回。結算價格若早於結算時間 {bound} 秒以上，只在對您有利時才算數，否則作廢退回。',
    '結果：買漲時結算價高於開倉價為盈利，買跌相反；價格相同則退回投入。盈利為投入乘以賠付率，最小單位以下捨去。',
    '規則變更：先寫入日誌，至少一個最長時限之後才生效，只影響新訂單。',
  ],
  en: [
    'Accepted: once the order and its money are durable you get a signed acceptance. It settles at acceptance plus the time limit, rounded up to a whole second, never after the session ends.',
    'Logged: within 2 s the order stands in the public log; from then on it can be neither denied nor backdated.',
    'Opens at the first logged price most of whose quotes were received {delay} s or more after acceptance. The price on the button is indicative.',
    'Settles at the last logged price at or before the settlement time.',
    'Void, stake returned in full: not logged in time, no opening price, or prices stopped before it opened. A settlement price more than {bound} s old counts only if it pays you; otherwise the order is void.',
    'Up wins when the settlement price is above the opening price, down when it is below; equal returns the stake. A win earns stake × payout rate, cut off at the smallest unit.',
    'Rules change only after they are logged, no sooner than the longest time limit later, and for new orders only.',
  ],
};

export function orderRuleTexts(
  language: Language,
  rules: { delayMs: number; settleBoundMs: number } | null,
): string[] {
  const seconds = (ms: number | undefined) => (ms === undefined ? '–' : String(ms / 1000));
  return TEXTS[language].map((text) =>
    text.replace('{delay}', seconds(rules?.delayMs)).replace('{bound}', seconds(rules?.settleBoundMs)),
  );
}
