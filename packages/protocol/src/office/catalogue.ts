import * as z from 'zod';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { closed, shortDays } from '../market/product-answers.ts';
import { isPlainText } from '../plain-text.ts';
import { newProductFields, newProductLists } from './new-product.ts';
import { officeGet, officePost } from './operation.ts';
import { content, ms, PROVED, pages, who } from './parts.ts';

/** The rules that govern a product, as its log entry states them. */
const officeRules = z.object({
  symbol: z.string(),
  decimals: z.int(),
  sources: z.array(z.string()),
  /** The licence class of each source: simulated, recorded, public or licensed. */
  licences: z.record(z.string(), z.string()),
  quorum: z.int(),
  quietMs: z.int(),
  waitMs: z.int(),
  outlierBps: z.int(),
  delayMs: z.int(),
  schedule: z.object({
    zone: z.string(),
    windows: z.array(z.object({ days: z.array(z.int()), from: z.string(), to: z.string() })),
    holidays: z.array(z.string()),
    shortDays: shortDays.optional(),
    until: z.string().optional(),
  }),
  cycles: z.array(z.object({ minutes: z.int(), payoutRate: z.string() })),
  limits: z.array(
    z.object({
      asset: z.string(),
      scale: z.int(),
      minBalance: z.string(),
      minPurchase: z.string(),
      max: z.array(z.object({ upToMinutes: z.int(), amount: z.string() })),
    }),
  ),
  /** Factor on the maximum purchase; null: unlimited. */
  levels: z.record(z.string(), z.number().nullable()),
});

/** One difference, such as `cycles.5.payoutRate`; null if the value is absent on that side. */
const difference = { path: z.string(), before: z.string().nullable(), after: z.string().nullable() };

const catalogueProduct = z.object({
  symbol: z.string(),
  name: z.string(),
  assetClass: z.string(),
  /** Products of one group are correlated and count together against the house's limits. */
  group: z.string(),
  decimals: z.int(),
  isOpen: z.boolean(),
  closed,
  sessionEndsAt: ms.nullable(),
  /** Reason why prices have stopped; null if they have not. */
  gap: z.string().nullable(),
  sources: z.int(),
  quorum: z.int().nullable(),
  zone: z.string().nullable(),
  leastRate: z.string().nullable(),
  mostRate: z.string().nullable(),
  rulesHash: z.string().nullable(),
  since: ms.nullable(),
  /** Number of logged rules that are not in force yet, and of changes that still await a decision. */
  coming: z.int(),
  proposed: z.int(),
});

const rulesChange = z.object({
  id: z.string(),
  kind: z.enum(['payout_table', 'feed_rules', 'product_end', 'product_new']),
  /** `lapsed`: its effective time was too near to log it in time, or other rules were logged before it. */
  state: z.enum(['proposed', 'approved', 'logged', 'in_force', 'refused', 'lapsed']),
  note: z.string(),
  /** Null: as soon as it is logged. */
  effectiveAt: ms.nullable(),
  proposedBy: who,
  proposedAt: ms,
  decidedBy: who.nullable(),
  decidedAt: ms.nullable(),
  /** Hash of exactly the content that an approval would approve. */
  content: z.string(),
  products: z.int(),
});

const halt = z.object({
  id: z.string(),
  /** Null: all products. */
  symbol: z.string().nullable(),
  reason: z.string(),
  by: who,
  since: ms,
  /** The proposal to lift the halt; null if there is none. */
  lift: z.object({ note: z.string(), by: who, time: ms, content: z.string() }).nullable(),
  liftedBy: who.nullable(),
  liftedAt: ms.nullable(),
});

const READERS = ['catalogue', 'approver', 'auditor'] as const;
const id = { id: fields.idOf('CHANGE_NOT_FOUND') };
const proposed = z.object({ id: z.string(), content: z.string() });
const words = (example: string) => fields.line(500, { description: 'Why, for colleagues.', example });

/** Products, their rules, and the halt of new orders. No operation here sets a price or an outcome. */
export const catalogueOperations = {
  'catalogue/products': officeGet(READERS, {}, z.array(catalogueProduct), {
    summary: 'All products with what holds for them now',
  }),
  'catalogue/product': officeGet(
    READERS,
    { symbol: fields.symbol },
    catalogueProduct.extend({
      rules: officeRules.nullable(),
      history: z.array(
        z.object({
          /** Index of the entry in the public log. */
          index: z.int(),
          hash: z.string(),
          effectiveAt: ms,
          state: z.enum(['past', 'present', 'coming']),
          /** The approved change that produced the entry; null if the feed wrote it by itself. */
          changeId: z.string().nullable(),
          differences: z.array(z.object(difference)),
        }),
      ),
    }),
    { summary: 'One product: its rules and those before and after them' },
  ),
  'catalogue/changes': pages(
    READERS,
    rulesChange,
    'Changes of rules, newest first; open ones wait for an approver',
    { state: fields.choice(['open', 'all']).optional() },
  ),
  'catalogue/change': officeGet(
    READERS,
    id,
    rulesChange.extend({
      differences: z.array(z.object({ ...difference, symbols: z.array(z.string()) })),
    }),
    { summary: 'One change, and what would differ for which products' },
  ),
  'catalogue/propose': officePost(
    ['catalogue'],
    {
      kind: fields.choice(['payout_table', 'feed_rules', 'product_end']),
      symbols: fields.symbols(4_000),
      rules: z
        .string()
        .max(20_000, { error: 'INVALID_VALUE' })
        .refine(isPlainText, { error: 'HIDDEN_CHARACTERS' })
        .meta({
          description:
            'JSON: the parts that change, each whole. payout_table: cycles, limits, levels; feed_rules: sources, quorum, quietMs, waitMs, outlierBps, delayMs, schedule; product_end: schedule, whose until is its last day.',
          example: '{"cycles":[{"minutes":1,"payoutRate":"0.81"}]}',
        }),
      effectiveAt: fields.time,
      note: words('Rates as decided in November'),
    },
    proposed,
    {
      summary:
        'Proposes rules for new orders, 75 minutes from now at the earliest; empty symbols: all products',
      ...PROVED,
      errors: [
        'RULES_OUT_OF_BOUNDS',
        'RULES_TOO_SOON',
        'NOTHING_NEW',
        'PRODUCT_NOT_FOUND',
        'APPROVER_TOO_NEW',
      ],
    },
  ),
  'catalogue/newProduct': officeGet(['catalogue'], {}, newProductLists, {
    summary: 'What another product can be made of',
  }),
  'catalogue/proposeProduct': officePost(
    ['catalogue'],
    { ...newProductFields, note: words('Customers ask for it') },
    proposed,
    {
      summary: 'Proposes another product of sources that the feed in use has; asks the sources for its price',
      ...PROVED,
      errors: ['RULES_OUT_OF_BOUNDS', 'SOURCE_UNFIT', 'NOTHING_NEW', 'APPROVER_TOO_NEW'],
    },
  ),
  'catalogue/approve': officePost(
    ['approver'],
    { ...id, content },
    z.object({ state: z.enum(['proposed', 'approved']) }),
    {
      summary:
        'Approves exactly what was shown; it is in the public log a moment later, and in force at its time',
      ...PROVED,
      errors: [
        'CONTENT_CHANGED',
        'OWN_EDIT',
        'APPROVER_TOO_NEW',
        'RULES_TOO_SOON',
        'RULES_MOVED',
        'NOTHING_NEW',
        'SOURCE_UNFIT',
      ],
    },
  ),
  'catalogue/refuse': officePost(
    ['catalogue', 'approver'],
    { ...id, reason: words('The rate for one minute is a typing error') },
    nothing,
    { summary: 'Sets a proposal aside; who made it may too' },
  ),
  'halt/state': officeGet('anyone', {}, z.object({ present: z.array(halt), past: z.array(halt) }), {
    summary: 'The halts of new orders that last, and the last twenty that were lifted',
  }),
  'halt/start': officePost(
    ['catalogue', 'approver'],
    { symbol: fields.symbol.optional(), reason: words('One source lies') },
    nothing,
    {
      summary:
        'Halts new orders in one product, or in all, at once. Prices, settlement and withdrawals go on. The reason stands in the public log',
      errors: ['NOTHING_NEW', 'PRODUCT_NOT_FOUND'],
    },
  ),
  'halt/proposeLift': officePost(
    ['catalogue'],
    { ...id, note: words('The source is out of the rules') },
    nothing,
    { summary: 'Proposes to take new orders again', ...PROVED, errors: ['APPROVER_TOO_NEW'] },
  ),
  'halt/lift': officePost(['approver'], { ...id, content }, z.object({ isLifted: z.boolean() }), {
    summary: 'Agrees to exactly what was proposed: new orders are taken again',
    ...PROVED,
    errors: ['CONTENT_CHANGED', 'NOTHING_PROPOSED', 'OWN_EDIT', 'APPROVER_TOO_NEW'],
  }),
} as const;
