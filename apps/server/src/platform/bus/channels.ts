import * as z from 'zod';

const count = z.string().regex(/^\d{1,15}$/);
const id = z.string().regex(/^[1-9]\d{0,17}$/);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
/** An order's number; 0: the customer's funds changed without an order. */
const order = count.transform(Number);

const parts = (text: string) => text.split(':');

/** The form of each channel's notices. Whoever reaches the wire can send one, so these schemas read all of them. */
const CHANNELS = {
  /** Notices were lost: all that they are about is read again. */
  missed: z.literal(''),
  log: count.transform(Number),
  /** What a step of the log has for readers (market/log/ready-step.ts). The notice of the log follows it. NOTIFY does not carry it. */
  steps: z.string(),
  checkpoints: count.transform(Number),
  /** Orders placed or settled: `customer:order,…`. */
  orders: z
    .string()
    .transform((text) => text.split(',').map(parts))
    .pipe(
      z.array(z.tuple([id, order]).transform(([customerId, orderId]) => ({ customerId, orderId }))).max(500),
    ),
  /** Interest was booked to customers of these numbers and between: `first:last`. */
  earnings: z
    .string()
    .transform(parts)
    .pipe(z.tuple([count.transform(Number), count.transform(Number)]))
    .transform(([first, last]) => ({ first, last })),
  /** A new notice to a customer: `customer:notice`. */
  notices: z
    .string()
    .transform(parts)
    .pipe(z.tuple([id, id]).transform(([customerId, noticeId]) => ({ customerId, noticeId }))),
  /** Sessions that ended, as JSON. */
  sessions: z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue('no JSON');
        return z.NEVER;
      }
    })
    .pipe(z.object({ customerId: id, tokenHash: hash.nullable(), exceptHash: hash.nullable() }).readonly()),
  /** A conversation changed: `customer:message`, or `customer:` without a new message. */
  chat: z
    .string()
    .transform(parts)
    .pipe(
      z
        .tuple([id, z.union([id, z.literal('').transform(() => null)])])
        .transform(([customerId, messageId]) => ({ customerId, messageId })),
    ),
} as const;

export type Channel = keyof typeof CHANNELS;
export type ChannelNews<C extends Channel> = z.output<(typeof CHANNELS)[C]>;

export function readNews<C extends Channel>(channel: C, payload: string): ChannelNews<C> | null {
  const read = CHANNELS[channel].safeParse(payload);
  return read.success ? (read.data as ChannelNews<C>) : null;
}
