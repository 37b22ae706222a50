import { plainForm, readCode } from '@fairtick/money';
import { FIX_MS } from '@fairtick/trading';
import * as z from 'zod';
import { isDay, isZone } from './day.ts';
import type { AnyErrorCode, ErrorCode } from './errors.ts';
import { LANGUAGES } from './languages.ts';
import { plainName, withoutJoiners } from './person-name.ts';
import { isPlainLine, isPlainText, withoutHidden } from './plain-text.ts';

/**
 * Fields of requests. Every rule carries the machine name of its refusal as its message; the server turns it into a sentence.
 * Input is text (a form or a query) or, in a JSON body, also a number or boolean for fields of that type.
 */
const says = (code: AnyErrorCode) => ({ error: code });

/** One refusal for an absent field, another for a value of the wrong type. */
const absentOr = (absent: ErrorCode, wrong: AnyErrorCode) => ({
  error: ({ input }: { readonly input?: unknown }): AnyErrorCode => (input === undefined ? absent : wrong),
});

const text = (missing: ErrorCode, wrong: ErrorCode) =>
  z.string(absentOr(missing, wrong)).min(1, says(missing));

export const account = text('ACCOUNT_REQUIRED', 'ACCOUNT_FORMAT')
  .regex(/^[A-Za-z][A-Za-z0-9_]{5,17}$/, says('ACCOUNT_FORMAT'))
  .meta({
    description:
      'Starts with a letter, then letters, digits or underscores; 6 to 18 in all. Case does not tell two apart.',
    example: 'new_customer',
  });

export const zone = z.string().max(64, says('INVALID_VALUE')).refine(isZone, says('INVALID_VALUE')).meta({
  description: 'IANA time zone in which times are written; UTC without it.',
  example: 'Asia/Shanghai',
});

/** An account name for a lookup: a name that no account can have is simply not found. */
export const knownAccount = (wrong: ErrorCode) =>
  text('ACCOUNT_REQUIRED', wrong)
    .max(200, says(wrong))
    .refine(isPlainLine, says(wrong))
    .meta({ description: 'The account, in any case.', example: 'demo_user' });

/** A password for a check against the stored one. */
export const knownPassword = (wrong: ErrorCode) =>
  text('PASSWORD_REQUIRED', wrong)
    .max(1000, says(wrong))
    .meta({ description: 'The present password.', example: 'Demo-1234' });

export const newPassword = text('PASSWORD_REQUIRED', 'PASSWORD_TOO_SHORT')
  .min(8, says('PASSWORD_TOO_SHORT'))
  .max(200, says('PASSWORD_TOO_LONG'))
  .meta({
    description:
      'At least 8 characters, and hard to guess: no common password, no pattern, no name of the account. Composed and decomposed letters are the same.',
    example: 'a tall green lantern',
  });
/** Refusals of a new password that is too easy to guess; the server decides. */
export const PASSWORD_FAULTS = ['PASSWORD_COMMON', 'PASSWORD_NAMED', 'PASSWORD_GUESSABLE'] as const;
/** Why a code of a second factor is not taken. */
export const OTP_FAULTS = ['OTP_WRONG', 'OTP_USED', 'CLOCK_BEHIND', 'CLOCK_AHEAD'] as const;
export const confirmPassword = text('CONFIRM_REQUIRED', 'PASSWORDS_DIFFER')
  .max(1000, says('PASSWORDS_DIFFER'))
  .meta({ description: 'The new password once more.', example: 'a tall green lantern' });

/** Whether the confirmation matches; the error belongs to the confirmation field. */
export function passwordsMatch(value: { password: string; confirmPassword: string }): boolean {
  return value.password === value.confirmPassword;
}
export const differs = { error: 'PASSWORDS_DIFFER', path: ['confirmPassword'] };

/**
 * A code in the form in which it is compared: spaces, hyphens, width and script do not matter. A code of another shape is refused
 * here, before a try is counted.
 */
const code = (typed: z.ZodString, shape: RegExp, wrong: ErrorCode) =>
  typed
    .max(100, says(wrong))
    .transform(readCode)
    .pipe(z.string().regex(shape, says(wrong)));

export const recoveryCode = code(
  text('RECOVERY_CODE_REQUIRED', 'RECOVERY_FAILED'),
  /^(?:[A-Z0-9]{16}){1,2}$/,
  'RECOVERY_FAILED',
).meta({
  description: 'One of the codes given at registration; case, spaces and dashes do not matter.',
  example: 'ABCD-EFGH-JKMN-PQRS',
});

export const otp = code(z.string(says('INVALID_VALUE')), /^(?:[0-9]{6}|[A-Z0-9]{16})?$/, 'OTP_FORMAT')
  .optional()
  .meta({
    description: 'The second factor’s code, where one is on; a recovery code stands in for it, once.',
    example: '123456',
  });
/** A code from the device itself, for requests that already carry a recovery code. */
export const deviceOtp = otp.meta({
  description: 'The authenticator app’s code, where a second factor is on.',
  example: '123456',
});
/** The code of a second factor during its setup. */
export const newOtp = code(text('OTP_WRONG', 'OTP_WRONG'), /^[0-9]{6}$/, 'OTP_FORMAT').meta({
  description: 'A code of the new secret.',
  example: '123456',
});

const passkeyMeta = { description: 'The authenticator’s answer, as JSON (WebAuthn).', example: '{}' };
export const newPasskey = text('OTP_WRONG', 'OTP_WRONG').max(20_000, says('OTP_WRONG')).meta(passkeyMeta);
export const passkey = z
  .string(says('INVALID_VALUE'))
  .max(20_000, says('INVALID_VALUE'))
  .optional()
  .meta({ ...passkeyMeta, description: 'In place of `otp`: a passkey’s answer, as JSON (WebAuthn).' });

export const country = z
  .string(says('INVALID_VALUE'))
  .regex(/^[A-Z]{2}$/, says('INVALID_VALUE'))
  .optional()
  .meta({ description: 'ISO 3166 code of the country of residence.', example: 'CH' });

/** A checkbox in a form, or a boolean in a JSON body. */
export const flag = z
  .union([z.enum(['true', 'false', '1', '0']), z.boolean()], says('INVALID_VALUE'))
  .transform((value) => value === true || value === 'true' || value === '1');

/** Free text with line ends, at most `max` characters, without hidden characters. */
export const words = (max: number, meta: { description: string; example: string }) =>
  z
    .string(absentOr('FORM_INCOMPLETE', 'INVALID_VALUE'))
    .trim()
    .min(1, says('FORM_INCOMPLETE'))
    .max(max, says('INVALID_VALUE'))
    .refine(isPlainText, says('HIDDEN_CHARACTERS'))
    .meta(meta);

/** A signed note, including its last line end. */
export const note = z
  .string(absentOr('FORM_INCOMPLETE', 'INVALID_VALUE'))
  .min(1, says('FORM_INCOMPLETE'))
  .max(8_000, says('INVALID_VALUE'))
  .refine(isPlainText, says('HIDDEN_CHARACTERS'))
  .meta({
    description: 'One of the log’s checkpoints with the witness’s line.',
    example: 'fairtick.invalid/api/transparency\n1024\nmG4X…\n\n— witness.example.com …\n',
  });

/** Single-line text, at most `max` characters, without hidden characters. */
export const line = (max: number, meta: { description: string; example: string }) =>
  z
    .string(absentOr('FORM_INCOMPLETE', 'INVALID_VALUE'))
    .trim()
    .min(1, says('FORM_INCOMPLETE'))
    .max(max, says('INVALID_VALUE'))
    .refine(isPlainLine, says('HIDDEN_CHARACTERS'))
    .meta(meta);

/** A person's name as on the document; see {@link plainName}. */
export const personName = (meta: { description: string; example: string }) =>
  z
    .string(absentOr('FORM_INCOMPLETE', 'INVALID_VALUE'))
    .max(200, says('INVALID_VALUE'))
    .transform(plainName)
    .pipe(
      z
        .string()
        .min(1, says('FORM_INCOMPLETE'))
        .max(100, says('INVALID_VALUE'))
        .regex(/\p{L}/u, says('INVALID_VALUE'))
        .refine((name) => isPlainLine(withoutJoiners(name)), says('HIDDEN_CHARACTERS')),
    )
    .meta(meta);

/** A document's number as it is compared: in capitals, and in one width and script. */
export const documentNumber = (meta: { description: string; example: string }) =>
  z
    .string(absentOr('FORM_INCOMPLETE', 'INVALID_VALUE'))
    .max(80, says('INVALID_VALUE'))
    .transform((typed) => plainForm(typed).toUpperCase())
    .pipe(
      z
        .string()
        .min(1, says('FORM_INCOMPLETE'))
        .max(40, says('INVALID_VALUE'))
        .refine(isPlainLine, says('HIDDEN_CHARACTERS')),
    )
    .meta(meta);

export const nickname = z
  .string(absentOr('NICKNAME_REQUIRED', 'NICKNAME_FORMAT'))
  .trim()
  .min(1, says('NICKNAME_REQUIRED'))
  .regex(/^[^\p{Cc}]{1,20}$/u, says('NICKNAME_FORMAT'))
  .refine(isPlainLine, says('NICKNAME_FORMAT'))
  .meta({
    description: 'At most 20 characters, none of them hidden.',
    example: 'Goldsmith',
  });

export const symbol = z
  .string(absentOr('FORM_INCOMPLETE', 'PRODUCT_NOT_FOUND'))
  .regex(/^[A-Z0-9]+(\/[A-Z0-9]+)?$/, says('PRODUCT_NOT_FOUND'))
  .max(20, says('PRODUCT_NOT_FOUND'))
  .meta({ description: 'A product, as product/list spells it.', example: 'EUR/USD' });

/** Several products in one field of at most `max` characters. */
export const symbols = (max: number) =>
  z
    .string(absentOr('FORM_INCOMPLETE', 'INVALID_VALUE'))
    .max(max, says('INVALID_VALUE'))
    .regex(/^([A-Z0-9/]+(,[A-Z0-9/]+)*)?$/, says('INVALID_VALUE'))
    .meta({ description: 'Symbols, separated by commas.', example: 'EUR/USD,BTC/USDT' });

const WATCHED = /^(?:#[^,#]{1,20}|[A-Z0-9/]*)$/;
/** Symbols, and names of groups, each with a # and before the symbols of its group. */
export const watchlist = z
  .string(absentOr('FORM_INCOMPLETE', 'INVALID_VALUE'))
  .max(4_000, says('INVALID_VALUE'))
  .refine(isPlainLine, says('INVALID_VALUE'))
  .refine((list) => list.split(',').every((entry) => WATCHED.test(entry)), says('INVALID_VALUE'))
  .meta({
    description:
      'Symbols, separated by commas; an entry such as #Metals begins a group of that name, at most 20 characters.',
    example: 'EUR/USD,#Metals,XAU/USD',
  });

export const asset = z
  .string(absentOr('FORM_INCOMPLETE', 'ASSET_NOT_ACCEPTED'))
  .regex(/^[A-Z]{2,8}$/, says('ASSET_NOT_ACCEPTED'))
  .meta({ description: 'An asset, as app/config lists it.', example: 'DEMO' });

/** An amount. Only the grammar is checked here; the server checks that it is above zero and fits the asset's decimals. */
export const amount = text('AMOUNT_REQUIRED', 'INVALID_AMOUNT')
  .regex(/^(0|[1-9]\d{0,11})(\.\d{1,18})?$/, says('INVALID_AMOUNT'))
  .meta({
    description:
      'Decimal string above zero, in whole units of the asset, with at most as many places as the asset has.',
    example: '100.00',
  });

/** A price; the product defines how many decimals it may have. */
export const price = text('FORM_INCOMPLETE', 'ALERT_PRICE')
  .regex(/^(0|[1-9]\d{0,11})(\.\d{1,8})?$/, says('ALERT_PRICE'))
  .meta({
    description: 'Decimal string with at most as many places as the product has.',
    example: '1.10500',
  });

export const id = text('FORM_INCOMPLETE', 'INVALID_VALUE')
  .max(64, says('INVALID_VALUE'))
  .meta({ description: 'An id as it was answered; opaque.', example: '1024' });

/** The number of a record. Text that can be none is refused as the number of a record that does not exist. */
export const idOf = (unknown: AnyErrorCode, missing: ErrorCode = 'FORM_INCOMPLETE') =>
  z
    .string(absentOr(missing, unknown))
    .min(1, says(missing))
    .regex(/^\d{1,18}$/, says(unknown))
    .meta({ description: 'An id as it was answered; opaque.', example: '1024' });

/** A whole number from `min` to `max` in plain decimal, as text or (in a JSON body) as a number. */
export const whole = (min: number, max: number, wrong: ErrorCode = 'INVALID_VALUE') =>
  z
    .union(
      [z.string().regex(/^(0|[1-9]\d{0,15})$/), z.number().int().min(min).max(max)],
      absentOr('FORM_INCOMPLETE', wrong),
    )
    .transform(Number)
    .pipe(z.number().int(says(wrong)).min(min, says(wrong)).max(max, says(wrong)));

/** Unix milliseconds, up to the end of the year 9999, the upper limit of the calendar functions. */
export const time = whole(0, 253_402_300_799_999).meta({
  description: 'Unix milliseconds.',
  example: 4_102_444_800_000,
});
/** A time at which orders open and settle. */
export const fixTime = time
  .pipe(z.number().multipleOf(FIX_MS, says('INVALID_VALUE')))
  .meta({ description: 'Unix milliseconds, a whole second.', example: 4_102_444_800_000 });
export const nonce = z
  .string(says('INVALID_VALUE'))
  .regex(/^[0-9a-f]{32}$/, says('INVALID_VALUE'))
  .meta({
    description: '32 random hex digits: whoever knows them can show which instant was asked for.',
    example: '00112233445566778899aabbccddeeff',
  });
/** A calendar day; a day that its month does not have is refused and does not roll over into the next month. */
export const day = z.iso
  .date(says('DATE_INVALID'))
  .refine(isDay, says('DATE_INVALID'))
  .meta({ description: 'A day of UTC.', example: '2030-01-01' });
export const limit = whole(1, 100)
  .optional()
  .meta({ description: 'At most so many rows, 1 to 100; 20 if absent.', example: 20 });
const cursorOf = (shape: RegExp) =>
  z
    .string(says('INVALID_CURSOR'))
    .regex(shape, says('INVALID_CURSOR'))
    .refine(
      (text) => text.split('-').every((part) => Number.isSafeInteger(Number(part))),
      says('INVALID_CURSOR'),
    )
    .optional()
    .meta({ description: 'The nextCursor of the page before.' });
export const cursor = cursorOf(/^[1-9]\d{0,17}$/);
/** The cursor of rows that are sorted by more than their number. */
export const keyCursor = cursorOf(/^\d{1,17}-\d{1,15}$/);
/** The fields of every list by pages. */
export const paged = { limit, cursor };

export const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, absentOr('FORM_INCOMPLETE', 'INVALID_VALUE'));

/** Every request may carry a language; an unknown one means the fallback, so no string is refused here. */
export const lang = z
  .string(says('INVALID_VALUE'))
  .optional()
  .meta({
    description: `Language of the answer: ${LANGUAGES.join(', ')}; anything else is zh.`,
    example: 'en',
  });

export const hex64 = z.string(says('INVALID_VALUE')).regex(/^[0-9a-f]{64}$/, says('INVALID_VALUE'));

/** A picture in a multipart form. Its type is read from its bytes; the declared name and type are ignored. */
export const picture = (missing: ErrorCode, description: string) =>
  z
    .custom<Uint8Array>((value) => value instanceof Uint8Array, absentOr(missing, 'INVALID_VALUE'))
    .meta({
      description: `${description} JPEG, PNG, WebP, GIF, AVIF or, where the operator takes it, HEIC; at most 10 MB.`,
      type: 'string',
      format: 'binary',
    });

/** The withdrawal password: six digits, as a string in a JSON body too. */
export const payWord = (missing: ErrorCode, wrong: ErrorCode, description: string) =>
  code(text(missing, wrong), /^[0-9]{6}$/, wrong).meta({ description, example: '246813' });

/** A crypto address as pasted, also as a payment URI; the server checks its checksum. Empty removes the address. */
export const address = (network: string, example: string) =>
  z
    .string(says('ADDRESS_INVALID'))
    .max(500, says('ADDRESS_INVALID'))
    .transform(withoutHidden)
    .pipe(z.string().trim().refine(isPlainLine, says('ADDRESS_INVALID')))
    .optional()
    .meta({ description: `${network} Absent: as it is. Empty: none any more.`, example });

/** The number of a card or an account as typed; the server reads it by the rules of its kind. */
export const accountNumber = text('FORM_INCOMPLETE', 'CARD_NUMBER_INVALID')
  .max(64, says('CARD_NUMBER_INVALID'))
  .transform(withoutHidden)
  .pipe(z.string().trim().min(1, says('FORM_INCOMPLETE')).refine(isPlainLine, says('CARD_NUMBER_INVALID')))
  .meta({
    description:
      'A card: 12 to 19 digits, the last one a check digit unless `checked`. An account: its number, or its IBAN where the country has one. Spaces and hyphens mean nothing. Never shown again.',
    example: '6222020000000000000',
  });
