import { formatDecimal } from '@fairtick/money';
import { deviceOf } from '@fairtick/protocol/device-name';
import { type Language, type Localised, localised, type Texts } from '@fairtick/protocol/languages';
import type { NoticeKind } from '@fairtick/protocol/notice-kinds';
import { REASONS as VERIFICATION_REASONS } from '../customers/identity/verification-reasons.ts';
import { FREEZE_REASONS } from '../customers/protection/freezes.ts';
import type { Products } from '../market/products.ts';
import { reasonText } from '../money/requests/reasons.ts';
import { shownAmount } from '../platform/amounts.ts';
import type { Assets } from '../platform/assets.ts';
import { utcText } from '../platform/utc-text.ts';

/** A notice's texts; `{amount}` and the like are its parameters. Functions of the database write the kinds. */
interface Message {
  readonly title: Localised;
  readonly text: Localised;
}

const message = (title: Texts, text: Texts): Message => ({
  title: localised(...title),
  text: localised(...text),
});

export const MESSAGES = {
  'deposit.success': message(
    ['充值成功', '入金成功', 'Deposit credited'],
    [
      '{amount} 已入账，申请编号 {id}。',
      '{amount} 已入帳，申請編號 {id}。',
      '{amount} has been credited. Request {id}.',
    ],
  ),
  'deposit.failure': message(
    ['充值失败', '入金失敗', 'Deposit failed'],
    [
      '充值 {amount} 未通过：{reason}。申请编号 {id}。如已付款，请联系客服。',
      '入金 {amount} 未通過：{reason}。申請編號 {id}。如已付款，請聯絡客服。',
      'Your deposit of {amount} failed: {reason}. Request {id}. If you have paid, please contact support.',
    ],
  ),
  'deposit.ignored': message(
    ['充值已忽略', '入金已忽略', 'Deposit ignored'],
    [
      '充值 {amount} 未处理：{reason}。申请编号 {id}。',
      '入金 {amount} 未處理：{reason}。申請編號 {id}。',
      'Your deposit of {amount} was ignored: {reason}. Request {id}.',
    ],
  ),
  'deposit.reverted': message(
    ['充值被区块链撤销', '入金被區塊鏈撤銷', 'Deposit dropped by its chain'],
    [
      '区块链替换了包含您充值 {amount} 的区块，这笔款项已收回。如交易再次被确认，会重新入账。申请编号 {id}。',
      '區塊鏈替換了包含您入金 {amount} 的區塊，這筆款項已收回。如交易再次被確認，會重新入帳。申請編號 {id}。',
      'The chain replaced the block with your deposit of {amount}, so the credit was reversed. If the transaction is confirmed again, it is credited again. Request {id}.',
    ],
  ),
  'deposit.unmatched': message(
    ['有一笔链上付款未入账', '有一筆鏈上付款未入帳', 'A payment was not credited'],
    [
      '您的专用地址收到 {amount}，但未入账。原因见充值页；如有疑问请联系客服。',
      '您的專用地址收到 {amount}，但未入帳。原因見入金頁；如有疑問請聯絡客服。',
      'Your own address received {amount}, which was not credited. The deposit page says why. Contact support if you have a question.',
    ],
  ),
  'deposit.held': message(
    ['有一笔链上付款暂未入账', '有一筆鏈上付款暫未入帳', 'A payment is held'],
    [
      '您的专用地址收到 {amount}，暂未入账。原因见充值页；限制结束后会自动入账。',
      '您的專用地址收到 {amount}，暫未入帳。原因見入金頁；限制結束後會自動入帳。',
      'Your own address received {amount}, which is held. The deposit page says why. It is credited by itself once the restriction has ended.',
    ],
  ),
  'withdrawal.approved': message(
    ['提现已批准', '出金已核准', 'Withdrawal approved'],
    [
      '提现 {amount} 已批准，即将付款。申请编号 {id}。',
      '出金 {amount} 已核准，即將付款。申請編號 {id}。',
      'Your withdrawal of {amount} was approved and is about to be paid. Request {id}.',
    ],
  ),
  'withdrawal.success': message(
    ['提现成功', '出金成功', 'Withdrawal paid'],
    [
      '{amount} 已付出，付款流水号 {reference}。申请编号 {id}。',
      '{amount} 已付出，付款流水號 {reference}。申請編號 {id}。',
      '{amount} has been paid. Payment reference {reference}. Request {id}.',
    ],
  ),
  'withdrawal.failure': message(
    ['提现失败', '出金失敗', 'Withdrawal failed'],
    [
      '提现 {amount} 未能付出：{reason}。款项已退回余额。申请编号 {id}。',
      '出金 {amount} 未能付出：{reason}。款項已退回餘額。申請編號 {id}。',
      'Your withdrawal of {amount} was not paid: {reason}. The money is back in your balance. Request {id}.',
    ],
  ),
  'withdrawal.ignored': message(
    ['提现已过期', '出金已過期', 'Withdrawal expired'],
    [
      '提现 {amount} 未处理：{reason}。款项已退回余额。申请编号 {id}。',
      '出金 {amount} 未處理：{reason}。款項已退回餘額。申請編號 {id}。',
      'Your withdrawal of {amount} was not processed: {reason}. The money is back in your balance. Request {id}.',
    ],
  ),
  'correction.done': message(
    ['余额更正', '餘額更正', 'Balance corrected'],
    [
      '余额更正 {amount}：{text}。',
      '餘額更正 {amount}：{text}。',
      'Your balance was corrected by {amount}: {text}.',
    ],
  ),
  'order.corrected': message(
    ['订单结果已更正', '訂單結果已更正', 'Order corrected in your favour'],
    [
      '{symbol} 订单 {id} 的来源记录补全后，结果对您更有利，已补付 {amount}。',
      '{symbol} 訂單 {id} 的來源紀錄補全後，結果對您更有利，已補付 {amount}。',
      'The price records of your {symbol} order {id} were completed, and they give a better result for you. {amount} was paid in addition.',
    ],
  ),
  'verification.verified': message(
    ['实名认证通过', '實名認證通過', 'Your name is verified'],
    ['您的实名认证已通过。', '您的實名認證已通過。', 'Your real name has been verified.'],
  ),
  'verification.failed': message(
    ['实名认证未通过', '實名認證未通過', 'Verification failed'],
    [
      '实名认证未通过，您可以重新提交。{reason}',
      '實名認證未通過，您可以重新提交。{reason}',
      'Your name could not be verified. You can submit it again. {reason}',
    ],
  ),
  'security.payWord': message(
    ['提现密码已设置', '出金密碼已設定', 'Withdrawal password set'],
    [
      '您的提现密码已设置或修改，提现批准会因此暂缓。如非本人操作，请立即修改登录密码并联系客服。',
      '您的出金密碼已設定或修改，出金核准會因此暫緩。如非本人操作，請立即修改登入密碼並聯絡客服。',
      'Your withdrawal password was set or changed, so withdrawal approvals are paused for a while. If this wasn’t you, change your password now and contact support.',
    ],
  ),
  'security.bank': message(
    ['银行卡已绑定', '銀行卡已綁定', 'Bank card added'],
    [
      '您的账号绑定或修改了银行卡，向其提现会暂缓批准。如非本人操作，请立即修改登录密码并联系客服。',
      '您的帳號綁定或修改了銀行卡，向其出金會暫緩核准。如非本人操作，請立即修改登入密碼並聯絡客服。',
      'A bank card was added or changed, so approvals of withdrawals to it are paused for a while. If this wasn’t you, change your password now and contact support.',
    ],
  ),
  'security.address': message(
    ['提现地址已绑定', '出金地址已綁定', 'Address added'],
    [
      '您的账号绑定或修改了提现地址，向其提现会暂缓批准。如非本人操作，请立即修改登录密码并联系客服。',
      '您的帳號綁定或修改了出金地址，向其出金會暫緩核准。如非本人操作，請立即修改登入密碼並聯絡客服。',
      'A withdrawal address was added or changed, so approvals of withdrawals to it are paused for a while. If this wasn’t you, change your password now and contact support.',
    ],
  ),
  'security.recovery': message(
    ['重设密码的申请已批准', '重設密碼的申請已核准', 'Password reset approved'],
    [
      '两名工作人员核实身份后，批准了重设登录密码的代码，24 小时内有效。如非本人申请，请立即联系客服。',
      '兩名工作人員核實身分後，核准了重設登入密碼的代碼，24 小時內有效。如非本人申請，請立即聯絡客服。',
      'Two staff members verified your identity and approved a code to reset your password. It is valid for 24 hours. If you did not request this, contact support immediately.',
    ],
  ),
  'security.recoveryFactor': message(
    [
      '客服已批准重设密码并移除双重验证',
      '客服已核准重設密碼並移除雙重驗證',
      'Password reset and removal of your second factor approved',
    ],
    [
      '两名工作人员核实身份后，批准了一个代码，24 小时内有效：它会重设登录密码并移除双重验证方式，此后提现批准会加倍暂缓。如非本人申请，请立即在“账户安全”页更换恢复码（该代码随即作废），并联系客服。',
      '兩名工作人員核實身分後，核准了一個代碼，24 小時內有效：它會重設登入密碼並移除雙重驗證方式，此後出金核准會加倍暫緩。如非本人申請，請立即在「帳戶安全」頁更換恢復碼（該代碼隨即作廢），並聯絡客服。',
      'Two staff members verified your identity and approved a code that resets your password and removes your second factor. It is valid for 24 hours; withdrawal approvals are then paused twice as long. If you did not request this, create new recovery codes under “Account security” now, which cancels that code, and contact support.',
    ],
  ),
  'security.password': message(
    ['登录密码已修改', '登入密碼已修改', 'Password changed'],
    [
      '您的登录密码已修改，提现批准会因此暂缓。如非本人操作，请用恢复码找回账号并联系客服。',
      '您的登入密碼已修改，出金核准會因此暫緩。如非本人操作，請用恢復碼找回帳號並聯絡客服。',
      'Your password was changed, so withdrawal approvals are paused for a while. If this wasn’t you, recover your account with a recovery code and contact support.',
    ],
  ),
  'protection.break': message(
    ['休息期已开始', '休息期已開始', 'Your break has started'],
    [
      '{until} 前不能下单或充值。提现照常；已有订单照常结算。',
      '{until} 前不能下單或入金。出金照常；已有訂單照常結算。',
      'No orders or deposits until {until}. Withdrawals work as usual, and open orders settle as usual.',
    ],
  ),
  'protection.exclusion': message(
    ['自我禁入已生效', '自我禁入已生效', 'You are self-excluded'],
    [
      '{until} 前不能下单或充值，期间不能提前解除。提现照常；已有订单照常结算。',
      '{until} 前不能下單或入金，期間不能提前解除。出金照常；已有訂單照常結算。',
      'No orders or deposits until {until}; this cannot be ended early. Withdrawals work as usual, and open orders settle as usual.',
    ],
  ),
  'protection.forGood': message(
    ['永久自我禁入已生效', '永久自我禁入已生效', 'You are permanently self-excluded'],
    [
      '今后不能下单或充值。提现照常；已有订单照常结算。',
      '今後不能下單或入金。出金照常；已有訂單照常結算。',
      'No orders or deposits from now on. Withdrawals work as usual, and open orders settle as usual.',
    ],
  ),
  'alert.rose': message(
    ['{symbol} 升至 {mark}', '{symbol} 升至 {mark}', '{symbol} has risen to {mark}'],
    [
      '日志中首个达到的价格：{price}，{time}。这只是通知，不是建议。',
      '日誌中首個達到的價格：{price}，{time}。這只是通知，不是建議。',
      'The first logged price to reach it was {price} at {time}. This is a notification, not advice.',
    ],
  ),
  'alert.fell': message(
    ['{symbol} 跌至 {mark}', '{symbol} 跌至 {mark}', '{symbol} has fallen to {mark}'],
    [
      '日志中首个达到的价格：{price}，{time}。这只是通知，不是建议。',
      '日誌中首個達到的價格：{price}，{time}。這只是通知，不是建議。',
      'The first logged price to reach it was {price} at {time}. This is a notification, not advice.',
    ],
  ),
  'security.factorAdded': message(
    ['双重验证方式已添加', '雙重驗證方式已新增', 'Second factor added'],
    [
      '您的账号添加了双重验证方式，其他设备已退出登录，提现批准会因此暂缓。如非本人操作，请立即联系客服。',
      '您的帳號新增了雙重驗證方式，其他裝置已登出，出金核准會因此暫緩。如非本人操作，請立即聯絡客服。',
      'A second factor was added to your account. Other devices were logged out, and withdrawal approvals are paused for a while. If this wasn’t you, contact support immediately.',
    ],
  ),
  'security.factorRemoved': message(
    ['双重验证方式已移除', '雙重驗證方式已移除', 'Second factor removed'],
    [
      '您的账号移除了一个双重验证方式，提现批准会因此暂缓。如非本人操作，请在 24 小时内到登录页点“无法登录？”，再点“验证方式或恢复码被他人更改了？”，用密码和原来的验证方式或一个原来的恢复码申诉账号。',
      '您的帳號移除了一個雙重驗證方式，出金核准會因此暫緩。如非本人操作，請在 24 小時內到登入頁點「無法登入？」，再點「驗證方式或恢復碼被他人更改了？」，用密碼和原來的驗證方式或一個原來的恢復碼申訴帳號。',
      'A second factor was removed from your account, so withdrawal approvals are paused for a while. If this wasn’t you, claim the account within 24 hours: on the login page choose “Can’t log in?”, then “Did someone else change your second factor or codes?”, and enter your password with the previous second factor or a previous recovery code.',
    ],
  ),
  'security.codes': message(
    ['恢复码已更换', '恢復碼已更換', 'New recovery codes'],
    [
      '您的账号生成了新的恢复码，旧的全部作废，提现批准会因此暂缓。如非本人操作，请在 24 小时内到登录页点“无法登录？”，再点“验证方式或恢复码被他人更改了？”，用密码和一个原来的恢复码申诉账号。',
      '您的帳號產生了新的恢復碼，舊的全部作廢，出金核准會因此暫緩。如非本人操作，請在 24 小時內到登入頁點「無法登入？」，再點「驗證方式或恢復碼被他人更改了？」，用密碼和一個原來的恢復碼申訴帳號。',
      'New recovery codes were created for your account; all previous codes stopped working, and withdrawal approvals are paused for a while. If this wasn’t you, claim the account within 24 hours: on the login page choose “Can’t log in?”, then “Did someone else change your second factor or codes?”, and enter your password with a previous recovery code.',
    ],
  ),
  'security.takenBack': message(
    ['有人申诉您的账号', '有人申訴您的帳號', 'Your account was claimed'],
    [
      '有人用原来的密码和原来的验证方式或恢复码申诉此账号。登录方式没有变化；提现暂缓，两位工作人员会核对身份后决定。如非本人申诉，请到“账户安全”页点“更改是我本人所做”提出异议。',
      '有人用原來的密碼和原來的驗證方式或恢復碼申訴此帳號。登入方式沒有變化；出金暫緩，兩位工作人員會核對身分後決定。如非本人申訴，請到「帳戶安全」頁點「變更是我本人所做」提出異議。',
      'Someone claimed this account with a previous password and a previous second factor or recovery code. Nothing about your login has changed; withdrawals are held until two of our staff have confirmed an identity. If you did not make the claim, open the “Account security” page and choose “I made the changes” to object.',
    ],
  ),
  'security.claimApproved': message(
    ['账号申诉已批准', '帳號申訴已核准', 'The claim of your account was approved'],
    [
      '两名工作人员核实身份后，批准了对此账号的申诉。申诉人会收到一个代码，24 小时内有效：它会重设登录密码并移除双重验证方式和恢复码。更换恢复码不会使该代码作废。如非本人申诉，请立即联系客服。',
      '兩名工作人員核實身分後，核准了對此帳號的申訴。申訴人會收到一個代碼，24 小時內有效：它會重設登入密碼並移除雙重驗證方式和恢復碼。更換恢復碼不會使該代碼作廢。如非本人申訴，請立即聯絡客服。',
      'Two staff members verified an identity and approved the claim of this account. The claimant gets a code, valid for 24 hours, that resets the password and removes second factors and recovery codes. New recovery codes don’t void it. If you did not make the claim, contact support immediately.',
    ],
  ),
  'security.claimDisputed': message(
    ['您对账号申诉提出了异议', '您對帳號申訴提出了異議', 'You objected to the claim of your account'],
    [
      '您说明了更改是您本人所做。审核申诉的工作人员和申诉人会看到该申诉有异议；提现仍暂缓，直到两位工作人员决定。如非本人操作，请立即联系客服。',
      '您說明了變更是您本人所做。審核申訴的工作人員和申訴人會看到該申訴有異議；出金仍暫緩，直到兩位工作人員決定。如非本人操作，請立即聯絡客服。',
      'You stated that you made the changes. The staff who review the claim, and the claimant, see that it is disputed; withdrawals stay held until two of our staff decide. If this wasn’t you, contact support immediately.',
    ],
  ),
  'security.claimRefused': message(
    ['账号申诉已拒绝', '帳號申訴已拒絕', 'The claim of your account was rejected'],
    [
      '两名工作人员审核后拒绝了对此账号的申诉，登录方式没有变化。提现批准会再暂缓一段时间。',
      '兩名工作人員審核後拒絕了對此帳號的申訴，登入方式沒有變化。出金核准會再暫緩一段時間。',
      'Two staff members reviewed the claim of this account and rejected it. Nothing about your login has changed. Withdrawal approvals stay paused for a while.',
    ],
  ),
  'security.codeUsed': message(
    ['使用了一个恢复码', '使用了一個恢復碼', 'A recovery code was used'],
    [
      '您的一个恢复码刚被使用。如非本人操作，请立即修改登录密码、更换恢复码并联系客服。',
      '您的一個恢復碼剛被使用。如非本人操作，請立即修改登入密碼、更換恢復碼並聯絡客服。',
      'One of your recovery codes was used. If this wasn’t you, change your password, create new codes and contact support now.',
    ],
  ),
  'security.export': message(
    ['个人资料已导出', '個人資料已匯出', 'Your data was exported'],
    [
      '您的全部资料刚被导出为文件。如非本人操作，请立即修改登录密码并联系客服。',
      '您的全部資料剛被匯出為檔案。如非本人操作，請立即修改登入密碼並聯絡客服。',
      'All data we store about you was exported to a file. If this wasn’t you, change your password now and contact support.',
    ],
  ),
  'security.guessed': message(
    ['有人在猜您的密码', '有人在猜您的密碼', 'Somebody is guessing your password'],
    [
      '有人在未登录过的设备上输错您的密码太多次，新设备暂时不能登录。您登录过的设备不受影响；新设备登录时可同时填写一个恢复码。',
      '有人在未登入過的裝置上輸錯您的密碼太多次，新裝置暫時不能登入。您登入過的裝置不受影響；新裝置登入時可同時填寫一個恢復碼。',
      'Too many wrong passwords were given for your account on unknown devices, so new devices can’t log in for a while. Devices you have logged in on before still can, and a new one can with a recovery code.',
    ],
  ),
  'security.sessionEnded': message(
    ['一台设备已退出登录', '一台裝置已登出', 'A device was logged out'],
    [
      '同时登录的设备太多，最久未使用的一台已退出登录。请在“设备”中查看登录的设备。',
      '同時登入的裝置太多，最久未使用的一台已登出。請在「裝置」中查看登入的裝置。',
      'Too many devices were logged in, so the one that was unused for longest was logged out. See Devices for those that are logged in.',
    ],
  ),
  'security.newDevice': message(
    ['新设备登录', '新裝置登入', 'New device logged in'],
    [
      '{device} 于 {time} 登录了您的账号，网络地址 {address}。如非本人操作，请在“设备”中让其他设备退出登录，并修改登录密码。',
      '{device} 於 {time} 登入了您的帳號，網路位址 {address}。如非本人操作，請在「裝置」中讓其他裝置登出，並修改登入密碼。',
      '{device} logged in to your account on {time} from the network address {address}. If that wasn’t you, log out the other devices in Devices and change your password there.',
    ],
  ),
  'security.claimKept': message(
    ['账号申诉仍在审核', '帳號申訴仍在審核', 'The claim of your account is still under review'],
    [
      '工作人员仍在审核对此账号的申诉，提现最多再暂缓 7 天。登录方式没有变化。',
      '工作人員仍在審核對此帳號的申訴，出金最多再暫緩 7 天。登入方式沒有變化。',
      'Our staff are still reviewing the claim of this account and hold withdrawals for up to another 7 days. Nothing about your login has changed.',
    ],
  ),
  'security.recoveryRefused': message(
    ['重设密码的申请已拒绝', '重設密碼的申請已拒絕', 'Password reset rejected'],
    [
      '工作人员拒绝了为此账号重设登录密码的申请，登录方式没有变化。如非本人申请，则有人知道您的账号名。',
      '工作人員拒絕了為此帳號重設登入密碼的申請，登入方式沒有變化。如非本人申請，則有人知道您的帳號名。',
      'Our staff rejected a request to reset the password of this account. Nothing about your login has changed. If you did not make the request, someone knows your account name.',
    ],
  ),
  'freeze.login': message(
    ['登录已被暂停', '登入已被暫停', 'Logins are closed'],
    [
      '工作人员暂停了此账户的登录，至 {until}：{reason}。已有订单照常结算。如有疑问，请联系客服。',
      '工作人員暫停了此帳戶的登入，至 {until}：{reason}。已有訂單照常結算。如有疑問，請聯絡客服。',
      'Our staff closed logins to this account until {until}: {reason}. Open orders settle as usual. If you have questions, contact support.',
    ],
  ),
  'freeze.orders': message(
    ['下单已被暂停', '下單已被暫停', 'New orders are closed'],
    [
      '工作人员暂停了您的新订单，至 {until}：{reason}。已有订单照常结算。如有疑问，请联系客服。',
      '工作人員暫停了您的新訂單，至 {until}：{reason}。已有訂單照常結算。如有疑問，請聯絡客服。',
      'Our staff closed new orders for your account until {until}: {reason}. Open orders settle as usual. If you have questions, contact support.',
    ],
  ),
  'freeze.withdrawals': message(
    ['提现已被暂停', '出金已被暫停', 'Withdrawals are closed'],
    [
      '工作人员暂停了您的提现，至 {until}：{reason}。正在付款的提现照常完成，审核中的可以撤回。如有疑问，请联系客服。',
      '工作人員暫停了您的出金，至 {until}：{reason}。正在付款的出金照常完成，審核中的可以撤回。如有疑問，請聯絡客服。',
      'Our staff closed withdrawals from your account until {until}: {reason}. A withdrawal that is being paid is completed, and one under review can be cancelled. If you have questions, contact support.',
    ],
  ),
  'freeze.lifted': message(
    ['账户限制已解除', '帳戶限制已解除', 'A restriction was lifted'],
    [
      '工作人员提前解除了您账户的一项限制。仍有的限制显示在“我的”页。',
      '工作人員提前解除了您帳戶的一項限制。仍有的限制顯示在「我的」頁。',
      'Our staff lifted a restriction of your account early. What is still closed is shown in My Account.',
    ],
  ),
  'hold.placed': message(
    ['部分余额依令冻结', '部分餘額依令凍結', 'A sum is held by order'],
    [
      '按 {text} 的要求（编号 {reference}），您的余额中有 {amount} 已冻结：仍属于您，但不能使用。如有疑问，请联系该机关或客服。',
      '按 {text} 的要求（編號 {reference}），您的餘額中有 {amount} 已凍結：仍屬於您，但不能使用。如有疑問，請聯絡該機關或客服。',
      'By order of {text} (reference {reference}), {amount} of your balance is held: it is still yours, but cannot be used. If you have questions, contact that authority or support.',
    ],
  ),
  'hold.lifted': message(
    ['余额冻结已解除', '餘額凍結已解除', 'A hold was lifted'],
    [
      '按 {text} 的要求（编号 {reference}）冻结的 {amount} 已可使用。',
      '按 {text} 的要求（編號 {reference}）凍結的 {amount} 已可使用。',
      'The {amount} that was held by order of {text} (reference {reference}) is available again.',
    ],
  ),
} as const satisfies Record<NoticeKind, Message>;

/** As the functions of the database write them: amounts in smallest units, assets by id. */
export interface NoticeParameters {
  readonly id?: string;
  readonly asset?: number;
  readonly amount?: string;
  readonly reason?: string;
  readonly text?: string;
  readonly reference?: string;
  /** A browser's name for itself, and the address of its network. */
  readonly device?: string;
  readonly address?: string;
  /** Unix milliseconds. */
  readonly until?: string;
  readonly time?: string;
  readonly product?: number;
  /** Prices, in units of the product's last decimal. */
  readonly mark?: string;
  readonly price?: string;
}

/** Look-ups that turn ids and numbers into words. */
export interface NoticeWords {
  readonly assets: Assets;
  readonly products: Products;
}

/** A notice in a reader's language. */
export function renderNotice(
  kind: string,
  parameters: NoticeParameters,
  { assets, products, language }: NoticeWords & { language: Language },
): { title: string; text: string } {
  const { title, text } = messageOf(kind);
  const { id = '', reference = '', text: added = '' } = parameters;
  const words: Readonly<Record<string, string>> = {
    id,
    reference,
    text: added,
    amount: amountOf(parameters, assets),
    reason: reasonOf(kind, parameters, language),
    device: deviceName(parameters.device, language),
    address: parameters.address ?? '–',
    until: utcText(parameters.until, language),
    time: utcText(parameters.time, language),
    ...pricesOf(parameters, products),
  };
  const filled = (template: string) =>
    template.replace(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole);
  return { title: filled(title[language]), text: filled(text[language]) };
}

function messageOf(kind: string): Message {
  const found = (MESSAGES as Readonly<Record<string, Message>>)[kind];
  if (!found) throw new Error(`there is no message for ${kind}`);
  return found;
}

const UNKNOWN_DEVICE = localised('未知设备', '未知裝置', 'An unknown device');

function deviceName(userAgent: string | undefined, language: Language): string {
  const { browser, system } = deviceOf(userAgent ?? '');
  return [browser, system].filter(Boolean).join(' · ') || UNKNOWN_DEVICE[language];
}

function pricesOf({ product, mark, price }: NoticeParameters, products: Products): Record<string, string> {
  if (product === undefined) return {};
  const { symbol, decimals } = products.byId(product);
  const text = (value: string | undefined) =>
    value === undefined ? '' : formatDecimal(BigInt(value), decimals);
  return { symbol, mark: text(mark), price: text(price) };
}

function amountOf({ amount, asset }: NoticeParameters, assets: Assets): string {
  if (amount === undefined || asset === undefined) return '';
  return shownAmount(amount, assets.byId(asset));
}

function reasonOf(kind: string, { reason, text }: NoticeParameters, language: Language): string {
  if (reason === undefined) return '';
  if (kind.startsWith('freeze.')) return FREEZE_REASONS[reason]?.[language] ?? '';
  if (!kind.startsWith('verification.')) return reasonText(reason, text ?? null, language);
  const words = VERIFICATION_REASONS[reason as keyof typeof VERIFICATION_REASONS][language];
  return text === undefined ? words : `${reason === 'other' ? '' : words} ${text}`.trim();
}
