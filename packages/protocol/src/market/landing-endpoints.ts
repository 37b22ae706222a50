import * as z from 'zod';
import { decimal, nullable } from '../answers.ts';
import { type Endpoint, get } from '../endpoint.ts';
import { LANGUAGES } from '../languages.ts';

const words = z.object({ title: z.string(), text: z.string() });

const landing = z
  .object({
    language: z.enum(LANGUAGES),
    brand: z.string(),
    mode: z.enum(['demo', 'live']),
    title: z.string().describe('Of the page, for tabs and shared links.'),
    description: z.string(),
    headline: z.string(),
    lead: z.string(),
    enter: z.string().describe('The way into the trading hall.'),
    questions: z.array(words).describe('What a stranger asks first, with the answers.'),
    practice: words.describe('What a new account begins with.'),
    markets: z
      .object({
        heading: z.string(),
        text: z.string(),
        note: z.string(),
        all: z.string(),
        products: z.int(),
        items: z.array(
          z.object({
            id: z.string().describe('The class of products.'),
            label: z.string(),
            count: z.int(),
            symbols: z.array(z.string()).describe('The first of them; their prices are on the stream.'),
          }),
        ),
      })
      .describe('What can be traded, counted from the live catalogue.'),
    steps: z.object({ heading: z.string(), text: z.string(), items: z.array(words) }),
    profile: z.object({
      heading: z.string(),
      text: z.string(),
      sample: z.string().describe('The mark of a claim that is sample content.'),
      items: z.array(
        z.object({
          id: z.enum(['team', 'continents', 'platform', 'funds', 'regulation', 'company']),
          figure: nullable(z.string()),
          title: z.string(),
          text: z.string(),
          isSample: z.boolean().describe('Demo: not a fact.'),
        }),
      ),
    }),
    regions: z.object({
      heading: z.string(),
      text: z.string(),
      items: z.array(z.object({ code: z.string(), name: z.string() })),
    }),
    risk: z.object({
      heading: z.string(),
      text: z.string(),
      regulatory: z.string(),
      figures: z.array(z.object({ value: z.string(), label: z.string() })),
      payoutRate: nullable(decimal),
      breakEven: nullable(decimal).describe(
        'The share of wins at which nothing is lost: 1 / (1 + payoutRate).',
      ),
    }),
    footer: z.object({ api: z.string(), prices: z.string(), register: z.string(), login: z.string() }),
  })
  .meta({ id: 'Landing' });
export type Landing = z.infer<typeof landing>;

export const landingEndpoints = {
  appLanding: get('app/landing', 'public', {}, landing, {
    summary: 'The landing page’s content: what is counted, what the operator states, the risk',
  }),
} satisfies Record<string, Endpoint>;
