import type * as z from 'zod';
import * as answers from './answers.ts';
import * as log from './market/log-answers.ts';
import * as market from './market/product-answers.ts';
import { notice } from './money/money-answers.ts';
import { chatMessage, chatState } from './support/chat-answers.ts';

/** A topic's spelling, who may read it, and its data. */
interface TopicEntry {
  /** The topic's kind; then, in capitals, what a reader names. */
  readonly topic: string;
  /** `public` topics are for anyone; those of a `session` show a customer their own data. */
  readonly access: 'public' | 'session';
  readonly summary: string;
  readonly snapshot: z.ZodType;
  readonly change: z.ZodType;
}

/** Every topic of the stream. */
export const topics = {
  quotes: {
    topic: 'quotes',
    access: 'public',
    summary: 'All products, twice a second: those whose price changed, each as it stands then',
    snapshot: log.quote.array(),
    change: log.quote.array(),
  },
  quote: {
    topic: 'quote:SYMBOL',
    access: 'public',
    summary: 'Every tick and gap of one product; n rises by one',
    snapshot: log.quote,
    change: log.quote,
  },
  candle: {
    topic: 'candle:SYMBOL:PERIOD',
    access: 'public',
    summary: 'The candle under way, after every tick; null before the first',
    snapshot: market.candle.nullable(),
    change: market.candle,
  },
  time: {
    topic: 'time',
    access: 'public',
    summary: 'The server’s time and the log’s head, every 15 s',
    snapshot: log.streamTime,
    change: log.streamTime,
  },
  orders: {
    topic: 'orders',
    access: 'session',
    summary: 'The customer’s unsettled orders; then each order as it is placed, opened and settled',
    snapshot: answers.order.array(),
    change: answers.order,
  },
  funds: {
    topic: 'funds',
    access: 'session',
    summary: 'The customer’s balances, after every change',
    snapshot: answers.balance.array(),
    change: answers.balance.array(),
  },
  notices: {
    topic: 'notices',
    access: 'session',
    summary: 'The newest 20 notices of the inbox, newest first; then each as it comes',
    snapshot: notice.array(),
    change: notice,
  },
  chat: {
    topic: 'chat',
    access: 'session',
    summary: 'The newest 20 messages of the conversation with support, newest first; then each as it comes',
    snapshot: chatMessage.array(),
    change: chatMessage,
  },
  chatState: {
    topic: 'chatState',
    access: 'session',
    summary: 'How the conversation stands: what was read, who answers, and by when',
    snapshot: chatState,
    change: chatState,
  },
} as const satisfies Record<string, TopicEntry>;

export type TopicKind = keyof typeof topics;
export type PrivateTopicKind = {
  [K in TopicKind]: (typeof topics)[K]['access'] extends 'session' ? K : never;
}[TopicKind];

export type TopicSnapshot<K extends TopicKind> = z.output<(typeof topics)[K]['snapshot']>;
export type TopicMessage<K extends TopicKind> = { readonly topic: string; readonly seq: number } & (
  | { readonly type: 'snapshot'; readonly data: TopicSnapshot<K> }
  | { readonly type: 'change'; readonly data: z.output<(typeof topics)[K]['change']> }
);

export type ClientMessage =
  | { readonly op: 'auth'; readonly token: string; readonly lang?: string }
  | { readonly op: 'sub'; readonly topic: string }
  | { readonly op: 'unsub'; readonly topic: string }
  | { readonly op: 'ping' };

export type ServerMessage =
  | {
      readonly topic: string;
      readonly seq: number;
      readonly type: 'snapshot' | 'change';
      readonly data: unknown;
    }
  | { readonly op: 'pong'; readonly serverTime: number }
  | { readonly op: 'auth'; readonly ok: true }
  | { readonly error: string; readonly msg: string; readonly topic?: string };

/** Close codes in addition to those of the WebSocket protocol. */
export const CLOSE_SESSION_ENDED = 4401;
export const CLOSE_TOO_SLOW = 1013;
