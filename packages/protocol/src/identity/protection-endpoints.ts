import * as z from 'zod';
import { type Endpoint, get, nothing, post } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { SELDOM } from '../limit.ts';
import * as own from './protection-answers.ts';

/** Operations by which customers protect themselves, and their statistics. */
export const protectionEndpoints = {
  protection: get('protection/state', 'session', {}, own.protection, {
    summary: 'The customer’s own limits with what is left of them, a break, and time reminders',
  }),
  setLimit: post(
    'protection/setLimit',
    'session',
    {
      asset: fields.asset,
      kind: fields.choice(own.LIMIT_KINDS).meta({ example: 'stake' }),
      per: fields.choice(own.LIMIT_PERIODS),
      amount: fields.amount.optional().meta({ description: 'Absent: no limit.', example: '500' }),
    },
    own.protection,
    {
      limit: SELDOM,
      summary:
        'Sets a limit or takes it off: a lower one counts at once, a higher one or none 24 hours later',
    },
  ),
  setReminder: post(
    'protection/setReminder',
    'session',
    {
      minutes: fields
        .whole(0, 240)
        .meta({ description: '0: none; else 15 to 240 minutes of use.', example: 60 }),
    },
    own.protection,
    {
      limit: SELDOM,
      summary: 'Sets how often the app says how long one has been here; less often counts 24 hours later',
    },
  ),
  takeBreak: post(
    'protection/takeBreak',
    'session',
    { hours: fields.whole(24, 1008).meta({ description: '24 hours to 6 weeks.', example: 24 }) },
    own.protection,
    {
      limit: SELDOM,
      summary: 'No orders and no deposits for so long, from now on; it can’t be ended early',
      errors: ['BREAK_LASTS_LONGER'],
    },
  ),
  selfExclude: post(
    'protection/selfExclude',
    'session',
    {
      months: z
        .union([z.literal('forever'), fields.whole(6, 60)], { error: 'INVALID_VALUE' })
        .meta({ description: '6 to 60 months, or `forever`.', example: 'forever' }),
    },
    own.protection,
    {
      limit: SELDOM,
      summary: 'No orders and no deposits for months or for good; it can’t be ended early',
      errors: ['BREAK_LASTS_LONGER'],
    },
  ),

  alertList: get('alert/list', 'session', {}, own.priceAlerts, {
    summary: 'The customer’s price alerts',
  }),
  alertAdd: post('alert/add', 'session', { symbol: fields.symbol, price: fields.price }, own.priceAlert, {
    limit: { quota: { minute: 60, day: 1_000 } },
    summary: 'Waits for a price; which way it has to go follows from where it stands',
    errors: ['ALERT_REACHED', 'PRICE_UNAVAILABLE', 'TOO_MANY_ALERTS'],
  }),
  alertRemove: post('alert/remove', 'session', { id: fields.id }, nothing, {
    limit: { quota: { minute: 60, day: 1_000 } },
    summary: 'Removes an alert that waits',
    errors: ['ALERT_NOT_FOUND'],
  }),

  statistics: get(
    'statistics/own',
    'session',
    {
      asset: fields.asset,
      days: fields
        .whole(1, 365)
        .optional()
        .meta({ description: 'Orders accepted in so many days up to now; 30 if absent.', example: 30 }),
    },
    own.statistics,
    { summary: 'How the customer’s own orders came out' },
  ),
} satisfies Record<string, Endpoint>;
