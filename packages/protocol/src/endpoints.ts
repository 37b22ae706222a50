import * as z from 'zod';
import * as answers from './answers.ts';
import { confirmed, type Endpoint, file, get, nothing, passwordPair, post } from './endpoint.ts';
import * as fields from './fields.ts';
import { personalEndpoints } from './identity/personal-endpoints.ts';
import { protectionEndpoints } from './identity/protection-endpoints.ts';
import { callFields, securityEndpoints } from './identity/security-endpoints.ts';
import { LANGUAGES } from './languages.ts';
import { statusesOf } from './lifecycles.ts';
import { SELDOM, SOMETIMES } from './limit.ts';
import { landingEndpoints } from './market/landing-endpoints.ts';
import * as log from './market/log-answers.ts';
import * as market from './market/product-answers.ts';
import { loggedEvidence, receipt } from './market/receipt-answer.ts';
import { transparencyEndpoints } from './market/transparency-endpoints.ts';
import { earningsEndpoints } from './money/earnings-endpoints.ts';
import { moneyEndpoints } from './money/money-endpoints.ts';
import { newsEndpoints } from './news-endpoints.ts';
import { chatEndpoints } from './support/chat-endpoints.ts';

const fundFilter = {
  type: fields
    .choice(['deposit', 'withdrawal', 'purchase', 'settlement', 'earnIn', 'earnOut', 'interest', 'legal'])
    .optional(),
  result: fields.choice(statusesOf('deposit')).optional(),
  asset: fields.asset.optional(),
  from: fields.time.optional().meta({ description: 'Not before this time.' }),
  to: fields.time.optional().meta({ description: 'Not after this time.' }),
};

const orderFilter = {
  status: fields.choice(['unsettled', 'settled']).optional(),
  asset: fields.asset.optional(),
  symbol: fields.symbol.optional(),
  result: fields.choice(['profit', 'loss', 'none']).optional().meta({
    description: 'none: the stake came back, by a tie or because the order is void.',
  }),
  from: fields.time.optional().meta({ description: 'Accepted not before this time.' }),
  to: fields.time.optional().meta({ description: 'Accepted not after this time.' }),
};

export const endpoints = {
  register: confirmed(
    post(
      'user/register',
      'public',
      {
        account: fields.account,
        ...passwordPair,
        country: fields.country,
        acceptRisk: fields.flag.optional().meta({
          description: 'That the risk text of app/config was read and accepted.',
          example: 'true',
        }),
      },
      answers.registration,
      {
        limit: { attempt: 'registration' },
        summary: 'Opens an account',
        errors: [
          'ACCOUNT_TAKEN',
          ...fields.PASSWORD_FAULTS,
          'COUNTRY_REQUIRED',
          'REGION_RESTRICTED',
          'RISK_NOT_ACCEPTED',
        ],
      },
    ),
  ),
  login: post(
    'user/login',
    'public',
    {
      account: fields.knownAccount('LOGIN_FAILED'),
      password: fields.knownPassword('LOGIN_FAILED'),
      otp: fields.otp,
      passkey: fields.passkey,
    },
    answers.session,
    {
      limit: { attempt: 'login', guesses: ['login'] },
      summary:
        'Begins a session; a recovery code as `otp` also lets a new device in where wrong passwords of others keep it out',
      errors: ['OTP_REQUIRED', ...fields.OTP_FAULTS, 'ACCOUNT_CLOSED', 'LOGIN_FROZEN', 'NEW_DEVICES_HELD'],
    },
  ),
  logout: post('user/logout', 'session', {}, nothing, {
    summary: 'Ends this session, on every process within a second',
  }),
  recover: confirmed(
    post(
      'user/recover',
      'public',
      {
        account: fields.knownAccount('RECOVERY_FAILED'),
        recoveryCode: fields.recoveryCode,
        otp: fields.deviceOtp,
        ...passwordPair,
      },
      nothing,
      {
        limit: { attempt: 'recovery', guesses: ['recovery', 'recovery factor'] },
        summary:
          'Sets a new password with a recovery code, and with the second factor where one is on; every session of the account ends',
        errors: ['OTP_REQUIRED', ...fields.OTP_FAULTS, ...fields.PASSWORD_FAULTS],
      },
    ),
  ),
  recoverRequest: post(
    'user/recoverRequest',
    'public',
    { account: fields.knownAccount('INVALID_VALUE'), ...callFields },
    nothing,
    {
      limit: { quota: { minute: 60, day: 200 }, attempt: 'recovery request' },
      summary:
        'Asks support for help before login, once for each account and network until staff have decided; the same answer for unknown accounts',
      errors: ['CALL_OPEN'],
    },
  ),
  getUserInfo: get('user/getUserInfo', 'session', {}, answers.userInfo, {
    summary: 'The customer, with balances',
  }),
  setPassword: confirmed(
    post(
      'user/setPassword',
      'session',
      { oldPassword: fields.knownPassword('OLD_PASSWORD_WRONG'), ...passwordPair },
      nothing,
      {
        limit: { ...SELDOM, guesses: ['session'] },
        summary:
          'Changes the password; other sessions end. Where a second factor is on, a proved session (user/reauth) is needed beside the old password',
        errors: [...fields.PASSWORD_FAULTS, 'REAUTH_REQUIRED'],
      },
    ),
  ),
  reauth: post(
    'user/reauth',
    'session',
    { password: fields.knownPassword('LOGIN_FAILED'), otp: fields.otp, passkey: fields.passkey },
    nothing,
    {
      limit: { ...SOMETIMES, guesses: ['session'] },
      summary:
        'Proves the session: for five minutes, not renewed by use, credentials and destinations may change and withdrawals be sent; and it is fresh for one hour of use',
      errors: ['OTP_REQUIRED', ...fields.OTP_FAULTS],
    },
  ),
  ...personalEndpoints,
  ...securityEndpoints,
  setUserName: post('user/setUserName', 'session', { nickname: fields.nickname }, nothing, {
    limit: SELDOM,
    summary: 'Changes the nickname',
  }),
  setLanguage: post('user/setLanguage', 'session', { language: fields.choice(LANGUAGES) }, nothing, {
    summary: 'Remembers the language for notices',
  }),
  setWatchlist: post('user/setWatchlist', 'session', { symbols: fields.watchlist }, z.array(z.string()), {
    summary: 'Replaces the watchlist; unknown symbols are dropped',
  }),

  productList: get('product/list', 'public', {}, z.array(market.product), {
    summary: 'All products with prices, limits and payout rates',
  }),
  productBoard: get('product/board', 'public', {}, z.array(market.product.omit({ cycles: true })), {
    summary: 'All products with prices, without cycles and limits: a tenth of the list',
  }),
  productDetail: get('product/detail', 'public', { symbol: fields.symbol }, market.productDetail, {
    summary: 'One product with sessions, sources, bounds and rules',
  }),
  productCandles: get(
    'product/candles',
    'public',
    {
      symbol: fields.symbol,
      period: fields.choice(market.PERIODS),
      before: fields.time.optional().meta({ description: 'Only candles that start before this time.' }),
      limit: fields
        .whole(1, 1000)
        .optional()
        .meta({ description: 'At most so many candles, 1 to 1000; 300 if absent.', example: 100 }),
    },
    z.array(market.candle),
    { summary: 'Candles, oldest first' },
  ),
  productTicks: get(
    'product/ticks',
    'public',
    {
      symbol: fields.symbol,
      from: fields.time.meta({ description: 'Not before this time; at most two hours before `to`.' }),
      to: fields.time.meta({ description: 'Not after this time.' }),
    },
    z.array(market.tickPoint),
    {
      summary:
        'Committed prices of a stretch of time for drawing, oldest first: the last of each 240th part. The log has them all',
    },
  ),
  productSparks: get(
    'product/sparks',
    'public',
    { symbols: fields.symbols(4000) },
    z.record(z.string(), z.array(z.string())),
    {
      summary:
        'The opening price of the trading day and its half-hourly closing prices, for small charts; symbols separated by commas',
    },
  ),
  latestTrades: get(
    'product/latestTrades',
    'public',
    { symbol: fields.symbol, limit: fields.limit },
    z.array(market.trade),
    { summary: 'The product’s orders among the 5 000 newest of all, without names' },
  ),

  orderCreate: post(
    'order/create',
    'fresh',
    {
      symbol: fields.symbol,
      direction: fields.choice(['up', 'down']),
      minutes: fields
        .whole(1, 10_000, 'CYCLE_NOT_OFFERED')
        .meta({ description: 'A cycle that the product offers.', example: 1 }),
      amount: fields.amount,
      asset: fields.asset,
      opensAt: fields.fixTime.optional().meta({
        description:
          'When the order opens, with `nonce`: at least D (delayMs of the product) and at most D + 10 s after the acceptance, else it is refused. Without it: as early as possible, chosen by the server.',
      }),
      nonce: fields.nonce.optional(),
      notAfter: fields.time
        .optional()
        .meta({ description: 'Refuse the order when it would be accepted later than this.' }),
      seenSize: z
        .union([z.literal(''), fields.whole(0, Number.MAX_SAFE_INTEGER)], { error: 'INVALID_VALUE' })
        .optional()
        .meta({ description: 'Size of the log as the stream’s `time` told it.' }),
      seenRoot: z
        .union([z.literal(''), fields.hex64], { error: 'INVALID_VALUE' })
        .optional()
        .meta({ description: 'Root of the log at that size.' }),
    },
    answers.order,
    {
      limit: { perSecond: 'orders' },
      summary: 'Places an order',
      moves: true,
      errors: [
        'IDEMPOTENCY_MISMATCH',
        'SEEN_MISMATCH',
        'TRADING_HALTED',
        'EXPIRED',
        'LATE',
        'OPENS_TOO_FAR',
        'PRICE_UNAVAILABLE',
        'MARKET_CLOSED',
        'SESSION_ENDS',
        'AMOUNT_TOO_SMALL',
        'AMOUNT_TOO_LARGE',
        'BALANCE_TOO_LOW',
        'INSUFFICIENT_BALANCE',
        'EXPOSURE_LIMIT',
        'SHARE_LIMIT',
        'ON_BREAK',
        'SELF_EXCLUDED',
        'ORDERS_FROZEN',
        'STAKE_LIMIT',
        'LOSS_LIMIT',
      ],
    },
  ),
  orderList: get('order/list', 'session', { ...orderFilter, ...fields.paged }, answers.page(answers.order), {
    summary: 'The customer’s orders, newest first',
  }),
  orderTotals: get('order/totals', 'session', orderFilter, answers.orderTotals, {
    summary: 'The sums of the customer’s orders by asset, for the same filters as the list',
  }),
  orderExport: file(
    'order/export',
    'session',
    { ...orderFilter, zone: fields.zone.optional() },
    {
      types: ['text/csv'],
      summary: 'The customer’s orders as a table in the customer’s language, oldest first',
      errors: ['EXPORT_TOO_LONG'],
    },
  ),
  orderDetail: get('order/detail', 'session', { id: fields.id }, answers.order, {
    summary: 'One order',
    errors: ['ORDER_NOT_FOUND'],
  }),
  orderReceipt: get('order/receipt', 'session', { id: fields.id }, receipt, {
    summary: 'The proof of a settled order: a document to keep, which anybody with the log’s keys can check',
    errors: ['ORDER_NOT_FOUND', 'RECEIPT_NOT_READY'],
  }),
  orderLogged: get('order/logged', 'session', { id: fields.id }, loggedEvidence, {
    summary: 'The proof that an order is in the public log, some seconds after its acceptance: keep both',
    errors: ['ORDER_NOT_FOUND', 'LOGGED_SOON'],
  }),

  fundLog: get('fund/log', 'session', { ...fundFilter, ...fields.paged }, answers.page(answers.fundEntry), {
    summary: 'Everything that moved the customer’s money, newest first',
  }),
  fundExport: file(
    'fund/export',
    'session',
    { ...fundFilter, format: fields.choice(['csv', 'pdf']), zone: fields.zone.optional() },
    {
      types: ['text/csv', 'application/pdf'],
      summary: 'The fund log as a table, or as a statement with balances before and after; oldest first',
      errors: ['EXPORT_TOO_LONG'],
    },
  ),
  fundYear: file(
    'fund/year',
    'session',
    {
      year: fields.whole(2000, 9998).meta({ description: 'A calendar year.', example: 2026 }),
      zone: fields.zone.optional(),
    },
    {
      types: ['application/pdf'],
      summary: 'A year as a statement: opening and closing balance, and the sums of each month, by asset',
    },
  ),
  resetDemo: post('fund/resetDemo', 'fresh', {}, z.array(answers.balance), {
    // The database limits resets that move money to twenty a day; this quota limits those that move nothing.
    limit: { quota: { minute: 10, day: 100 } },
    summary: 'Sets practice money back to 10 000, stakes of open orders included, as a ledger entry',
    moves: true,
    errors: ['IDEMPOTENCY_MISMATCH', 'TOO_MANY_RESETS'],
  }),

  ...moneyEndpoints,
  ...protectionEndpoints,
  ...newsEndpoints,
  ...earningsEndpoints,
  ...chatEndpoints,
  ...landingEndpoints,

  appConfig: get('app/config', 'public', {}, answers.appConfig, {
    summary: 'What the app needs to know of this installation',
  }),
  transparencyKey: get('transparency/key', 'public', {}, log.verifierKeys, {
    summary: 'The keys that sign, in the form that verifiers take',
  }),
  transparencyReceipt: get('transparency/receipt', 'public', {}, answers.nullable(receipt), {
    summary:
      'The receipt of the newest settled practice order of the demo’s account, whose password is public; null: there is none, as in live mode',
  }),
  transparencyHalts: get('transparency/halts', 'public', {}, log.halts, {
    summary: 'When no new orders were taken because staff had halted them, the newest first; at most 1 000',
  }),
  transparencyWitnesses: get('transparency/witnesses', 'public', {}, log.witnesses, {
    summary: 'Who follows the log and cosigns its checkpoints, and what was cosigned',
  }),
  transparencyCosign: post('transparency/cosign', 'public', { note: fields.note }, nothing, {
    limit: { quota: { minute: 120, day: 100_000 } },
    summary:
      'Takes a witness’s cosignature of a checkpoint of the last 30 s (C2SP tlog-cosignature), with a time within 5 s of the checkpoint’s own',
  }),
  transparencyProof: get(
    'transparency/proof',
    'public',
    {
      index: fields
        .whole(0, Number.MAX_SAFE_INTEGER)
        .optional()
        .meta({ description: 'The entry whose inclusion is to be shown.', example: 0 }),
      size: fields
        .whole(0, Number.MAX_SAFE_INTEGER)
        .optional()
        .meta({ description: 'The log’s size to prove for; its present size if absent.' }),
      fromSize: fields
        .whole(0, Number.MAX_SAFE_INTEGER)
        .optional()
        .meta({ description: 'An earlier size that the log must be consistent with.', example: 1 }),
    },
    log.inclusion,
    { summary: 'Inclusion of an entry and consistency between two sizes of the log' },
  ),
  ...transparencyEndpoints,
} satisfies Record<string, Endpoint>;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
/** The checked fields of a request; its language is known apart. */
export type Input<N extends EndpointName> = Omit<z.infer<Endpoints[N]['input']>, 'lang'>;
export type Data<N extends EndpointName> = z.infer<Endpoints[N]['data']>;

/** Paths below `/api/`, and the operation at each: what a client calls. */
export type Path = Endpoints[EndpointName]['path'];
export type EndpointAt<P extends Path> = Extract<Endpoints[EndpointName], { readonly path: P }>;
export type DataAt<P extends Path> = z.infer<EndpointAt<P>['data']>;
