import * as z from 'zod';
import * as fields from '../fields.ts';
import { fieldIn, LANGUAGES, type Language } from '../languages.ts';
import { ASSET_CLASSES } from '../market/product-answers.ts';
import { isPlainLine } from '../plain-text.ts';

const names = Object.fromEntries(
  LANGUAGES.map((language) => [
    fieldIn('name', language),
    fields.line(60, { description: 'Its name in one language.', example: 'Chainlink' }),
  ]),
) as Record<`name${Capitalize<Language>}`, ReturnType<typeof fields.line>>;

/** A field that only some products have; empty or absent: it has none. */
const some = (pattern: RegExp, description: string, example: string) =>
  z
    .string({ error: 'INVALID_VALUE' })
    .regex(pattern, { error: 'INVALID_VALUE' })
    .optional()
    .meta({ description, example });

/** Another product, as staff describe it. Its market at an exchange follows from its symbol. */
export const newProductFields = {
  symbol: fields.symbol,
  ...names,
  aliases: z
    .string({ error: 'INVALID_VALUE' })
    .max(200, { error: 'INVALID_VALUE' })
    .refine(isPlainLine, { error: 'HIDDEN_CHARACTERS' })
    .optional()
    .meta({
      description: 'What people call it beside its names, separated by commas.',
      example: 'link, lian jie',
    }),
  assetClass: fields.choice(ASSET_CLASSES),
  decimals: fields.whole(0, 8).meta({ description: 'Decimals of its price.', example: 3 }),
  group: fields.line(40, {
    description: 'One of the groups of products that move together.',
    example: 'crypto',
  }),
  hours: fields.line(40, { description: 'One of the known trading hours.', example: 'round-the-clock' }),
  like: fields.symbol.meta({
    description: 'The product whose payouts and limits it begins with.',
    example: 'BTC/USDT',
  }),
  sources: some(
    /^[a-z, ]{0,200}$/,
    'With live prices: sources that settle, separated by commas.',
    'binance,okx',
  ),
  guards: some(/^[a-z, ]{0,200}$/, 'With live prices: sources that only guard.', 'bybit'),
  pythFeed: some(/^([0-9a-f]{64})?$/, 'Its feed at Pyth, if that is one of its sources.', 'ab'.repeat(32)),
  reference: some(/^(\d{1,9}(\.\d{1,8})?)?$/, 'With simulated prices: about its price.', '14.5'),
  volatility: some(
    /^([1-9]\d{0,2})?$/,
    'With simulated prices: how far it moves in a year, in percent.',
    '60',
  ),
  follows: some(/^[a-zA-Z:-]{0,40}$/, 'With simulated prices: the market that it follows.', 'currency:BTC'),
};

/** What the fields may name. */
export const newProductLists = z.object({
  /** The feed in use: it decides which fields count. */
  feed: z.string(),
  hours: z.array(z.string()),
  groups: z.array(z.string()),
  markets: z.array(z.string()),
  /** The sources that the operator has. */
  sources: z.array(z.string()),
  guards: z.array(z.string()),
});
