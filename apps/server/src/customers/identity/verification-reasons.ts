import { type Localised, localised } from '@fairtick/protocol/languages';
import type { OfficeInput } from '@fairtick/protocol/office';

/** Reasons of a failed verification, for the customer: what is wrong, and what helps. */
export const REASONS = {
  unreadable: localised(
    '照片不清晰，证件上的文字无法辨认。请在光线充足处重新拍摄，四角完整、无反光。',
    '照片不清晰，證件上的文字無法辨認。請在光線充足處重新拍攝，四角完整、無反光。',
    'The photos are not clear enough to read. Please take new ones in good light, with all four corners and no glare.',
  ),
  mismatch: localised(
    '填写的资料与证件不一致。请按证件上的内容逐项填写。',
    '填寫的資料與證件不一致。請按證件上的內容逐項填寫。',
    'The details do not match the document. Please enter everything exactly as shown there.',
  ),
  expired: localised(
    '证件已过期。请使用有效期内的证件。',
    '證件已過期。請使用有效期內的證件。',
    'The document has expired. Please use one that is valid.',
  ),
  incomplete: localised(
    '资料不完整。请上传所需的全部证件照片，并填写全部内容。',
    '資料不完整。請上傳所需的全部證件照片，並填寫全部內容。',
    'The submission is incomplete. Please upload all photos of the document and fill in every field.',
  ),
  duplicate: localised(
    '该证件已用于另一个账号。每人只能有一个账号，请联系客服。',
    '該證件已用於另一個帳號。每人只能有一個帳號，請聯絡客服。',
    'This document is already used by another account. Each person can have one account; please contact support.',
  ),
  restricted: localised(
    '很抱歉，我们不能为该国家或地区的居民服务。',
    '很抱歉，我們不能為該國家或地區的居民服務。',
    'Sorry, we cannot serve residents of this country or region.',
  ),
  suspicious: localised(
    '无法确认证件的真实性。请上传原件的照片，不要使用截图、复印件或修改过的图片。',
    '無法確認證件的真實性。請上傳原件的照片，不要使用截圖、影本或修改過的圖片。',
    'The document could not be confirmed as genuine. Please upload photos of the original, not screenshots, copies or edited images.',
  ),
  other: localised(
    '资料未能通过审核，请查看说明。',
    '資料未能通過審核，請查看說明。',
    'Your details could not be accepted. Please see the reviewer’s note.',
  ),
} as const satisfies Record<NonNullable<OfficeInput<'identity/decide'>['reason']>, Localised>;

export type Reason = keyof typeof REASONS;
