import * as z from 'zod';
import { HOUSE_STEPS } from './house-steps.ts';
import { officeGet } from './operation.ts';
import { decimal, ms } from './parts.ts';

const count = z.int();

/** What waits for a decision, in the order of the start page. */
export const WAITING_QUEUES = [
  'deposits',
  'withdrawals',
  'payouts',
  'identities',
  'statements',
  'chats',
  'recoveries',
  'corrections',
  'capital',
  'channels',
  'rules',
  'earnings',
  'restrictions',
  'tasks',
  'staff',
] as const;
export type WaitingQueue = (typeof WAITING_QUEUES)[number];

const queueFigure = z.object({
  queue: z.enum(WAITING_QUEUES),
  waiting: count,
  /** Submission time of the oldest one waiting; null if none is. */
  oldestAt: ms.nullable(),
});

const turnoverDay = z.object({
  /** UTC. */
  date: z.string(),
  asset: z.string(),
  isPractice: z.boolean(),
  orders: count,
  /** Sum of the stakes of orders accepted on that day. */
  stakes: decimal,
});

const exposureFigure = z.object({
  /** A product's symbol, or the name of a correlated group. */
  scope: z.string(),
  isGroup: z.boolean(),
  asset: z.string(),
  /** The settlement minute in which the house can lose most. */
  minuteAt: ms,
  worstLoss: decimal,
  limit: decimal,
  /** In 1/10 000 of the limit. */
  usedBps: count,
});

const customerExposure = z.object({
  /** The customer's number: a name is shown only to who opens it. */
  id: z.string(),
  asset: z.string(),
  orders: count,
  /** The income of all of them. */
  worstLoss: decimal,
});

const moneyDay = z.object({
  /** UTC. */
  date: z.string(),
  asset: z.string(),
  /** Stakes of the orders that were due on that day and are settled, less what was paid for them. */
  result: decimal,
  /** Deposits after fees, and withdrawals after fees, by the day of their success. */
  paidIn: decimal,
  paidOut: decimal,
});

/** Figures of the whole house, each as its comment defines it. */
const houseFigures = z.object({
  /** The log's clock when they were read. */
  time: ms,
  turnover: z.array(turnoverDay),
  /** The 20 scopes nearest to their limit, over all future settlement minutes. */
  exposure: z.array(exposureFigure),
  /** The ten customers of each asset whose open orders could cost the house most. */
  customers: z.array(customerExposure),
  /** Of the last 14 days, newest first; at most a minute old. */
  money: z.array(moneyDay),
  settlement: z.object({
    /** Orders past their settlement time that have no result yet, and the due time of the oldest. */
    due: count,
    oldestDueAt: ms.nullable(),
    /** Accepted and not settled, due or not. */
    open: count,
    /** Time from settlement time to result, over orders settled in the last 15 minutes; null if there were none. */
    delayP50: ms.nullable(),
    delayP99: ms.nullable(),
    settledLately: count,
    /** Orders due in the last 24 hours that became void, by reason; at most a minute old. */
    voids: z.array(z.object({ reason: z.string(), orders: count })),
  }),
  log: z.object({
    size: count,
    /** Time since the last append. */
    silenceMs: ms,
    checkpointAt: ms.nullable(),
    /** Batches of acceptances that the log does not carry yet; orders not logged a second before they open become void. */
    batchesWaiting: count,
    hasWriter: z.boolean(),
    products: count,
    /** Products without prices, by reason. */
    gaps: z.array(z.object({ reason: z.string(), products: count })),
    /** Of the products in their trading hours, the one whose last current price is the oldest; null: none is open. */
    oldestPrice: z.object({ symbol: z.string(), age: ms }).nullable(),
    auditSize: count,
  }),
});

/** The start page. */
export const dashboardOperations = {
  'dashboard/queues': officeGet(
    ['cashier', 'approver', 'catalogue', 'verification', 'administrator', 'auditor'],
    {},
    z.array(queueFigure),
    { summary: 'What waits for a decision: how many, and since when' },
  ),
  'dashboard/house': officeGet(['cashier', 'approver', 'catalogue', 'auditor'], {}, houseFigures, {
    summary: 'Turnover, exposure, settlement and log; at most two seconds old',
  }),
  'dashboard/steps': officeGet(
    ['administrator'],
    {},
    z.array(z.object({ step: z.enum(HOUSE_STEPS), isDone: z.boolean() })),
    { summary: 'The steps to a new house, each done or open' },
  ),
} as const;
