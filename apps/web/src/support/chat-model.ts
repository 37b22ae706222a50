import type { ChatMessage, ChatState } from '@fairtick/protocol';
import { dayOf, startOfDay } from '../state/format.ts';

/** A message sent from here that is not confirmed yet. Its idempotency key makes sure that it is stored once. */
export interface Outgoing {
  readonly key: string;
  readonly text: string | null;
  readonly image: Blob | null;
  /** This device's time. */
  readonly at: number;
  /** The place of the newest message known when it was sent. */
  readonly after: number;
  /** Being sent; waiting for the network; or refused, with the server's reason in `fault`. */
  readonly status: 'sending' | 'waiting' | 'refused';
  readonly fault: string | null;
}

export function mergeMessages(
  known: readonly ChatMessage[],
  news: readonly ChatMessage[],
): readonly ChatMessage[] {
  const byPlace = new Map(known.map((message) => [message.place, message]));
  for (const message of news) byPlace.set(message.place, message);
  return [...byPlace.values()].sort((a, b) => a.place - b.place);
}

/** Whether places are missing between the known messages and the new ones; then only the new ones are kept. */
export function isGap(known: readonly ChatMessage[], news: readonly ChatMessage[]): boolean {
  const last = known.at(-1)?.place;
  const first = news.reduce((least, { place }) => Math.min(least, place), Number.POSITIVE_INFINITY);
  return last !== undefined && first > last + 1;
}

/** The messages not confirmed yet, without those that the stream delivered before the answer to their sending. */
export function notArrived(
  outbox: readonly Outgoing[],
  messages: readonly ChatMessage[],
): readonly Outgoing[] {
  const arrived = new Set<number>();
  return outbox.filter((one) => {
    if (one.status !== 'sending') return true;
    const twin = messages.find(
      (message) =>
        message.from === 'customer' &&
        message.place > one.after &&
        !arrived.has(message.place) &&
        message.text === one.text &&
        (message.image !== null) === (one.image !== null),
    );
    if (twin) arrived.add(twin.place);
    return !twin;
  });
}

export const markOf = ({ place }: ChatMessage, stand: ChatState | null): 'read' | 'delivered' =>
  stand !== null && place <= stand.staffReadPlace ? 'read' : 'delivered';

/** A ruler has room for this many marks. */
const MOST_MARKS = 60;
const MINUTE_MS = 60_000;
/** A minute, an hour, a day. */
const UNITS_MS = [MINUTE_MS, 60 * MINUTE_MS, 24 * 60 * MINUTE_MS];

/** How many marks a ruler shows for a length of time: of the smallest unit that has room on it. */
function marksOf(ms: number): number {
  const unitMs = UNITS_MS.find((one) => ms <= MOST_MARKS * one) ?? 24 * 60 * MINUTE_MS;
  return Math.max(1, Math.round(ms / unitMs));
}

/** The state of the expected answer, for the head of the screen. */
type Promised =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'promised'; readonly since: number; readonly by: number; readonly marks: number }
  | { readonly kind: 'overdue'; readonly by: number }
  | { readonly kind: 'waiting'; readonly since: number };

/** The state of the promised answer; a promise that was not kept is shown as overdue. */
export function promisedOf(stand: ChatState | null, nowMs: number): Promised {
  if (!stand || stand.waitingSince === null) return { kind: 'nothing' };
  const { waitingSince: since, answerBy: by } = stand;
  if (by === null) return { kind: 'waiting', since };
  if (by < nowMs) return { kind: 'overdue', by };
  return { kind: 'promised', since, by, marks: marksOf(by - since) };
}

/** Messages grouped by day in the customer's zone, oldest first. */
export function byDay<T extends { readonly time: number }>(
  messages: readonly T[],
): readonly { readonly day: number; readonly messages: readonly T[] }[] {
  const days: { day: number; messages: T[] }[] = [];
  for (const message of messages) {
    const day = startOfDay(dayOf(message.time));
    const last = days.at(-1);
    if (last?.day === day) last.messages.push(message);
    else days.push({ day, messages: [message] });
  }
  return days;
}
