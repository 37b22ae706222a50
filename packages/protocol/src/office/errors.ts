import { type ErrorEntry, refused } from '../error-entry.ts';

/** Refusals that only staff receive. */
export const OFFICE_ERRORS = {
  LAST_FACTOR: refused(
    '必须至少保留一个双重验证方式',
    '必須至少保留一個雙重驗證方式',
    'At least one second factor is required',
  ),
  FACTOR_SETUP_REQUIRED: refused(
    '请先设置双重验证方式',
    '請先設定雙重驗證方式',
    'Please set up a second factor first',
  ),
  ONE_TIME_EXPIRED: refused(
    '一次性密码已过期，请管理员重置',
    '一次性密碼已過期，請管理員重設',
    'The one-time password has expired. Please ask an administrator to reset it',
  ),
  PASSWORD_UNCHANGED: refused(
    '新密码不能与原密码相同',
    '新密碼不能與原密碼相同',
    'The new password must differ from the current one',
  ),
  PASSWORD_CHANGE_REQUIRED: refused('请先修改密码', '請先修改密碼', 'Please change your password first'),
  ROLE_MISSING: refused('您没有权限执行此操作', '您沒有權限執行此操作', 'Your roles do not allow this'),
  CROSS_SITE: refused(
    '请求不是从后台页面发出的',
    '請求不是從後台頁面發出的',
    'The request did not come from the office',
  ),
  OWN_EDIT: refused(
    '不能批准自己编辑或提议的内容',
    '不能核准自己編輯或提議的內容',
    'You cannot approve what you edited or proposed',
  ),
  ABOUT_ONESELF: refused(
    '不能处理与自己有关的内容',
    '不能處理與自己有關的內容',
    'You cannot handle anything about yourself',
  ),
  APPROVER_TOO_NEW: refused(
    '权限刚授予或账户刚重置，尚在等待期',
    '權限剛授予或帳戶剛重設，尚在等待期',
    'Your role was granted or your account reset recently; the waiting period is not over yet',
  ),
  APPROVALS_MISSING: refused('批准人数不足', '核准人數不足', 'More approvals are needed'),
  CHANGE_NOT_FOUND: refused(
    '没有这项待批准的变更',
    '沒有這項待核准的變更',
    'This change does not exist or is no longer open',
  ),
  TOO_FEW_ADMINISTRATORS: refused(
    '至少要保留两名管理员',
    '至少要保留兩名管理員',
    'At least two administrators must remain',
  ),
  DATE_INVALID: refused(
    '没有这一天，请按 2026-01-31 的格式填写日期',
    '沒有這一天，請按 2026-01-31 的格式填寫日期',
    'Invalid date. Please use the format 2026-01-31',
  ),
  RATE_TOO_SOON: refused(
    '利率只能从后天起的 90 天内生效，且晚于已批准的利率',
    '利率只能從後天起的 90 天內生效，且晚於已核准的利率',
    'A rate can start from the day after tomorrow, within 90 days, and after rates already approved',
  ),
  RATE_OUT_OF_BOUNDS: refused(
    '年利率须在 0 到 0.2 之间，最多六位小数',
    '年利率須在 0 到 0.2 之間，最多六位小數',
    'The annual rate must be between 0 and 0.2, with up to six decimals',
  ),
  NOTHING_NEW: refused(
    '已经如此，无需变更',
    '已經如此，無需變更',
    'No change needed: this is already so, or already proposed',
  ),
  ROLES_CONFLICT: refused('这些角色不能兼任', '這些角色不能兼任', 'These roles cannot be combined'),
  REVIEW_NOT_FOUND: refused(
    '没有这项待审资料，或已有结果',
    '沒有這項待審資料，或已有結果',
    'This submission does not exist or has already been decided',
  ),
  REVIEW_CLAIMED: refused('同事正在处理', '同事正在處理', 'Assigned to a colleague'),
  REVIEW_UNSEEN: refused(
    '请先查看全部所需资料',
    '請先查看全部所需資料',
    'Please open everything you are deciding on first',
  ),
  STAFF_NOT_FOUND: refused('没有这名员工', '沒有這名員工', 'This staff member does not exist'),
  REQUEST_CLOSED: refused('这笔申请已处理', '這筆申請已處理', 'This request has already been processed'),
  REQUEST_CLAIMED: refused(
    '这笔申请正由其他同事处理',
    '這筆申請正由其他同事處理',
    'This request is assigned to a colleague',
  ),
  PAYOUT_TAKEN: refused(
    '这笔提现正在付款中，付款人和时间见详情',
    '這筆出金正在付款中，付款人和時間見詳情',
    'This withdrawal is being paid. The case says by whom and since when',
  ),
  PAYOUT_NOT_TAKEN: refused(
    '请先领取这笔付款；收款方式只显示给领取的人',
    '請先領取這筆付款；收款方式只顯示給領取的人',
    'Take it for paying first. Only the person who took it sees where it goes',
  ),
  SCREENING_OPEN: refused(
    '名单比对有未结的相符，须两人排除后才能继续',
    '名單比對有未結的相符，須兩人排除後才能繼續',
    'A match with a list is open. Two people have to clear it first',
  ),
  SCREENING_DUE: refused(
    '正在与名单比对，或等待服务商的结果，请稍后再试',
    '正在與名單比對，或等待服務商的結果，請稍後再試',
    'The customer is being compared with the lists, or a vendor has not answered. Please try again in a minute',
  ),
  PAYOUT_INSTRUCTED: refused(
    '这笔提现有付款说明，请手工付款',
    '這筆出金有付款說明，請手動付款',
    'This withdrawal has instructions. Please pay it by hand',
  ),
  BANK_FILE_OVER: refused(
    '这份文件不能再下载：其中一笔付款没有付出，或内容不再相同',
    '這份檔案不能再下載：其中一筆付款沒有付出，或內容不再相同',
    'This file can no longer be downloaded: a payment in it did not go out, or it would not be the same',
  ),
  PAYOUT_ON_CHAIN: refused(
    '这笔付款在链上：由区块链决定结果，失败或到期后（或付款密钥丢失、地址停用一天后）才能说明',
    '這筆付款在鏈上：由區塊鏈決定結果，失敗或到期後（或付款金鑰遺失、位址停用一天後）才能說明',
    'This is paid on a chain, which says what becomes of it. Staff decide only after it has failed or expired, or a day after an address with a lost key was given up',
  ),
  PAYOUT_NO_NODE: refused(
    '尚无节点读过付款地址（请检查链服务是否运行），或该地址的密钥已丢失',
    '尚無節點讀過付款位址（請檢查鏈服務是否運行），或該位址的金鑰已遺失',
    'No node has read the paying address yet (check that the chain process runs), or its key was lost',
  ),
  PAYOUT_NO_COINS: refused(
    '付款地址上已确认的余额不足',
    '付款位址上已確認的餘額不足',
    'The paying address has too little that is confirmed',
  ),
  PAYOUT_REPLACED: refused(
    '这一批已被另一批替换',
    '這一批已被另一批替換',
    'Another batch has replaced this one',
  ),
  PAYOUT_NOT_EXPIRED: refused(
    '这一批仍可能上链：到期并经两个节点确认后才能替换',
    '這一批仍可能上鏈：到期並經兩個節點確認後才能替換',
    'It may still reach a block. It is replaced after it has expired and two nodes say so',
  ),
  PAYOUT_FEE_BOUND: refused(
    '费用将超过运营者设定的上限',
    '費用將超過營運者設定的上限',
    'The fee would exceed the operator’s limit',
  ),
  PAYOUT_FILE_UNREADABLE: refused(
    '这不是签名程序写出的文件',
    '這不是簽名程式寫出的檔案',
    'This is not a file that the signer wrote',
  ),
  PAYOUT_FILE_DIFFERS: refused(
    '签名的内容与批准的不同，已拒绝：{what}',
    '簽名的內容與核准的不同，已拒絕：{what}',
    'What is signed is not what was approved. Nothing was taken: {what}',
  ),
  PAYOUT_SIGNED: refused('这一批已有签名文件', '這一批已有簽名檔案', 'This batch has a signed file already'),
  CONTENT_CHANGED: refused(
    '内容已变更，请重新查看后再批准',
    '內容已變更，請重新查看後再核准',
    'This changed after you opened it. Please reload',
  ),
  NOTHING_PROPOSED: refused('还没有可批准的内容', '還沒有可核准的內容', 'Nothing has been proposed yet'),
  HOLD_LASTS: refused(
    '客户的安全设置刚变更，等待期内不能批准',
    '客戶的安全設定剛變更，等待期內不能核准',
    'The customer’s security settings changed recently. This can be approved when the hold ends',
  ),
  CUSTOMER_FROZEN: refused(
    '该客户的提现已被冻结：解除或到期后才能批准或付款',
    '該客戶的出金已被凍結：解除或到期後才能核准或付款',
    'The customer’s withdrawals are frozen. Approve or pay once the freeze is lifted or has ended',
  ),
  CUSTOMER_OWES: refused(
    '该客户的一笔链上充值已被区块链撤销且款项已用：补足后才能批准或付款',
    '該客戶的一筆鏈上入金已被區塊鏈撤銷且款項已用：補足後才能核准或付款',
    'A chain dropped a deposit of the customer whose money is spent. Approve or pay once the debt is covered',
  ),
  FREEZE_NEEDS_TWO: refused(
    '七天内已有一人单独冻结过：再次冻结需提议并由另一人批准',
    '七天內已有一人單獨凍結過：再次凍結需提議並由另一人核准',
    'One person alone froze this within the last seven days. Propose it, so that a second person approves',
  ),
  CUSTOMER_EXCLUDED: refused(
    '该证件的本人已在另一账号自我禁入：期满前此账号不能通过实名，充值也不能入账',
    '該證件的本人已在另一帳號自我禁入：期滿前此帳號不能通過實名，入金也不能入帳',
    'The person of this document is self-excluded under another account. Until that ends, this account can’t be verified and its deposits can’t be credited',
  ),
  DESTINATION_GONE: refused(
    '客户已删除收款方式',
    '客戶已刪除收款方式',
    'The customer has removed the destination',
  ),
  EVIDENCE_USED: refused(
    '这个流水号与另一笔申请的流水号相同，或属于系统自动入账的链上付款；大小写、空格和标点不计，O 与 0、I 与 l 与 1 视为相同',
    '這個流水號與另一筆申請的流水號相同，或屬於系統自動入帳的鏈上付款；大小寫、空格和標點不計，O 與 0、I 與 l 與 1 視為相同',
    'This reference is that of another request, or of a payment on a chain that is credited by itself. Case, spaces and punctuation don’t count; O and 0 are the same, as are I, l and 1',
  ),
  EVIDENCE_UNCLEAR: refused(
    '流水号须含字母、数字或汉字，且只能用英文字母、数字、汉字和英文标点',
    '流水號須含字母、數字或漢字，且只能用英文字母、數字、漢字和英文標點',
    'A reference needs a letter, digit or Chinese character; only these and English punctuation are allowed',
  ),
  CUSTOMER_UNVERIFIED: refused('客户未通过实名认证', '客戶未通過實名認證', 'The customer is not verified'),
  BALANCE_SMALLER: refused(
    '客户的可用余额不足',
    '客戶的可用餘額不足',
    'The customer’s available balance is too small',
  ),
  DEMO_CHANNEL: refused(
    '正式环境不能启用模拟通道（DEMO-）',
    '正式環境不能啟用模擬通道（DEMO-）',
    'Demo channels (DEMO-) cannot be enabled in live mode',
  ),
  CUSTOMER_NOT_FOUND: refused('没有这名客户', '沒有這名客戶', 'This customer does not exist'),
  PRACTICE_MONEY: refused('不能用于模拟资金', '不能用於模擬資金', 'Not available for practice money'),
  LEDGER_TOO_LARGE: refused(
    '账本太大，无法即时核对；请使用审计命令',
    '帳本太大，無法即時核對；請使用稽核命令',
    'The ledger is too large to check here; please use the audit command',
  ),
  RULES_OUT_OF_BOUNDS: refused('超出允许范围：{part}', '超出允許範圍：{part}', 'Outside the limits: {part}'),
  SOURCE_UNFIT: refused(
    '来源 {source} 现在没有这个产品的价格，或价格与其他来源、小数位数不符',
    '來源 {source} 現在沒有這個產品的價格，或價格與其他來源、小數位數不符',
    'The source {source} gives no price of this product now, or one that does not fit the other sources or the decimals',
  ),
  RULES_TOO_SOON: refused(
    '生效时间须在 75 分钟之后、14 天之内，且晚于已写入日志的规则',
    '生效時間須在 75 分鐘之後、14 天之內，且晚於已寫入日誌的規則',
    'Rules must take effect between 75 minutes and 14 days from now, and after rules already logged',
  ),
  RULES_MOVED: refused(
    '提议之后规则已变更，请重新提议',
    '提議之後規則已變更，請重新提議',
    'The rules have changed since this was proposed. Please propose it again',
  ),
  NEWS_MOVED: refused(
    '这篇资讯已有更新的版本，或时间已过',
    '這篇資訊已有更新的版本，或時間已過',
    'There is a newer version of this article, or the time has passed',
  ),
  CHAT_NOT_FOUND: refused(
    '没有这个对话或回复',
    '沒有這個對話或回覆',
    'This conversation or reply does not exist',
  ),
  CHAT_CLAIMED: refused(
    '同事正在处理这个对话',
    '同事正在處理這個對話',
    'This conversation is assigned to a colleague',
  ),
  COLLEAGUE_NOT_FOUND: refused(
    '请选择另一名客服',
    '請選擇另一名客服',
    'Please choose another support colleague',
  ),
  SEARCHES_FULL: refused(
    '已保存的搜索太多，请先删除一些',
    '已儲存的搜尋太多，請先刪除一些',
    'Too many saved searches. Please remove some first',
  ),
  CANNED_FULL: refused(
    '快捷回复太多，请先删除一些',
    '快速回覆太多，請先刪除一些',
    'Too many saved replies. Please remove some first',
  ),
  RECOVERY_CLOSED: refused(
    '没有这项找回申请，或已处理',
    '沒有這項找回申請，或已處理',
    'This recovery request does not exist or has already been decided',
  ),
  HOW_TOO_SHORT: refused(
    '请用至少 20 个字符说明如何核实身份',
    '請用至少 20 個字元說明如何核實身分',
    'Please state in at least 20 characters how you verified the identity',
  ),
  STATEMENT_UNREADABLE: refused(
    '第 {line} 行无法读取：{column}',
    '第 {line} 行無法讀取：{column}',
    'Line {line} could not be read: {column}',
  ),
  STATEMENT_FORM: refused(
    '不读取 {form} 文件，请在网上银行导出 CSV、XLSX、camt.053 或 MT940',
    '不讀取 {form} 檔案，請在網路銀行匯出 CSV、XLSX、camt.053 或 MT940',
    'This is a {form} file. Please export CSV, XLSX, camt.053 or MT940 from your online banking',
  ),
  STATEMENT_USED: refused(
    '已有充值、提现或说明使用了其中的记录',
    '已有入金、出金或說明使用了其中的紀錄',
    'A deposit, a withdrawal or an explanation already uses it',
  ),
  STATEMENT_NO_TEXT: refused(
    '文件不是文本，或编码无法识别，请导出为 CSV（UTF-8）、XLSX、camt.053 或 MT940',
    '檔案不是文字，或編碼無法識別，請匯出為 CSV（UTF-8）、XLSX、camt.053 或 MT940',
    'The file is not text in a known encoding. Please export it as CSV in UTF-8, XLSX, camt.053 or MT940',
  ),
} as const satisfies Record<string, ErrorEntry>;

export type OfficeErrorCode = keyof typeof OFFICE_ERRORS;
