import { expect, test } from 'vitest';
import type * as z from 'zod';
import * as fields from './fields.ts';

const meta = { description: 'A field.', example: 'x' };
/** What a field makes of a text, or the code of its refusal. */
function judge(field: z.ZodType, typed: string): unknown {
  const read = field.safeParse(typed);
  return read.success ? read.data : read.error.issues[0]?.message;
}

test('real names of many peoples are taken as they are', () => {
  const names = [
    '王',
    '欧阳娜娜',
    '次仁 多吉',
    '買 張',
    "O'Brien",
    'O’Brien',
    'José María Núñez',
    'Þór',
    'สมชาย',
    '𠮷野家',
  ];
  names.push(
    '䶮𬭎',
    'आर्या',
    'آقای\u200cنیا',
    'ＷＡＮＧ　ＸＩＡＯ',
    'JOSE',
    '买买提·阿卜杜热合曼·吐尔逊·阿卜力孜·艾尔肯江',
  );
  names.push(...['·', '•', '・', '‧', '.'].map((dot) => `阿卜杜拉${dot}买买提`));
  expect(names.map((name) => judge(fields.personName(meta), name))).toEqual(names);
});

test('a real name is composed, and loses what its keyboard or page put around it', () => {
  const pairs = [
    ['Nguye\u0302\u0303n', 'Nguyễn'],
    ['\u2060张三\ufeff ', '张三'],
    ['葛\u{e0100}城', '葛城'],
    ['\ue863', '䶮'],
  ] as const;
  for (const [typed, kept] of pairs) expect(judge(fields.personName(meta), typed)).toBe(kept);
});

test('a name of nothing visible, or with something invisible inside, is refused', () => {
  const refusals = { '': 'FORM_INCOMPLETE', '\u200b\u200d': 'FORM_INCOMPLETE', '-': 'INVALID_VALUE' };
  for (const [typed, code] of Object.entries({
    ...refusals,
    'a\u200db': 'HIDDEN_CHARACTERS',
    '张\u202e三': 'HIDDEN_CHARACTERS',
  }))
    expect([typed, judge(fields.personName(meta), typed)]).toEqual([typed, code]);
});

test('codes and numbers of documents are normalised, then judged', () => {
  for (const typed of ['123 456', '123-456', '１２３４５６', ' 123456 ', '123\u200b456'])
    expect(judge(fields.otp, typed)).toBe('123456');
  expect(judge(fields.otp, 'abcd efgh jkmn pqrs')).toBe('ABCDEFGHJKMNPQRS');
  expect(['12345', '12345O', '1234567'].map((typed) => judge(fields.otp, typed))).toEqual(
    Array(3).fill('OTP_FORMAT'),
  );
  const payWord = fields.payWord('PAY_WORD_REQUIRED', 'PAY_WORD_FORMAT', 'Six digits.');
  expect(['246 813', '24681O'].map((typed) => judge(payWord, typed))).toEqual(['246813', 'PAY_WORD_FORMAT']);
  const number = fields.documentNumber(meta);
  expect(
    ['１１０１０５１９４９１２３１００２ｘ', 'A123456（3）'].map((typed) => judge(number, typed)),
  ).toEqual([...['11010519491231002X', 'A123456(3)']]);
});
