import { type Language, localised } from '@fairtick/protocol/languages';

const INTRO = localised(
  '收益由平台以自有资金支付：每天 00:00（UTC）计息，每一笔都从账本中平台的收益账户记入您的余额。它不来自交易，也不来自其他客户的资金；转入的金额始终是平台对您的欠款，可随时转出。利息＝当日最低余额 × 年利率 ÷ 365，向下取整到最小单位，余数结转次日。利率按公布的利率表执行，改变只对之后的日期生效，至少提前一整天公布，不作追溯，也不承诺今后的利率。这不是银行存款，不受存款保险保障；能否支付取决于平台的偿付能力。',
  '收益由平台以自有資金支付：每天 00:00（UTC）計息，每一筆都從帳本中平台的收益帳戶記入您的餘額。它不來自交易，也不來自其他客戶的資金；轉入的金額始終是平台對您的欠款，可隨時轉出。利息＝當日最低餘額 × 年利率 ÷ 365，向下取整到最小單位，餘數結轉次日。利率按公布的利率表執行，變更只對之後的日期生效，至少提前一整天公布，不作追溯，也不承諾今後的利率。這不是銀行存款，不受存款保險保障；能否支付取決於平台的償付能力。',
  'We pay the interest from our own funds: each day at 00:00 UTC it is booked in the ledger from our earnings account to your balance. It comes neither from trading nor from other customers’ money; what you transfer in remains owed to you and can be transferred out at any time. Interest = the day’s lowest balance × annual rate ÷ 365, rounded down to the smallest unit; the remainder is carried to the next day. Rates follow the published table. Changes apply to future days only and are published at least one full day ahead; later rates are not guaranteed. This is not a bank deposit and is not covered by deposit insurance; payment depends on our ability to pay.',
);

const SAMPLE = localised(
  '演示：利率为示例，金额为测试资金。',
  '模擬：利率為範例，金額為測試資金。',
  'Demo: rates are samples and the money is test money.',
);

/** Explains where the yield comes from, as the screen shows it. A demo says that its rates are samples. */
export function introText(language: Language, isSample: boolean): string {
  return isSample ? `${SAMPLE[language]}\n${INTRO[language]}` : INTRO[language];
}
