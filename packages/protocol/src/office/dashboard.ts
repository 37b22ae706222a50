import * as z from 'zod';
import { officeGet } from './operation.ts';

const ms = z.int();
const count = z.int();
const decimal = z.string();

export const queueFigure = z.object({
  queue: z.enum([
    'deposits',
    'withdrawals',
    'payouts',
    'identities',
    'corrections',
    'channels',
    'rules',
    'staff',
  ]),
  waiting: count,
  /** Since when the oldest of them waits; null: none does. */
  oldestAt: ms.nullable(),
});

export const turnoverDay = z.object({
  /** UTC. */
  date: z.string(),
  asset: z.string(),
  isPractice: z.boolean(),
  orders: count,
  /** Sum of the stakes of orders accepted on that day. */
  stakes: decimal,
});

export const exposureFigure = z.object({
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

/** Figures of the whole house, each as its comment defines it. */
export const houseFigures = z.object({
  /** The log's clock when they were read. */
  time: ms,
  turnover: z.array(turnoverDay),
  /** The 20 scopes that are nearest to their limit, over all settlement minutes to come. */
  exposure: z.array(exposureFigure),
  settlement: z.object({
    /** Orders whose settlement time the log has passed and that have no result, and since when the oldest is due. */
    due: count,
    oldestDueAt: ms.nullable(),
    /** Accepted and not settled, due or not. */
    open: count,
    /** From settlement time to result, over orders settled in the last 15 minutes; null: none were. */
    delayP50: ms.nullable(),
    delayP99: ms.nullable(),
    settledLately: count,
    /** Orders that were due in the last 24 hours and came to nothing, by reason; at most a minute old. */
    voids: z.array(z.object({ reason: z.string(), orders: count })),
  }),
  log: z.object({
    size: count,
    /** Since when nothing was appended. */
    silenceMs: ms,
    checkpointAt: ms.nullable(),
    /** Batches of acceptances that the log does not carry yet; 2 s late they are void. */
    batchesWaiting: count,
    hasWriter: z.boolean(),
    products: count,
    /** Products without prices, by reason. */
    gaps: z.array(z.object({ reason: z.string(), products: count })),
    auditSize: count,
  }),
});

/** The start page. */
export const dashboardOperations = {
  'dashboard/queues': officeGet(['cashier', 'approver', 'catalogue', 'auditor'], {}, z.array(queueFigure), {
    summary: 'What waits for a decision: how many, and since when',
  }),
  'dashboard/house': officeGet(['cashier', 'approver', 'catalogue', 'auditor'], {}, houseFigures, {
    summary: 'Turnover, exposure, settlement and log; at most two seconds old',
  }),
} as const;
