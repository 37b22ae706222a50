import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { endpoints } from './endpoints.ts';
import { officeOperations } from './office/operations.ts';
import { isPlainLine, isPlainText, showHidden, withoutHidden } from './plain-text.ts';

/** One example of each kind of character that is invisible or changes the text direction. */
const HIDDEN: Readonly<Record<string, string>> = {
  'right-to-left override': '\u202e',
  'right-to-left isolate': '\u2067',
  'pop of an isolate': '\u2069',
  'Arabic letter mark': '\u061c',
  'left-to-right mark': '\u200e',
  'space without width': '\u200b',
  'joiner between letters': '\u200d',
  'byte order mark': '\ufeff',
  'soft hyphen': '\u00ad',
  'word joiner': '\u2060',
  'tag letter': '\u{e0041}',
  'variation selector': '\ufe0f',
  'supplementary selector': '\u{e0100}',
  'Hangul filler': '\u3164',
  'half-width filler': '\uffa0',
  'choseong filler': '\u115f',
  'Braille without a dot': '\u2800',
  'line separator': '\u2028',
  'next line': '\u0085',
  escape: '\u001b',
  NUL: '\0',
  'private letter': '\ue000',
  'half a letter': '\ud83d',
  noncharacter: '\uffff',
};
const signs = Object.entries(HIDDEN);

/** Visible text: names, other scripts, and every kind of emoji. */
const SEEN = [
  "Anna-Maria O'Hara, 1 Raffles Place #02-03",
  '张三　上海分行',
  'Ελένη · Åse · Zoë · नमस्ते · 日本語 · مرحبا · שלום',
  '😀 ❤️ ☎︎ 1️⃣ 👍🏽 👨‍👩‍👧 🏳️‍🌈 🇸🇬 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'a\u00a0b',
];

describe('a text', () => {
  test.each(SEEN)('of visible characters is plain: %s', (text) => {
    expect([isPlainLine(text), isPlainText(text), showHidden(text), withoutHidden(text)]).toEqual([
      true,
      true,
      text,
      text,
    ]);
  });

  test.each(signs)(
    'with a %s at any place is not plain, and the sign can be shown as its code or removed',
    (_name, sign) => {
      for (const text of [`a${sign}b`, `${sign}ab`, `ab${sign}`, `😀${sign}${sign}`, sign])
        expect([text, isPlainLine(text), isPlainText(text)]).toEqual([text, false, false]);
      const code = (sign.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
      expect(showHidden(`a${sign}b`)).toBe(`a[U+${code}]b`);
      expect(withoutHidden(`a${sign}b\nc`)).toBe('ab\nc');
    },
  );

  test('may have line ends and tabs only where several lines are allowed', () => {
    for (const text of ['a\nb', 'a\r\nb', 'a\tb'])
      expect([isPlainLine(text), isPlainText(text)]).toEqual([false, true]);
    expect(showHidden('a\nb')).toBe('a[U+000A]b');
  });
});

/**
 * Fields that accept hidden characters, and why no other person is ever shown their content. A new text field needs a rule
 * (`fields.line`, `fields.words`), or its name here with a reason.
 */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  password: 'kept as a hash',
  confirmPassword: 'compared',
  oldPassword: 'compared',
  passkey: 'an authenticator’s answer, of which a key is kept',
  id: 'looked up',
  destinationId: 'looked up',
  name: 'the name of a picture, looked up',
  subject: 'looked up',
  action: 'looked up',
  lang: 'looked up',
  picture: 'decoded',
};

interface Field {
  readonly operation: string;
  readonly field: string;
  readonly schema: z.ZodType;
}

const operations = [
  ...Object.values(endpoints).map(({ path, input }) => [path, input] as const),
  ...Object.entries(officeOperations).map(([path, { input }]) => [`office ${path}`, input] as const),
];
const fields = operations.flatMap(([operation, input]) =>
  Object.entries((input as z.ZodObject).shape).map(
    ([field, schema]): Field => ({ operation, field, schema: schema as z.ZodType }),
  ),
);

/** Texts with hidden characters that the field accepts. */
function letThrough({ schema }: Field): string[] {
  const { example, pattern } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const right = typeof example === 'string' && example !== '' ? example : 'a text';
  const middle = Math.ceil(right.length / 2);
  return signs
    .flatMap(([, sign]) => [
      sign + right,
      right + sign,
      right.slice(0, middle) + sign + right.slice(middle),
      `${sign.repeat(6)}x`,
      `it is longer than some rules want ${sign}${pattern ?? ''}`,
    ])
    .filter((text) => {
      const read = schema.safeParse(text);
      // A character that is trimmed from the ends like a space is not stored.
      return read.success && typeof read.data === 'string' && !isPlainText(read.data);
    });
}

test('every field of every operation refuses hidden characters, unless no other person is shown its content', () => {
  expect(fields.length).toBeGreaterThan(250);
  const open = fields.filter((field) => letThrough(field).length > 0);
  const forgotten = open.filter(({ field }) => !Object.hasOwn(NOT_SHOWN, field));
  expect(forgotten.map(({ operation, field }) => `${operation} ${field}`)).toEqual([]);
  // Every listed reason must belong to an existing field.
  expect(Object.keys(NOT_SHOWN).filter((name) => !open.some(({ field }) => field === name))).toEqual([]);
});

test('fields that name a person or a thing accept a single line only', () => {
  const many = ['text', 'how', 'zh', 'tw', 'en', 'note', 'rules', 'passkey', 'file', 'names'];
  const inLines = fields
    .filter(({ schema }) => {
      const read = schema.safeParse('twenty characters at least\nand another line');
      return read.success && typeof read.data === 'string';
    })
    .filter(({ field }) => !Object.hasOwn(NOT_SHOWN, field))
    .map(({ field }) => field.replace(/^(summary|body)(Zh|Tw|En)$/, 'text'));
  expect([...new Set(inLines)].filter((field) => !many.includes(field))).toEqual([]);
});
