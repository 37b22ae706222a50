/** What a word says of its payment: the direction, or the state. `neutral`: the payer moved their own money. */
export type Word = 'in' | 'out' | 'done' | 'pending' | 'undone' | 'failed' | 'neutral';

/** In any place of a short text. The first that fits counts: a refund that succeeded is a refund. */
const WITHIN: readonly (readonly [Word, RegExp])[] = [
  [
    'undone',
    /\b(reverse[ds]?|reversal|reverted|refund(ed|s)?|returned|charge ?back|recalled|storno|storniert|rückbuchung|devuelt[oa]|reembols\w*)\b|退款|退回|退货|退貨|退还|退還|冲正|沖正|冲销|沖銷|撤销|撤銷|撤回|抹账|抹帳|红冲/,
  ],
  [
    'failed',
    /\b(fail(ed|ure)?|unsuccessful|declined|rejected|cancel(l?ed|lation)?|voided|expired|denied|blocked|bounced|dishonou?red|unpaid|abgelehnt|rechazad[oa]|anulad[oa])\b|失败|失敗|不成功|取消|关闭|關閉|拒绝|拒絕|驳回|駁回|作废|作廢|超时|逾時|过期|過期|无效|無效/,
  ],
  [
    'pending',
    /\b(pending|on hold|processing|in progress|in process|uncleared|unposted|unsettled|authori[sz](ed|ation)|scheduled|awaiting|initiated|submitted|under review|not (posted|cleared|booked|settled|complete)|incomplete|vorgemerkt|pendiente)\b|待|处理中|處理中|进行中|進行中|审核中|審核中|在途|未入|未到|未完成|未支付|未付|未清算|冻结|凍結|圈存|预授权|預授權/,
  ],
];

const list = (text: string) => new Set(text.split(/,\s*/));
/** Whole texts. */
const WHOLE: readonly (readonly [Word, ReadonlySet<string>])[] = [
  ['pending', list('hold, held, open, offen, pdng, futr, info, created, queued, new, p')],
  ['failed', list('void, error, rjct')],
  ['undone', list('return, rvsl')],
  [
    'in',
    list(
      'credit, credits, cr, c, crdt, credited, in, incoming, inflow, inward, inbound, money in, paid in, transfer in, credit note, deposit, ' +
        'deposits, receive, received, receipt, receipts, +, h, haben, gutschrift, eingang, abono, entrada, 收入, 收款, 收, 入, 入账, 入帳, ' +
        '进账, 進帳, 贷, 貸, 贷方, 貸方, 贷记, 貸記, 存, 存入, 存款, 转入, 轉入, 来账, 來帳, 来, 來, 汇入, 匯入',
    ),
  ],
  [
    'out',
    list(
      'debit, debits, dr, d, db, dbit, debited, out, outgoing, outflow, outward, outbound, money out, paid out, transfer out, withdrawal, ' +
        'withdrawals, withdraw, sent, send, fee, fees, charge, charges, -, s, soll, lastschrift, ausgang, ' +
        'cargo, salida, 支出, 付款, 支, 付, 出, 出账, 出帳, 借, 借方, 借记, 借記, 取, 取出, 支取, 取款, 提现, 提現, 提款, 提出, 转出, 轉出, ' +
        '往账, 往帳, 往, 汇出, 匯出, 消费, 消費, 扣款, 手续费, 手續費',
    ),
  ],
  ['neutral', list('/, 不计收支, 不計收支, 中性交易')],
  [
    'done',
    list(
      'complete, completed, book, booked, posted, settled, cleared, success, successful, succeeded, done, paid, processed, confirmed, finalised, ' +
        'finalized, executed, ok, normal, active, accepted, approved, available, gebucht, ausgeführt, completado, completada, 正常',
    ),
  ],
];
const DONE =
  /(成功|完成|已(入账|入帳|入賬|到账|到帳|到賬|收款|收钱|收錢|存入零钱|存入零錢|支付|转账|轉帳|付款|结算|結算|记账|記帳|过账|過帳|清算))$/;

const MAX_WORD = 40;

/** Null for a text that says nothing of the kind that we know. */
export function wordOf(cell: string): Word | null {
  if (cell === '' || cell.length > MAX_WORD) return null;
  const text = cell.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').replace(/–/g, '-').trim();
  const found = [...WITHIN, ...WHOLE].find(([, words]) =>
    words instanceof RegExp ? words.test(text) : words.has(text),
  );
  return found?.[0] ?? (DONE.test(text) ? 'done' : null);
}
