import * as z from 'zod';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { FLAG_RULES } from './customer-lists.ts';
import { officeGet, officePost } from './operation.ts';
import { decision, made, ms, PROVED, pages, proposal, queue, request, who } from './parts.ts';

const flagRule = z.object({
  rule: z.enum(FLAG_RULES),
  isOn: z.boolean(),
  /** Accounts, tenths of a standard deviation, or percent: see schema/customers/flag-rules.sql. */
  bound: z.int(),
  days: z.int(),
});

const flagRuleChange = flagRule.extend({
  ...proposal,
  /** Names of a new list; null: the list stays. */
  names: z.int().nullable(),
  note: z.string(),
});

const flagTask = z.object({
  id: z.string(),
  rule: z.enum(FLAG_RULES),
  customerId: z.string(),
  account: z.string(),
  foundAt: ms,
  facts: z.record(z.string(), z.number()),
  closedBy: who.nullable(),
  closedAt: ms.nullable(),
  note: z.string().nullable(),
});

const READERS = ['support', 'verification', 'approver', 'auditor'] as const;
const note = fields.line(500, {
  description: 'At least five characters.',
  example: 'A family with one account at a bank',
});

/** Rules that flag customers, and the tasks that they make. A task changes nothing for its customer. */
export const flagOperations = {
  'task/list': pages(
    READERS,
    flagTask,
    'Customers whom a rule has found: open tasks, the oldest first, or closed ones, the newest first',
    queue,
  ),
  'task/close': officePost(['verification'], { ...request, note }, nothing, {
    summary: 'Closes a task with what came of it',
    errors: ['REQUEST_CLOSED', 'ABOUT_ONESELF'],
  }),
  'flagRule/list': officeGet(READERS, {}, z.array(flagRule.extend({ names: z.int() })), {
    summary: 'The rules that flag customers, with the number of names on the list',
  }),
  'flagRule/changes': pages(
    READERS,
    flagRuleChange,
    'Proposed and decided changes of these rules, newest first',
  ),
  'flagRule/propose': officePost(
    ['verification'],
    {
      rule: fields.choice(FLAG_RULES),
      isOn: fields.flag,
      bound: fields.whole(1, 10_000),
      days: fields.whole(1, 365),
      names: fields
        .words(50_000, {
          description: 'One name a line, in place of the list; absent: the list stays.',
          example: 'Jane Doe',
        })
        .optional(),
      note,
    },
    made,
    { summary: 'Proposes to change a rule', ...PROVED, errors: ['NOTHING_NEW', 'APPROVER_TOO_NEW'] },
  ),
  'flagRule/decide': decision(['verification', 'approver'], 'Approves or refuses a change of a rule'),
} as const;
