import { refused } from './error-entry.ts';

/** Refusals that protect customers from themselves, and those about price alerts. */
export const PROTECTION_ERRORS = {
  ON_BREAK: refused(
    '您正在休息期，结束前不能下单或充值；提现不受影响',
    '您正在休息期，結束前不能下單或充值；提現不受影響',
    'You are taking a break. Until it ends there are no orders and no deposits; withdrawals go on',
  ),
  SELF_EXCLUDED: refused(
    '您已自我禁入，期间不能下单或充值；提现不受影响',
    '您已自我禁入，期間不能下單或充值；提現不受影響',
    'You have excluded yourself. There are no orders and no deposits; withdrawals go on',
  ),
  STAKE_LIMIT: refused(
    '超过您自设的下单限额，还可下单 {bound}',
    '超過您自設的下單限額，還可下單 {bound}',
    'This is more than your own limit on stakes. It leaves {bound}',
  ),
  LOSS_LIMIT: refused(
    '超过您自设的亏损限额（未结算订单按亏损计），还可下单 {bound}',
    '超過您自設的虧損限額（未結算訂單按虧損計），還可下單 {bound}',
    'This could pass your own limit on losses, open orders counted as lost. It leaves {bound}',
  ),
  DEPOSIT_LIMIT: refused(
    '超过您自设的充值限额，还可充值 {bound}',
    '超過您自設的充值限額，還可充值 {bound}',
    'This is more than your own limit on deposits. It leaves {bound}',
  ),
  BREAK_LASTS_LONGER: refused(
    '您现有的休息期或禁入期更长，不能缩短',
    '您現有的休息期或禁入期更長，不能縮短',
    'The break you are taking lasts longer, and none becomes shorter',
  ),
  COUNTRY_REQUIRED: refused(
    '请选择居住的国家或地区',
    '請選擇居住的國家或地區',
    'Please choose the country or region you live in',
  ),
  RISK_NOT_ACCEPTED: refused(
    '请阅读并接受风险提示',
    '請閱讀並接受風險提示',
    'Please read the risk statement and accept it',
  ),
  TOO_MANY_ALERTS: refused(
    '最多同时设 {count} 个价格提醒，请先删除一个',
    '最多同時設 {count} 個價格提醒，請先刪除一個',
    'At most {count} price alerts can wait at once. Please remove one first',
  ),
  ALERT_PRICE: refused('价格格式不正确', '價格格式不正確', 'The price is not valid for this product'),
  ALERT_REACHED: refused(
    '现价已是这个价格，请填另一个',
    '現價已是這個價格，請填另一個',
    'That is the price right now. Please choose another',
  ),
  ALERT_NOT_FOUND: refused('没有这个价格提醒', '沒有這個價格提醒', 'There is no such price alert'),
} as const;
