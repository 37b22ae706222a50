import * as z from 'zod';
import { page } from '../answers.ts';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { statusesOf } from '../lifecycles.ts';
import { FLAG_RULES } from './customer-lists.ts';
import { officeGet, officePost } from './operation.ts';

const ms = z.int();
const staff = z.object({ id: z.string(), name: z.string() });

const flagRule = z.object({
  rule: z.enum(FLAG_RULES),
  isOn: z.boolean(),
  /** Accounts, tenths of a standard deviation, or percent: see schema/customers/flag-rules.sql. */
  bound: z.int(),
  days: z.int(),
});

const flagRuleChange = flagRule.extend({
  id: z.string(),
  /** Names of a new list; null: the list stays. */
  names: z.int().nullable(),
  note: z.string(),
  status: z.enum(statusesOf('proposal')),
  proposedBy: staff,
  proposedAt: ms,
  decidedBy: staff.nullable(),
  decidedAt: ms.nullable(),
});

const flagTask = z.object({
  id: z.string(),
  rule: z.enum(FLAG_RULES),
  customerId: z.string(),
  account: z.string(),
  foundAt: ms,
  facts: z.record(z.string(), z.number()),
  closedBy: staff.nullable(),
  closedAt: ms.nullable(),
  note: z.string().nullable(),
});

const READERS = ['support', 'verification', 'approver', 'auditor'] as const;
const PROVED = { needsProof: true } as const;
const paged = { limit: fields.limit, cursor: fields.cursor };
const note = fields.line(500, {
  description: 'At least five characters.',
  example: 'A family with one account at a bank',
});

/** Rules that flag customers, and the tasks that they make. A task changes nothing for its customer. */
export const flagOperations = {
  'task/list': officeGet(
    READERS,
    { state: fields.choice(['open', 'decided']).optional(), ...paged },
    page(flagTask),
    {
      summary:
        'Customers whom a rule has found: open tasks, the oldest first, or closed ones, the newest first',
      errors: ['INVALID_CURSOR'],
    },
  ),
  'task/close': officePost(['verification'], { id: fields.id, note }, nothing, {
    summary: 'Closes a task with what came of it',
    errors: ['REQUEST_NOT_FOUND', 'REQUEST_CLOSED', 'ABOUT_ONESELF', 'INVALID_VALUE'],
  }),
  'flagRule/list': officeGet(READERS, {}, z.array(flagRule.extend({ names: z.int() })), {
    summary: 'The rules that flag customers, with the number of names on the list',
  }),
  'flagRule/changes': officeGet(READERS, paged, page(flagRuleChange), {
    summary: 'Proposed and decided changes of these rules, newest first',
    errors: ['INVALID_CURSOR'],
  }),
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
    z.object({ id: z.string() }),
    {
      summary: 'Proposes to change a rule',
      ...PROVED,
      errors: ['NOTHING_NEW', 'APPROVER_TOO_NEW', 'INVALID_VALUE'],
    },
  ),
  'flagRule/decide': officePost(
    ['verification', 'approver'],
    { id: fields.id, verdict: fields.choice(['agree', 'refuse']) },
    z.object({ status: flagRuleChange.shape.status }),
    {
      summary: 'Approves or refuses a change of a rule',
      ...PROVED,
      errors: ['REQUEST_NOT_FOUND', 'REQUEST_CLOSED', 'ROLE_MISSING', 'OWN_EDIT', 'APPROVER_TOO_NEW'],
    },
  ),
} as const;
