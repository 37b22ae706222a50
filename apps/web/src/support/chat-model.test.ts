import type { ChatMessage, ChatState } from '@fairtick/protocol';
import { describe, expect, test } from 'vitest';
import { byDay, isGap, markOf, mergeMessages, notArrived, type Outgoing, promisedOf } from './chat-model.ts';

const message = (place: number, changes: Partial<ChatMessage> = {}): ChatMessage => ({
  id: String(place),
  place,
  time: place * 1_000,
  from: 'customer',
  staff: null,
  text: `m${place}`,
  image: null,
  ...changes,
});
const outgoing = (text: string, changes: Partial<Outgoing> = {}): Outgoing => ({
  key: text,
  text,
  image: null,
  at: 0,
  after: 0,
  status: 'sending',
  fault: null,
  ...changes,
});
const stand = (changes: Partial<ChatState>): ChatState => ({
  lastPlace: 5,
  unread: 0,
  readPlace: 5,
  staffReadPlace: 3,
  agent: null,
  typingUntil: null,
  waitingSince: null,
  answerBy: null,
  isOpen: true,
  opensAt: null,
  answerMinutes: 15,
  zone: 'UTC',
  hours: [],
  ...changes,
});
const places = (messages: readonly ChatMessage[]) => messages.map(({ place }) => place);

describe('messages', () => {
  test('are merged in order without duplicates, and a gap between two parts is found', () => {
    expect(places(mergeMessages([message(2), message(3)], [message(3), message(1), message(4)]))).toEqual([
      1, 2, 3, 4,
    ]);
    expect(isGap([message(3)], [message(5)])).toBe(true);
    expect(isGap([message(3)], [message(5), message(4)])).toBe(false);
    expect(isGap([], [message(5)])).toBe(false);
    expect(isGap([message(3)], [])).toBe(true);
  });

  test('that the stream delivers before the answer are shown once, and waiting or refused ones stay', () => {
    const known = [message(1, { text: 'hi' }), message(2, { from: 'staff', text: 'again' })];
    expect(notArrived([outgoing('hi')], known)).toEqual([]);
    // Sent after that message was known, so it is another one with the same text.
    expect(notArrived([outgoing('hi', { after: 1 })], known)).toHaveLength(1);
    expect(notArrived([outgoing('again')], known)).toHaveLength(1);
    expect(notArrived([outgoing('hi'), outgoing('hi', { key: 'b' })], known)).toHaveLength(1);
    for (const status of ['waiting', 'refused'] as const)
      expect(notArrived([outgoing('hi', { status })], known)).toHaveLength(1);
  });

  test('are marked as delivered, and as read up to the last one that staff have read', () => {
    expect([3, 4].map((place) => markOf(message(place), stand({})))).toEqual(['read', 'delivered']);
    expect(markOf(message(1), null)).toBe('delivered');
  });

  test('are grouped by the reader’s days', () => {
    const noon = new Date(2026, 5, 5, 12).getTime();
    const days = byDay([{ time: noon }, { time: noon + 1 }, { time: noon + 86_400_000 }]);
    expect(days.map(({ messages }) => messages.length)).toEqual([2, 1]);
    expect(new Date(days[0]?.day ?? 0).getHours()).toBe(0);
  });
});

describe('the promised time of an answer', () => {
  test('is shown until it passes, and marked overdue afterwards', () => {
    const waiting = stand({ waitingSince: 0, answerBy: 900_000 });
    expect(promisedOf(stand({}), 1)).toEqual({ kind: 'nothing' });
    expect(promisedOf(null, 1)).toEqual({ kind: 'nothing' });
    expect(promisedOf(waiting, 899_000)).toEqual({ kind: 'promised', since: 0, by: 900_000, marks: 15 });
    const later = (ms: number) => promisedOf(stand({ waitingSince: 0, answerBy: ms }), 1);
    expect(later(12 * 3_600_000)).toMatchObject({ marks: 12 });
    expect(later(7 * 86_400_000)).toMatchObject({ marks: 7 });
    expect(promisedOf(waiting, 901_000)).toEqual({ kind: 'overdue', by: 900_000 });
    expect(promisedOf(stand({ waitingSince: 7, answerBy: null }), 8)).toEqual({ kind: 'waiting', since: 7 });
  });
});
