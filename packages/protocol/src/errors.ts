import { type ErrorEntry, failed, refused } from './error-entry.ts';
import { PROTECTION_ERRORS } from './identity/protection-errors.ts';
import type { Language } from './languages.ts';
import { CLOSED_WORDS } from './market/product-state.ts';
import { OFFICE_ERRORS, type OfficeErrorCode } from './office/errors.ts';

/** Every refusal of the API, by its stable machine name. */
export const ERRORS = {
  // HTTP-level refusals
  SESSION_EXPIRED: failed(
    401,
    '登录已过期，请重新登录',
    '登入已過期，請重新登入',
    'Your session has expired. Please log in again',
  ),
  PATH_NOT_FOUND: failed(404, '找不到该地址', '找不到該位址', 'Page not found'),
  METHOD_NOT_ALLOWED: failed(
    405,
    '这个地址不支持该方法',
    '這個位址不支援該方法',
    'This address does not support that method',
  ),
  MALFORMED_BODY: failed(400, '请求内容无法读取', '請求內容無法讀取', 'The request could not be read'),
  TOO_SLOW: failed(
    408,
    '请求传送得太慢，请重试',
    '請求傳送得太慢，請重試',
    'The request took too long to arrive. Please try again',
  ),
  BODY_TOO_LARGE: failed(413, '内容太大', '內容太大', 'The content is too large'),
  MEDIA_TYPE: failed(415, '不支持这种内容类型', '不支援這種內容類型', 'This content type is not supported'),
  TOO_MANY_REQUESTS: failed(
    429,
    '操作太频繁，请 {seconds} 秒后再试',
    '操作太頻繁，請 {seconds} 秒後再試',
    'Too many attempts. Please try again in {seconds} s',
  ),
  NEW_DEVICES_HELD: failed(
    429,
    '此账号在新设备上的错误密码太多。请在登录过的设备上登录，或同时填写一个恢复码，或 {seconds} 秒后再试',
    '此帳號在新裝置上的錯誤密碼太多。請在登入過的裝置上登入，或同時填寫一個恢復碼，或 {seconds} 秒後再試',
    'Too many wrong passwords for this account on new devices. Log in on a device you have used before, enter a recovery code as well, or try again in {seconds} s',
  ),
  NOT_READY: failed(
    503,
    '服务暂时不可用，请稍后再试',
    '服務暫時無法使用，請稍後再試',
    'The service is not available right now. Please try again later',
  ),
  INTERNAL: failed(
    500,
    '服务器出错了，编号 {requestId}',
    '伺服器發生錯誤，編號 {requestId}',
    'Something went wrong on our side. Reference {requestId}',
  ),

  // The stream
  INVALID_MESSAGE: refused('无法识别的消息', '無法識別的訊息', 'This message could not be read'),
  UNKNOWN_TOPIC: refused('没有这个主题', '沒有這個主題', 'Unknown topic'),
  TOO_MANY_TOPICS: refused('订阅的主题太多', '訂閱的主題太多', 'Too many topics'),

  // Forms
  FORM_INCOMPLETE: refused('请填写完整的表单', '請填寫完整的表單', 'Please fill out the complete form'),
  UNKNOWN_FIELD: refused('未知字段：{field}', '未知欄位：{field}', 'Unknown field: {field}'),
  INVALID_VALUE: refused('这一项的内容无效', '這一項的內容無效', 'This value is not valid'),
  HIDDEN_CHARACTERS: refused(
    '含有看不见或会改变文字方向的字符，请删去或重新输入',
    '含有看不見或會改變文字方向的字元，請刪去或重新輸入',
    'This contains invisible characters or characters that change the text direction. Please remove them or type it again',
  ),
  INVALID_CURSOR: refused('翻页位置无效', '翻頁位置無效', 'This page position is not valid'),

  // Account and password
  ACCOUNT_REQUIRED: refused('账号不能为空', '帳號不能為空', 'Account cannot be empty'),
  ACCOUNT_FORMAT: refused(
    '账号须以字母开头，6–18 位字母、数字或下划线',
    '帳號須以字母開頭，6–18 位字母、數字或底線',
    'An account name starts with a letter and has 6–18 letters, digits or underscores',
  ),
  ACCOUNT_TAKEN: refused('这个账号已被使用', '這個帳號已被使用', 'This account name is already taken'),
  PASSWORD_REQUIRED: refused('密码不能为空', '密碼不能為空', 'Password cannot be empty'),
  PASSWORD_TOO_SHORT: refused(
    '密码至少 8 个字符',
    '密碼至少 8 個字元',
    'The password must have at least 8 characters',
  ),
  PASSWORD_TOO_LONG: refused(
    '密码最多 200 个字符',
    '密碼最多 200 個字元',
    'The password can have up to 200 characters',
  ),
  PASSWORD_COMMON: refused(
    '这个密码太常见，请换一个',
    '這個密碼太常見，請換一個',
    'This password is too common. Please choose another',
  ),
  PASSWORD_NAMED: refused(
    '密码与您的账号、名称或本产品的用词太接近，请换一个',
    '密碼與您的帳號、名稱或本產品的用詞太接近，請換一個',
    'The password is too close to your account, your name or words of this product. Please choose another',
  ),
  PASSWORD_GUESSABLE: refused(
    '密码容易猜到：有重复、连续的字符或日期。请用更长的密码，例如几个不相关的词',
    '密碼容易猜到：有重複、連續的字元或日期。請用更長的密碼，例如幾個不相關的詞',
    'The password is easy to guess: it repeats characters, follows a sequence or is a date. Use a longer one, such as several unrelated words',
  ),
  CONFIRM_REQUIRED: refused('请输入确认密码', '請輸入確認密碼', 'Please enter the confirmation password'),
  PASSWORDS_DIFFER: refused('两次密码不一致', '兩次密碼不一致', 'The two passwords do not match'),
  LOGIN_FAILED: refused('账号或密码不正确', '帳號或密碼不正確', 'Incorrect account or password'),
  OLD_PASSWORD_WRONG: refused('原密码不正确', '原密碼不正確', 'The current password is incorrect'),
  RECOVERY_FAILED: refused('账号或恢复码不正确', '帳號或恢復碼不正確', 'Incorrect account or recovery code'),
  CALL_OPEN: refused(
    '已经从您的网络为此账号提交过找回请求，客服会与您联系',
    '已經從您的網路為此帳號提交過找回請求，客服會與您聯絡',
    'A request for this account was already made from your network. Support will be in touch',
  ),
  TAKE_BACK_FAILED: refused(
    '无法申诉：账号、密码或原来的验证方式不正确，或 24 小时内没有更改',
    '無法申訴：帳號、密碼或原來的驗證方式不正確，或 24 小時內沒有變更',
    'Could not claim the account: the account, password or previous second factor is incorrect, or nothing was changed in the last 24 hours',
  ),
  CLAIM_NOT_FOUND: refused('没有这项账号申诉', '沒有這項帳號申訴', 'There is no such claim of an account'),
  RECOVERY_CODE_REQUIRED: refused('请输入恢复码', '請輸入恢復碼', 'Please enter a recovery code'),
  REAUTH_REQUIRED: refused('请再输入一次密码', '請再輸入一次密碼', 'Please enter your password again'),
  OTP_REQUIRED: refused('请输入验证码', '請輸入驗證碼', 'Please enter your second factor'),
  OTP_WRONG: refused('验证码或通行密钥不正确', '驗證碼或通行金鑰不正確', 'The second factor is incorrect'),
  OTP_USED: refused(
    '这个验证码刚刚用过，请等下一个',
    '這個驗證碼剛剛用過，請等下一個',
    'This code was used a moment ago. Please wait for the next one',
  ),
  CLOCK_BEHIND: refused(
    '验证码是对的，但手机时间慢了约 {seconds} 秒。请在手机上打开自动设置时间，再输入新的验证码',
    '驗證碼是對的，但手機時間慢了約 {seconds} 秒。請在手機上開啟自動設定時間，再輸入新的驗證碼',
    'The code is right, but your phone’s clock is about {seconds} s slow. Set the phone’s time automatically, then enter a new code',
  ),
  CLOCK_AHEAD: refused(
    '验证码是对的，但手机时间快了约 {seconds} 秒。请在手机上打开自动设置时间，再输入新的验证码',
    '驗證碼是對的，但手機時間快了約 {seconds} 秒。請在手機上開啟自動設定時間，再輸入新的驗證碼',
    'The code is right, but your phone’s clock is about {seconds} s fast. Set the phone’s time automatically, then enter a new code',
  ),
  OTP_FORMAT: refused(
    '验证码为 6 位数字，恢复码为 16 位字母和数字',
    '驗證碼為 6 位數字，恢復碼為 16 位字母和數字',
    'A code has 6 digits, a recovery code 16 letters and digits',
  ),
  FACTOR_NEEDED: refused(
    '提现需要双重验证，请先在“安全”中设置',
    '出金需要雙重驗證，請先在「安全」中設定',
    'Withdrawals need a second factor. Set one up under Security first',
  ),
  FACTOR_NOT_FOUND: refused(
    '没有这个双重验证方式',
    '沒有這個雙重驗證方式',
    'This second factor does not exist',
  ),
  TOO_MANY_FACTORS: refused(
    '最多保留 {count} 个双重验证方式，请先移除一个',
    '最多保留 {count} 個雙重驗證方式，請先移除一個',
    'You can have up to {count} second factors. Please remove one first',
  ),
  ACCOUNT_CLOSED: refused('这个账户已注销', '這個帳戶已註銷', 'This account is closed'),
  ACCOUNT_DIFFERS: refused('与您的账号不一致', '與您的帳號不一致', 'This does not match your account name'),
  ACCOUNT_NOT_EMPTY: refused(
    '账户里还有 {assets}，请先全部提现，并等订单和申请结束',
    '帳戶裡還有 {assets}，請先全部出金，並等訂單和申請結束',
    'The account still holds {assets}. Please withdraw it and wait until orders and requests are completed',
  ),
  ACCOUNT_UNDER_REVIEW: refused(
    '还有申请在审核，请等待处理完毕',
    '還有申請在審核，請等待處理完畢',
    'A request is still under review. Please wait until it is completed',
  ),
  EXPORT_TOO_OFTEN: refused(
    '24 小时内最多导出 {count} 次',
    '24 小時內最多匯出 {count} 次',
    'You can export up to {count} times within 24 hours',
  ),
  NICKNAME_REQUIRED: refused('昵称不能为空', '暱稱不能為空', 'Nickname cannot be empty'),
  NICKNAME_FORMAT: refused(
    '昵称最多 20 个字符，不能含看不见的字符',
    '暱稱最多 20 個字元，不能含看不見的字元',
    'The nickname can have up to 20 visible characters',
  ),

  // Pictures
  IMAGE_TYPE: refused(
    '只能使用照片或截图，不能使用 PDF 或 TIFF 文件。请打开文件截图，再选择截图',
    '只能使用照片或螢幕截圖，不能使用 PDF 或 TIFF 檔案。請開啟檔案並截圖，再選擇截圖',
    'Only photos and screenshots can be used, not PDF or TIFF files. Please open the file, take a screenshot and choose that',
  ),
  IMAGE_HEIC: refused(
    '这里不接受 HEIC 图片，请发送 JPEG 或 PNG，例如打开图片后的截图',
    '這裡不接受 HEIC 圖片，請傳送 JPEG 或 PNG，例如開啟圖片後的螢幕截圖',
    'HEIC images are not accepted here. Please send a JPEG or PNG, for example a screenshot of the image',
  ),
  IMAGE_UNREADABLE: refused(
    '图片无法读取，请打开图片截图，再选择截图',
    '圖片無法讀取，請開啟圖片並截圖，再選擇截圖',
    'The image could not be read. Please open it, take a screenshot and choose that',
  ),
  IMAGE_TOO_LARGE: refused(
    '图片太大，请打开图片截图，再选择截图',
    '圖片太大，請開啟圖片並截圖，再選擇截圖',
    'The image is too large. Please open it, take a screenshot and choose that',
  ),

  PICTURES_FULL: refused(
    '首次充值到账前，最多可保存 20 MB 图片，已删除的图片仍计一天。请撤回不需要的充值并在明天重试，或用文字联系客服',
    '首次入金到帳前，最多可儲存 20 MB 圖片，已刪除的圖片仍計一天。請撤回不需要的入金並在明天重試，或用文字聯絡客服',
    'Until your first deposit is credited, you can store up to 20 MB of images, and deleted ones still count for a day. Please cancel deposits you do not need and try again tomorrow, or write to support',
  ),
  PICTURE_NOT_STORED: failed(
    503,
    '目前无法保存图片，请稍后再试',
    '目前無法儲存圖片，請稍後再試',
    'Pictures cannot be stored right now. Please try again later',
  ),

  DOCUMENT_NOT_FOUND: refused('没有这个文件', '沒有這個檔案', 'This document does not exist'),

  // News
  NEWS_NOT_FOUND: refused('没有这篇资讯', '沒有這篇資訊', 'This article does not exist'),
  NEWS_WITHDRAWN: refused('这篇资讯已撤回', '這篇資訊已撤回', 'This article was withdrawn'),

  // Real name
  REAL_PENDING: refused(
    '实名资料正在审核，请等待结果',
    '實名資料正在審核，請等待結果',
    'Your details are under review. Please wait for the result',
  ),
  REAL_VERIFIED: refused('您已完成实名认证', '您已完成實名認證', 'Your name is already verified'),
  REGION_RESTRICTED: refused(
    '很抱歉，我们不能为该国家或地区的居民服务',
    '很抱歉，我們不能為該國家或地區的居民服務',
    'Sorry, we cannot serve residents of this country or region',
  ),

  // Withdrawal password
  PAY_WORD_REQUIRED: refused('请输入提现密码', '請輸入出金密碼', 'Please enter the withdrawal password'),
  PAY_WORD_FORMAT: refused(
    '提现密码须为 6 位数字',
    '出金密碼須為 6 位數字',
    'The withdrawal password must have 6 digits',
  ),
  PAY_WORDS_DIFFER: refused(
    '两次提现密码不一致',
    '兩次出金密碼不一致',
    'The two withdrawal passwords do not match',
  ),
  OLD_PAY_WORD_REQUIRED: refused(
    '请输入原提现密码',
    '請輸入原出金密碼',
    'Please enter the current withdrawal password',
  ),
  PAY_WORD_WRONG: refused(
    '提现密码不正确，还可尝试 {left} 次',
    '出金密碼不正確，還可嘗試 {left} 次',
    'Incorrect withdrawal password. Attempts left: {left}',
  ),
  PAY_WORD_LOCKED: refused(
    '提现密码已锁定，请 {hours} 小时后再试，或重新设置',
    '出金密碼已鎖定，請 {hours} 小時後再試，或重新設定',
    'The withdrawal password is locked. Try again in {hours} hours, or reset it',
  ),
  PAY_WORD_NOT_SET: refused(
    '还没有设置提现密码，去设置吗？',
    '還沒有設定出金密碼，去設定嗎？',
    'Withdrawal password is not set, go to set it now?',
  ),

  // Withdrawal destinations
  ADDRESS_INVALID: refused(
    '地址不正确，请核对后重新填写',
    '地址不正確，請核對後重新填寫',
    'Invalid address. Please check it',
  ),
  ADDRESS_UNOWNED: refused(
    '这个地址不属于任何人，转到这里的资产无法找回',
    '這個地址不屬於任何人，轉到這裡的資產無法找回',
    'Nobody owns this address: what is sent to it is lost',
  ),
  ADDRESS_OF_HOUSE: refused(
    '这是本平台的充值地址，不能用于提现',
    '這是本平台的入金地址，不能用於出金',
    'This is one of our own deposit addresses. It can’t receive withdrawals',
  ),
  CARD_NUMBER_INVALID: refused(
    '卡号不正确，请核对后重新填写',
    '卡號不正確，請核對後重新填寫',
    'Invalid card number. Please check it',
  ),
  BANK_ACCOUNT_INVALID: refused(
    '账户不正确，请核对国家或地区、银行代码和账号',
    '帳戶不正確，請核對國家或地區、銀行代碼和帳號',
    'Invalid account. Please check its country or region, bank code and number',
  ),
  CARD_BOUND: refused('这张卡已经绑定', '這張卡已經綁定', 'This card has already been added'),
  CARD_NOT_FOUND: refused('没有这张银行卡', '沒有這張銀行卡', 'This bank card does not exist'),
  TOO_MANY_CARDS: refused(
    '最多绑定 {count} 张银行卡',
    '最多綁定 {count} 張銀行卡',
    'You can add up to {count} bank cards',
  ),

  // Products and orders
  PRODUCT_NOT_FOUND: refused('没有这个产品', '沒有這個產品', 'This product does not exist'),
  ORDER_NOT_FOUND: refused('没有这笔订单', '沒有這筆訂單', 'This order does not exist'),
  RECEIPT_NOT_READY: refused(
    '凭证尚未生成：订单结算且公开日志再次签名后即可取得，请稍后再试',
    '憑證尚未產生：訂單結算且公開日誌再次簽名後即可取得，請稍後再試',
    'The receipt is not ready yet: it is available once the order has settled and the log has been signed again. Please try again shortly',
  ),
  LOGGED_SOON: refused(
    '订单将在几秒内写入公开日志，请稍后再试',
    '訂單將在幾秒內寫入公開日誌，請稍後再試',
    'The order will be in the public log within seconds. Please try again shortly',
  ),
  INVALID_AMOUNT: refused('金额格式不正确', '金額格式不正確', 'Enter a valid amount'),
  AMOUNT_REQUIRED: refused('请输入金额', '請輸入金額', 'Please enter an amount'),
  INVALID_IDEMPOTENCY_KEY: refused(
    'Idempotency-Key 无效',
    'Idempotency-Key 無效',
    'The Idempotency-Key is not valid',
  ),
  IDEMPOTENCY_MISMATCH: refused(
    '同一编号已用于另一个请求',
    '同一編號已用於另一個請求',
    'This key was used for a different request',
  ),
  SEEN_MISMATCH: refused(
    '您看到的日志与本站不一致，请保存凭证',
    '您看到的日誌與本站不一致，請保存憑證',
    'The log you saw does not match ours. Please keep your receipts',
  ),
  TRADING_HALTED: refused(...CLOSED_WORDS.halt.words),
  EXPIRED: refused(
    '已超过您设定的时间，未下单',
    '已超過您設定的時間，未下單',
    'The time you set has passed. No order was placed',
  ),
  LATE: refused(
    '处理超时，未下单，请再试一次',
    '處理逾時，未下單，請再試一次',
    'This took too long. No order was placed; please try again',
  ),
  OPENS_TOO_FAR: refused(
    '开仓时间太晚，未下单，请核对设备时间',
    '開倉時間太晚，未下單，請核對裝置時間',
    'The opening time is too far ahead. No order was placed; please check this device’s clock',
  ),
  PRICE_UNAVAILABLE: refused(...CLOSED_WORDS.no_price.words),
  MARKET_CLOSED: refused(...CLOSED_WORDS.hours.words),
  SESSION_ENDS: refused(
    '结算时间晚于收盘，请选较短的周期',
    '結算時間晚於收盤，請選較短的週期',
    'This cycle would end after trading hours. Please choose a shorter one',
  ),
  CYCLE_NOT_OFFERED: refused(
    '这种资产没有这个周期',
    '這種資產沒有這個週期',
    'This cycle is not offered for this asset',
  ),
  ASSET_NOT_ACCEPTED: refused('不接受这种资产', '不接受這種資產', 'This asset is not accepted'),
  AMOUNT_TOO_SMALL: refused('最低买入 {bound}', '最低買入 {bound}', 'The minimum purchase is {bound}'),
  AMOUNT_TOO_LARGE: refused('最高买入 {bound}', '最高買入 {bound}', 'The maximum purchase is {bound}'),
  BALANCE_TOO_LOW: refused(
    '余额须不低于 {bound}',
    '餘額須不低於 {bound}',
    'The balance must be at least {bound}',
  ),
  INSUFFICIENT_BALANCE: refused('可用余额不足', '可用餘額不足', 'Not enough available balance'),
  EXPOSURE_LIMIT: refused(
    '平台在该时段已达上限，请减少金额或换一个周期',
    '平台在該時段已達上限，請減少金額或換一個週期',
    'Orders that settle in that minute have reached their limit. Lower the amount or choose another cycle',
  ),
  SHARE_LIMIT: refused(
    '单个客户最多占平台各项上限的十分之一，您在该时段还可下单 {bound}；也可换一个周期，或等订单结算',
    '單個客戶最多占平台各項上限的十分之一，您在該時段還可下單 {bound}；也可換一個週期，或等訂單結算',
    'One customer can take up to a tenth of our limit. For that minute you can still order {bound}; choose another cycle or wait until open orders settle',
  ),
  TOO_MANY_RESETS: refused(
    '模拟资金每天（UTC）最多重置 {count} 次，请明天再来',
    '模擬資金每天（UTC）最多重置 {count} 次，請明天再來',
    'Practice money can be reset {count} times a day (UTC). Please try again tomorrow',
  ),

  ...PROTECTION_ERRORS,
  EARNINGS_NOT_OFFERED: refused(
    '该资产目前不提供收益',
    '該資產目前不提供收益',
    'This asset does not earn interest at present',
  ),
  EARNINGS_SMALLER: refused('收益余额不足', '收益餘額不足', 'Not enough in earnings'),

  // Deposits and withdrawals
  EXPORT_TOO_LONG: refused(
    '记录超过 {count} 条，请缩短时间范围',
    '記錄超過 {count} 筆，請縮短時間範圍',
    'There are more than {count} entries. Please choose a shorter period',
  ),
  CHANNEL_NOT_FOUND: refused('请选择充值通道', '請選擇入金通道', 'Please choose a deposit channel'),
  PROOF_REQUIRED: refused('请上传付款凭证', '請上傳付款憑證', 'Please upload the proof of payment'),
  DEPOSIT_TOO_SMALL: refused('最低充值 {bound}', '最低入金 {bound}', 'The minimum deposit is {bound}'),
  DEPOSIT_TOO_LARGE: refused('最高充值 {bound}', '最高入金 {bound}', 'The maximum deposit is {bound}'),
  TOO_MANY_PENDING: refused(
    '待审核的充值太多，请等待处理',
    '待審核的入金太多，請等待處理',
    'Too many deposits are under review. Please wait until they are processed',
  ),
  REQUEST_NOT_FOUND: refused('没有这笔申请', '沒有這筆申請', 'This request does not exist'),
  REQUEST_DECIDED: refused(
    '这笔申请已处理，不能撤回',
    '這筆申請已處理，不能撤回',
    'This request has already been processed and can no longer be cancelled',
  ),
  NAME_NOT_VERIFIED: refused('请先完成实名认证', '請先完成實名認證', 'Please verify your real name first'),
  DESTINATION_NOT_FOUND: refused(
    '请选择该资产的提现方式',
    '請選擇該資產的出金方式',
    'Please choose a withdrawal method for this asset',
  ),
  TERMS_CHANGED: refused(
    '手续费已变更为 {fee}，请确认后重新提交',
    '手續費已變更為 {fee}，請確認後重新提交',
    'The fee has changed to {fee}. Please check and submit again',
  ),
  WITHDRAWAL_TOO_SMALL: refused('最低提现 {bound}', '最低出金 {bound}', 'The minimum withdrawal is {bound}'),
  WITHDRAWAL_TOO_LARGE: refused('最高提现 {bound}', '最高出金 {bound}', 'The maximum withdrawal is {bound}'),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
/** A code of the customers' catalogue or of the back office's part of it. */
export type AnyErrorCode = ErrorCode | OfficeErrorCode;

const CATALOGUE: Readonly<Record<AnyErrorCode, ErrorEntry>> = { ...ERRORS, ...OFFICE_ERRORS };

export function errorEntry(code: AnyErrorCode): ErrorEntry {
  return CATALOGUE[code];
}

/** Whether a string is a code of the catalogue. */
export const isErrorCode = (word: string): word is AnyErrorCode => Object.hasOwn(CATALOGUE, word);

/** The message for the user. A parameter in the message that the caller does not pass stays visible as `{name}`. */
export function errorMessage(
  code: AnyErrorCode,
  language: Language,
  parameters: Readonly<Record<string, string>> = {},
): string {
  return CATALOGUE[code][language].replace(/\{(\w+)\}/g, (whole, name: string) => parameters[name] ?? whole);
}
