import { type Language, type Localised, localised } from '@fairtick/protocol/languages';
import type { OfficeInput } from '@fairtick/protocol/office';

/** Why a request failed: staff choose from these reasons, and the customer reads them. */
export const DEPOSIT_REASONS = {
  not_received: localised('没有收到这笔款项', '沒有收到這筆款項', 'The payment has not arrived'),
  proof_unreadable: localised(
    '凭证无法辨认，请重新提交清晰的图片',
    '憑證無法辨認，請重新提交清晰的圖片',
    'The proof cannot be read. Please submit a clear image',
  ),
  wrong_network: localised(
    '转账网络与通道不符',
    '轉帳網路與通道不符',
    'It was sent over a different network than the channel’s',
  ),
  third_party: localised(
    '付款人与账户姓名不一致',
    '付款人與帳戶持有人姓名不符',
    'The payer is not the account holder',
  ),
  duplicate: localised(
    '与另一笔申请重复，款项已入账或正在处理',
    '與另一筆申請重複，款項已入帳或正在處理',
    'Duplicate of another request that was credited or is under review',
  ),
  other: localised('其他原因', '其他原因', 'Other reason'),
} as const satisfies Record<OfficeInput<'deposit/refuse'>['reason'], Localised>;

export const WITHDRAWAL_REASONS = {
  destination_wrong: localised(
    '收款信息有误，请更正后重新申请',
    '收款資訊有誤，請更正後重新申請',
    'The payout details are incorrect. Please correct them and request again',
  ),
  destination_house: localised(
    '这是本平台的充值地址，请绑定您自己的地址后重新申请',
    '這是本平台的入金地址，請綁定您自己的地址後重新申請',
    'The address is one of our own deposit addresses. Please bind an address of yours and request again',
  ),
  name_mismatch: localised(
    '收款人与实名认证姓名不一致',
    '收款人與實名認證姓名不一致',
    'The payee is not the verified account holder',
  ),
  payout_returned: localised(
    '付款被银行或网络退回',
    '付款被銀行或網路退回',
    'The payment was returned by the bank or network',
  ),
  security: localised(
    '出于账户安全未能付款，请联系客服',
    '出於帳戶安全未能付款，請聯絡客服',
    'Not paid for account security reasons. Please contact support',
  ),
  other: localised('其他原因', '其他原因', 'Other reason'),
} as const satisfies Record<OfficeInput<'withdrawal/refuse'>['reason'], Localised>;

const TAKEN_BACK = localised('由您撤回', '由您撤回', 'Cancelled by you');
const LAPSED = localised('已过期', '已過期', 'Expired');

/** The sentence for the customer: the reason in words, and the text that staff added. */
export function reasonText(reason: string, added: string | null, language: Language): string {
  const all: Readonly<Record<string, Localised>> = {
    ...DEPOSIT_REASONS,
    ...WITHDRAWAL_REASONS,
    taken_back: TAKEN_BACK,
    lapsed: LAPSED,
  };
  const known = all[reason];
  if (!known) throw new Error(`there is no reason ${reason}`);
  if (added === null) return known[language];
  return reason === 'other' ? added : `${known[language]} · ${added}`;
}
