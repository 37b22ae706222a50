import { VOID_REASONS } from '@fairtick/trading';
import * as z from 'zod';
import { LANGUAGES } from './languages.ts';
import { statusesOf } from './lifecycles.ts';
import { STAFF_ROLES } from './staff-roles.ts';

/** Building blocks of answers. Money and prices are decimal strings, times Unix milliseconds, rates decimal strings. */
export const decimal = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .meta({ description: 'Decimal string.' });
export const time = z.int().meta({ description: 'Unix milliseconds.' });
export const nullable = <T extends z.ZodType>(type: T) => z.union([type, z.null()]);
export const says = (description: string) => ({ description });

/** The bytes of a JPEG, sent instead of an envelope. */
export const pictureBytes = z
  .custom<Uint8Array>((value) => value instanceof Uint8Array)
  .meta({ type: 'string', format: 'binary', description: 'A JPEG.' });

export const assetCode = z.string().meta(says('An asset, as app/config lists it.'));

export const balance = z
  .object({
    asset: assetCode,
    available: decimal.meta(says('What can be spent.')),
    held: decimal.meta(says('Stakes of open orders, pending withdrawals, and `holds` of authorities.')),
    earning: decimal.meta(says('What earns interest.')),
  })
  .meta({ id: 'Balance' });
export type Balance = z.infer<typeof balance>;

const bank = z
  .object({
    id: z.string(),
    holder: z.string(),
    bank: z.string(),
    branch: z.string(),
    last4: z.string().meta(says('The number’s last four digits or letters; more is never shown again.')),
    country: z.string().optional().meta(says('Of an account; a card has none.')),
    bankCode: z.string().optional().meta(says('Of an account without an IBAN.')),
  })
  .meta({ id: 'BankCard' });

export const userInfo = z
  .object({
    id: z.string(),
    account: z.string(),
    nickname: z.string(),
    level: z.enum(['bronze', 'silver', 'gold', 'platinum']),
    creditScore: z.int().meta(says('0 to 100.')),
    realStatus: z.enum(statusesOf('realName')).meta(says('Where the real-name verification stands.')),
    realReason: nullable(z.string()).meta(
      says(
        'Why a verification failed and what helps, in the language of the request; null unless it failed.',
      ),
    ),
    hasPayWord: z.boolean().meta(says('Whether a withdrawal password is set.')),
    payWordLockedUntil: nullable(time).meta(
      says('Until when wrong tries have locked it; null: it is not locked.'),
    ),
    addresses: z.object({ USDT: nullable(z.string()), BTC: nullable(z.string()), ETH: nullable(z.string()) }),
    banks: z.array(bank),
    balances: z.array(balance),
    limits: z
      .array(
        z.object({
          asset: assetCode,
          kind: z.enum(['deposit', 'stake', 'loss']),
          per: z.enum(['day', 'week', 'month']),
          amount: decimal,
        }),
      )
      .meta(says('The customer’s own limits; protection/state says what is left of them.')),
    pause: nullable(z.object({ kind: z.enum(['break', 'exclusion']), until: nullable(time) })).meta(
      says('A break: no orders and no deposits until then, or (until is null) ever; null: there is none.'),
    ),
    freezes: z
      .array(z.object({ what: z.enum(['orders', 'withdrawals']), until: time, reason: z.string() }))
      .meta(says('What the staff have closed until then, and why, in the language of the request.')),
    holds: z
      .array(z.object({ asset: assetCode, amount: decimal, authority: z.string(), reference: z.string() }))
      .meta(says('Sums that an authority has ordered to hold, with the number of its order.')),
    reminderMinutes: nullable(z.int()).meta(says('Minutes of use between two reminders; null: none.')),
    language: z.enum(LANGUAGES),
    watchlist: z
      .array(z.string())
      .nullable()
      .meta(says('Symbols, and names of groups with a # before them; null until it is changed.')),
  })
  .meta({ id: 'UserInfo' });
export type UserInfo = z.infer<typeof userInfo>;

export const realInfo = z
  .object({
    realStatus: z.enum(statusesOf('realName')),
    submittedAt: nullable(time),
    decidedAt: nullable(time),
    reason: nullable(
      z.enum([
        'unreadable',
        'mismatch',
        'expired',
        'incomplete',
        'duplicate',
        'restricted',
        'suspicious',
        'other',
      ]),
    ).meta(says('Why it failed.')),
    reasonText: nullable(z.string()).meta(says('The same for the customer to read, with what helps.')),
    note: nullable(z.string()).meta(says('What the staff added.')),
    isRestricted: z.boolean().meta(says('Whether the country submitted last is a restricted region.')),
    kept: nullable(
      z.object({
        realName: z.string(),
        idCountry: nullable(z.string()),
        idType: z.string(),
        idAddress: z.string(),
        currentAddress: z.string(),
      }),
    ).meta(
      says(
        'What was typed last, for the next try; without the number. Null unless it failed, or once erased.',
      ),
    ),
    documents: z.array(
      z.object({
        id: z.string().meta(says('For user/document.')),
        purpose: z.enum(['id_front', 'id_back']),
        width: z.int(),
        height: z.int(),
      }),
    ),
  })
  .meta({ id: 'RealInfo' });
export type RealInfo = z.infer<typeof realInfo>;

export const standing = z
  .object({
    level: z.enum(['bronze', 'silver', 'gold', 'platinum']),
    creditScore: z.int().meta(says('0 to 100: the sum of the points.')),
    facts: z.array(
      z.object({
        name: z.enum([
          'verified',
          'secondFactor',
          'payWord',
          'recoveryCodes',
          'noReversedDeposit',
          'accountAge',
        ]),
        points: z.int(),
        most: z.int(),
      }),
    ),
    securedSince: nullable(time).meta(
      says('Since when the name is verified and a second factor on, without a break.'),
    ),
    nextLevel: nullable(z.object({ level: z.enum(['gold', 'platinum']), at: time })).meta(
      says('What time alone leads to, and when; null: something else is missing, or there is no higher one.'),
    ),
  })
  .meta({ id: 'Standing' });
export type Standing = z.infer<typeof standing>;

export const dataView = z
  .object({
    id: z.string(),
    time,
    staff: z.string().meta(says('The number of whoever of the staff looked.')),
    roles: z.array(z.enum(STAFF_ROLES)).meta(says('The roles that they have today.')),
    what: z.enum([
      'identity',
      'id_front',
      'id_back',
      'proof',
      'bank_card',
      'address',
      'account',
      'search',
      'chat',
      'recovery',
      'report',
    ]),
  })
  .meta({ id: 'DataView' });

const token = z.string().meta(says('Goes into the header `token` of later requests.'));
export const session = z.object({ token, userInfo });
export const registration = session.extend({
  recoveryCodes: z.array(z.string()).meta(says('Shown this once. Each sets a new password, once.')),
});

export const acceptance = z
  .object({
    text: z.string().meta(says('The signed terms, a line each.')),
    index: z.int().meta(says('Place among the acceptances of its batch.')),
    size: z.int().meta(says('How many the batch holds.')),
    proof: z.array(z.string()).meta(says('Merkle path to the batch’s root, hex.')),
    signed: z.string().meta(says('Signed note over the batch’s size and root.')),
  })
  .meta({ id: 'Acceptance' });

export const voidReason = z
  .enum(VOID_REASONS)
  .meta(says('Why the stake went back: `not_logged` pays a tenth of it on top, `no_price` nothing more.'));

export const order = z
  .object({
    id: z.string(),
    symbol: z.string(),
    direction: z.enum(['up', 'down']),
    minutes: z.int(),
    asset: assetCode,
    amount: decimal.meta(says('The stake.')),
    payoutRate: decimal,
    expectedIncome: decimal.meta(says('floor(amount × payoutRate), without the stake.')),
    status: z.enum(['unsettled', 'settled']),
    createdAt: time,
    opensAt: time.meta(says('The second whose fix opens it.')),
    settlesAt: time,
    acceptance,
    openPrice: nullable(decimal),
    openedAt: nullable(time),
    openIndex: nullable(z.int()).meta(
      says('Where the fix that opened it, or the `close` that counts in its place, stands in the log.'),
    ),
    currentPrice: nullable(decimal),
    settlePrice: nullable(decimal).meta(
      says('Null in a settled order that is not void: no fix was written within 24 hours, so the order won.'),
    ),
    settledAt: nullable(time),
    settleTickAt: nullable(time).meta(says('Time of the settlement tick.')),
    settleIndex: nullable(z.int()).meta(
      says('Where the fix that settled it, or the `close` that counts in its place, stands in the log.'),
    ),
    result: nullable(z.enum(['profit', 'loss', 'none'])),
    profit: nullable(decimal).meta(says('What was credited, less the stake.')),
    voidReason: nullable(voidReason),
  })
  .meta({ id: 'Order' });
export type Order = z.infer<typeof order>;

export const orderTotals = z
  .object({
    items: z.array(
      z.object({
        asset: assetCode,
        orders: z.int().meta(says('Open ones included.')),
        open: z.int(),
        won: z.int(),
        lost: z.int(),
        none: z.int().meta(says('The price did not move, or the order was void.')),
        staked: decimal.meta(says('On all of them.')),
        result: decimal.meta(says('Of the settled ones: what was paid back less what was staked.')),
      }),
    ),
    isPartial: z.boolean().meta(says('There were more orders than are counted: only the newest ones are.')),
  })
  .meta({ id: 'OrderTotals' });
export type OrderTotals = z.infer<typeof orderTotals>;

/** `ignored` is the status of three ends; staff set aside deposits alone. */
export const requestEnding = nullable(z.enum(['cancelled', 'lapsed'])).meta(
  says(
    'How it came to be ignored: by its customer, or by time. Null where staff set it aside, and of every other.',
  ),
);

export type RequestEnding = z.infer<typeof requestEnding>;

export const fundEntry = z
  .object({
    id: z.string(),
    time,
    type: z.enum([
      'deposit',
      'withdrawal',
      'purchase',
      'settlement',
      'earnIn',
      'earnOut',
      'interest',
      'legal',
    ]),
    result: z.enum(statusesOf('deposit')),
    ending: requestEnding,
    asset: assetCode,
    amount: decimal.meta(says('Signed.')),
    balance: nullable(decimal).meta(says('What was available right after; null where that did not move.')),
    ref: z
      .string()
      .meta(
        says(
          'What caused it: `order:…`, `deposit:…`, `chain:…` (a payment that is not credited), `withdrawal:…`, `demo:…`, `correction:…`, `earnings:…`, `interest:…`, `legal:…`.',
        ),
      ),
    order: nullable(
      z.object({ symbol: z.string(), direction: z.enum(['up', 'down']), minutes: z.int() }),
    ).meta(says('The order that caused it; null for every other cause.')),
  })
  .meta({ id: 'FundEntry' });
export type FundEntry = z.infer<typeof fundEntry>;

/** An entry of the log with its proof. */
export const loggedEntry = z
  .object({
    index: z.int(),
    entry: z.string(),
    proof: z.array(z.string()),
    checkpoint: z.string(),
    keys: z
      .array(z.object({ index: z.int(), entry: z.string(), proof: z.array(z.string()) }))
      .describe('Hand-overs of the log’s keys up to the checkpoint, each with its proof.'),
  })
  .meta({ id: 'LoggedEntry' });
export type LoggedEntry = z.infer<typeof loggedEntry>;

/** A file, sent instead of an envelope. */
export interface AnsweredFile {
  readonly type: string;
  /** Bytes, or a stream of them, for a file that is long. */
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  /** The suggested file name. */
  readonly name: string;
}
export const answeredFile = z.custom<AnsweredFile>(
  (value) => typeof value === 'object' && value !== null && 'bytes' in value,
);

export const page = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    nextCursor: nullable(z.string()).meta(says('For the next page; null on the last.')),
  });

export const appConfig = z
  .object({
    brand: z.string(),
    mode: z.enum(['demo', 'live']),
    charUrl: z.string(),
    chatOnline: z.boolean(),
    defaultLanguage: z.enum(LANGUAGES),
    languages: z.array(z.enum(LANGUAGES)),
    restrictedRegions: z.array(z.string()).meta(says('ISO 3166 codes.')),
    riskText: z.string(),
    serverTime: time,
    features: z.array(z.string()),
    assets: z.array(z.object({ code: assetCode, scale: z.int(), isPractice: z.boolean() })),
    feed: z.string(),
  })
  .meta({ id: 'AppConfig' });
export type AppConfig = z.infer<typeof appConfig>;
