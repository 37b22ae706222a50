/** Limits for all readers of one customer or, without a login, of one address together; of messages in ten seconds. */
export const STREAM_LIMITS = {
  readers: { setting: 'LIMIT_STREAMS', fallback: 200, max: 1e6 },
  topics: { setting: 'LIMIT_STREAM_TOPICS', fallback: 3_000, max: 1e8 },
  messages: { setting: 'LIMIT_STREAM_MESSAGES', fallback: 6_000, max: 1e8 },
} as const;

export type StreamLimits = Readonly<Record<keyof typeof STREAM_LIMITS, number>>;
