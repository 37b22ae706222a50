import {
  type Language,
  PERIODS,
  type Period,
  type PrivateTopicKind,
  type TopicKind,
  type TopicSnapshot,
  topics,
} from '@fairtick/protocol';
import type { Product, Products } from '../market/products.ts';

interface Named {
  quote: { readonly product: Product };
  candle: { readonly product: Product; readonly period: Period };
}

export type TopicOf<K extends TopicKind> = { readonly kind: K } & (K extends keyof Named
  ? Named[K]
  : unknown);
export type Topic = { [K in TopicKind]: TopicOf<K> }[TopicKind];

/** Only private topics know who reads. `write` takes JSON text. */
export type Beginning<K extends TopicKind = TopicKind> = (
  open: (snapshot: Readonly<TopicSnapshot<K>>) => void,
  about: K extends PrivateTopicKind ? { customerId: string; language: Language } : TopicOf<K>,
  write: (json: string) => void,
) => void | Promise<void>;
export type Beginnings = { readonly [K in TopicKind]: Beginning<K> };

export function parseTopic(text: string, products: Products): Topic | null {
  const [kind, symbol, period, ...rest] = text.split(':');
  if (symbol === undefined) return namesNothing(text) ? { kind: text } : null;
  const product = products.bySymbol(symbol);
  if (!product || rest.length > 0) return null;
  if (kind === 'quote' && period === undefined) return { kind, product };
  if (kind === 'candle' && PERIODS.includes(period as Period))
    return { kind, product, period: period as Period };
  return null;
}

const namesNothing = (text: string): text is Exclude<TopicKind, keyof Named> =>
  Object.hasOwn(topics, text) && topics[text as TopicKind].topic === text;

export const isPrivate = (topic: Topic): topic is Extract<Topic, { kind: PrivateTopicKind }> =>
  topics[topic.kind].access === 'session';
export const quoteTopic = (product: Product): string => `quote:${product.symbol}`;
export const candleTopic = (product: Product, period: Period): string => `candle:${product.symbol}:${period}`;
