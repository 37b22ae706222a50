import { PERIODS, type Period } from '@fairtick/protocol';
import type { Product, Products } from '../market/products.ts';

const PRIVATE = ['orders', 'funds', 'notices', 'chat', 'chatState'] as const;
type PrivateKind = (typeof PRIVATE)[number];
const isPrivateKind = (text: string): text is PrivateKind => (PRIVATE as readonly string[]).includes(text);

/** A topic of the wire, parsed. */
export type Topic =
  | { readonly kind: 'quotes' | 'time' }
  | { readonly kind: PrivateKind }
  | { readonly kind: 'quote'; readonly product: Product }
  | { readonly kind: 'candle'; readonly product: Product; readonly period: Period };

/** Parses a topic; null for any other text. */
export function parseTopic(text: string, products: Products): Topic | null {
  if (text === 'quotes' || text === 'time' || isPrivateKind(text)) return { kind: text };
  const [kind, symbol, period, ...rest] = text.split(':');
  const product = symbol === undefined ? null : products.bySymbol(symbol);
  if (!product || rest.length > 0) return null;
  if (kind === 'quote' && period === undefined) return { kind, product };
  if (kind === 'candle' && PERIODS.includes(period as Period))
    return { kind, product, period: period as Period };
  return null;
}

export const isPrivate = (topic: Topic): boolean => isPrivateKind(topic.kind);
export const quoteTopic = (product: Product): string => `quote:${product.symbol}`;
export const candleTopic = (product: Product, period: Period): string => `candle:${product.symbol}:${period}`;
