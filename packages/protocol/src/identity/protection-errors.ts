import { refused } from '../error-entry.ts';

/** Refusals that protect customers from themselves, those by freezes of staff, and those about price alerts. */
export const PROTECTION_ERRORS = {
  ON_BREAK: refused(
    '您正在休息期，结束前不能下单或充值；提现不受影响',
    '您正在休息期，結束前不能下單或入金；出金不受影響',
    'You are on a break. Until it ends you cannot place orders or make deposits; withdrawals work as usual',
  ),
  SELF_EXCLUDED: refused(
    '您已自我禁入，期间不能下单或充值；提现不受影响',
    '您已自我禁入，期間不能下單或入金；出金不受影響',
    'You are self-excluded. You cannot place orders or make deposits; withdrawals work as usual',
  ),
  LOGIN_FROZEN: refused(
    '此账号在 {until} 前不能登录：{reason}。如有疑问，请点“忘记密码”联系客服',
    '此帳號在 {until} 前不能登入：{reason}。如有疑問，請點「忘記密碼」聯絡客服',
    'Logins to this account are closed until {until}: {reason}. To ask why, choose “Forgot password” and write to support',
  ),
  ORDERS_FROZEN: refused(
    '您的账户暂时不能下单；已有订单照常结算。详情请联系客服',
    '您的帳戶暫時不能下單；已有訂單照常結算。詳情請聯絡客服',
    'New orders are closed for your account for now; open orders settle as usual. Please contact support for details',
  ),
  WITHDRAWALS_FROZEN: refused(
    '您的账户暂时不能提现，余额不变。详情请联系客服',
    '您的帳戶暫時不能出金，餘額不變。詳情請聯絡客服',
    'Withdrawals are closed for your account for now. Your balance stays as it is. Please contact support for details',
  ),
  DEPOSIT_NOT_FINAL: refused(
    '部分充值尚未最终确认，或因区块链撤销而被收回：这部分可以交易，暂不能提现。进度见充值页',
    '部分入金尚未最終確認，或因區塊鏈撤銷而被收回：這部分可以交易，暫不能出金。進度見入金頁',
    'Part of your balance comes from a deposit that is not final yet, or that its chain has dropped. You can trade with it, but not withdraw it yet. The deposit page shows how far it is',
  ),
  DOCUMENT_EXCLUDED: refused(
    '该证件不能用于新账号：自我禁入对本人的所有账号有效，直至期满。原账号的提现不受影响；如有疑问请联系客服',
    '該證件不能用於新帳號：自我禁入對本人的所有帳號有效，直至期滿。原帳號的出金不受影響；如有疑問請聯絡客服',
    'This document can’t be used for a new account: a self-exclusion covers every account of a person until it ends. Withdrawals from the other account work as usual; if in doubt, please contact support',
  ),
  STAKE_LIMIT: refused(
    '超过您自设的投入限额，还可下单 {bound}',
    '超過您自設的投入限額，還可下單 {bound}',
    'This exceeds your own limit on stakes. You can still stake {bound}',
  ),
  LOSS_LIMIT: refused(
    '超过您自设的亏损限额（未结算订单按亏损计），还可下单 {bound}',
    '超過您自設的虧損限額（未結算訂單按虧損計），還可下單 {bound}',
    'This could exceed your own limit on losses (open orders count as lost). You can still stake {bound}',
  ),
  DEPOSIT_LIMIT: refused(
    '超过您自设的充值限额，还可充值 {bound}',
    '超過您自設的入金限額，還可入金 {bound}',
    'This exceeds your own limit on deposits. You can still deposit {bound}',
  ),
  BREAK_LASTS_LONGER: refused(
    '您现有的休息期或禁入期更长，不能缩短',
    '您現有的休息期或禁入期更長，不能縮短',
    'Your current break or self-exclusion is longer and cannot be shortened',
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
    'You can have up to {count} active price alerts. Please remove one first',
  ),
  ALERT_PRICE: refused('价格格式不正确', '價格格式不正確', 'Enter a valid price for this product'),
  ALERT_REACHED: refused(
    '现价已是这个价格，请填另一个',
    '現價已是這個價格，請填另一個',
    'This is the current price. Please choose another',
  ),
  ALERT_NOT_FOUND: refused('没有这个价格提醒', '沒有這個價格提醒', 'This price alert does not exist'),
} as const;
