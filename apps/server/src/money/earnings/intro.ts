import { type Language, localised } from '@fairtick/protocol/languages';

/** Has one point a line: the payer, the formula of interest, the change of rates, and the risk. */
const INTRO = localised(
  [
    '利息由平台以自有资金支付，每天 00:00（UTC）从账本中平台的收益账户记入您的余额；不来自交易，也不来自其他客户的资金。',
    '利息＝当日最低余额 × 年利率 ÷ 365，向下取整到最小单位，余数结转次日。',
    '新利率至少提前一整天公布，只对之后的日期生效；不承诺今后的利率。',
    '转入的金额始终是平台对您的欠款，可随时转出。这不是银行存款，不受存款保险保障；能否支付取决于平台的偿付能力。',
  ].join('\n'),
  [
    '利息由平台以自有資金支付，每天 00:00（UTC）從帳本中平台的收益帳戶記入您的餘額；不來自交易，也不來自其他客戶的資金。',
    '利息＝當日最低餘額 × 年利率 ÷ 365，向下取整到最小單位，餘數結轉次日。',
    '新利率至少提前一整天公布，只對之後的日期生效；不承諾今後的利率。',
    '轉入的金額始終是平台對您的欠款，可隨時轉出。這不是銀行存款，不受存款保險保障；能否支付取決於平台的償付能力。',
  ].join('\n'),
  [
    'We pay the interest from our own funds, each day at 00:00 UTC, from our earnings account in the ledger to your balance. It comes neither from trading nor from other customers’ money.',
    'Interest = the day’s lowest balance × annual rate ÷ 365, rounded down to the smallest unit; the remainder is carried to the next day.',
    'A new rate is published at least one full day ahead and applies to future days only. Later rates are not guaranteed.',
    'What you transfer in remains owed to you and can be transferred out at any time. This is not a bank deposit and is not covered by deposit insurance; payment depends on our ability to pay.',
  ].join('\n'),
);

const SAMPLE = localised(
  '模拟：利率为示例，金额为测试资金。',
  '模擬：利率為範例，金額為測試資金。',
  'Demo: rates are samples and the money is test money.',
);

/** Explains where the yield comes from, as the screen shows it. A demo says that its rates are samples. */
export function introText(language: Language, isSample: boolean): string {
  return isSample ? `${SAMPLE[language]}\n${INTRO[language]}` : INTRO[language];
}
