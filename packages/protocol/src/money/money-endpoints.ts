import * as z from 'zod';
import { page } from '../answers.ts';
import { get, nothing, picture, post, upload } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { statusesOf } from '../lifecycles.ts';
import { SOMETIMES } from '../limit.ts';
import * as money from './money-answers.ts';

const status = fields.choice(statusesOf('deposit')).optional();
const list = { status, ...fields.paged };
const request = { id: fields.idOf('REQUEST_NOT_FOUND') };

/** Deposits and withdrawals, and the inbox with their notices. */
export const moneyEndpoints = {
  withdrawOptions: get('withdraw/options', 'session', {}, money.withdrawOptions, {
    summary: 'What a withdrawal needs: what is missing, where it can go, bounds and fees',
  }),
  withdrawSubmit: post(
    'withdraw/submit',
    'proved',
    {
      destinationId: fields.id.meta({ description: 'One of withdraw/options.', example: '10001' }),
      asset: fields.asset,
      amount: fields.amount,
      fee: fields.amount.optional().meta({
        description: 'The fee that the customer saw: where it has changed since, the request is refused.',
        example: '1.000000',
      }),
      payWord: fields.payWord('PAY_WORD_REQUIRED', 'PAY_WORD_FORMAT', 'The withdrawal password: six digits.'),
    },
    money.withdrawalRequest,
    {
      limit: SOMETIMES,
      summary: 'Asks for a withdrawal; the money is held at once',
      moves: true,
      errors: [
        'IDEMPOTENCY_MISMATCH',
        'DESTINATION_NOT_FOUND',
        'ADDRESS_INVALID',
        'ADDRESS_UNOWNED',
        'ADDRESS_OF_HOUSE',
        'PAY_WORD_NOT_SET',
        'PAY_WORD_WRONG',
        'PAY_WORD_LOCKED',
        'NAME_NOT_VERIFIED',
        'FACTOR_NEEDED',
        'WITHDRAWALS_FROZEN',
        'DEPOSIT_NOT_FINAL',
        'TERMS_CHANGED',
        'WITHDRAWAL_TOO_SMALL',
        'WITHDRAWAL_TOO_LARGE',
        'INSUFFICIENT_BALANCE',
      ],
    },
  ),
  withdrawList: get('withdraw/list', 'session', list, page(money.withdrawalRequest), {
    summary: 'The customer’s withdrawals, newest first',
  }),
  withdrawDetail: get(
    'withdraw/detail',
    'session',
    request,
    money.withdrawalRequest.extend({ history: money.requestHistory }),
    { summary: 'One withdrawal with what happened to it' },
  ),
  withdrawCancel: post('withdraw/cancel', 'session', request, money.withdrawalRequest, {
    limit: SOMETIMES,
    summary: 'Takes a withdrawal back while it is under review; the money is free again',
    errors: ['REQUEST_DECIDED'],
  }),

  rechargeChannels: get('recharge/channels', 'session', {}, z.array(money.depositChannel), {
    summary: 'Where deposits can be paid to',
  }),
  rechargeOnChain: get('recharge/onChain', 'session', fields.paged, page(money.chainDeposit), {
    summary: 'Payments that were seen at the customer’s own addresses on chains, newest first',
  }),
  rechargeAddresses: get('recharge/addresses', 'session', {}, z.array(money.addressProof), {
    summary: 'The customer’s own addresses on chains, each with the way up to what the log says of all',
  }),
  rechargeSubmit: upload(
    'recharge/submit',
    'fresh',
    {
      fields: { channelId: fields.idOf('CHANNEL_NOT_FOUND', 'CHANNEL_NOT_FOUND'), amount: fields.amount },
      pictures: { proof: fields.picture('PROOF_REQUIRED', 'A picture that shows the payment.') },
    },
    money.depositRequest,
    {
      limit: SOMETIMES,
      summary:
        'Announces a deposit with its proof of payment; it is credited when staff have found the money',
      moves: true,
      errors: [
        'IDEMPOTENCY_MISMATCH',
        'DEPOSIT_TOO_SMALL',
        'DEPOSIT_TOO_LARGE',
        'TOO_MANY_PENDING',
        'ON_BREAK',
        'SELF_EXCLUDED',
        'DEPOSIT_LIMIT',
      ],
    },
  ),
  rechargeList: get('recharge/list', 'session', list, page(money.depositRequest), {
    summary: 'The customer’s deposits, newest first',
  }),
  rechargeDetail: get(
    'recharge/detail',
    'session',
    request,
    money.depositRequest.extend({ history: money.requestHistory }),
    { summary: 'One deposit with what happened to it' },
  ),
  rechargeProof: picture('recharge/proof', 'session', request, {
    summary: 'A small picture of the proof of one’s own deposit; not kept once it is cancelled or lapses',
    errors: ['DOCUMENT_NOT_FOUND'],
  }),
  rechargeCancel: post('recharge/cancel', 'session', request, money.depositRequest, {
    limit: SOMETIMES,
    summary: 'Takes a deposit back while it is under review',
    errors: ['REQUEST_DECIDED'],
  }),

  noticeList: get('notice/list', 'session', fields.paged, page(money.notice).extend({ unread: z.int() }), {
    summary: 'The customer’s inbox, newest first',
  }),
  noticeRead: post(
    'notice/read',
    'session',
    {
      id: fields.id
        .optional()
        .meta({ description: 'This one and all that are older; all of them if absent.', example: '1024' }),
    },
    nothing,
    { summary: 'Marks notices as read' },
  ),
} as const;
