import { points } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import { RecordBook, type SaidRecord } from './record-book.ts';

const T = Date.UTC(2026, 10, 28, 12);
const record = (number: number, afterMs: number, price = 100): SaidRecord => ({
  number: BigInt(number),
  timeMs: T + afterMs,
  price: points(BigInt(price)),
  previous: null,
});

const gapless = () => new RecordBook({ isGapless: true, roundingMs: 0 });
const numbered = () => new RecordBook({ isGapless: false, roundingMs: 1 });
/** How the last record at T is closed, and its number. */
const seen = (book: RecordBook, afterMs = 0) => {
  const { last, closing } = book.at(T + afterMs);
  return `${last?.number ?? 'none'} ${closing.by}${closing.by === 'next' ? ` ${closing.next.number}` : ''}`;
};

describe('a book of records', () => {
  test('closes a record by the one after it, where numbers rise by one', () => {
    const book = gapless();
    expect(seen(book)).toBe('none open');
    book.hear(record(5, -10));
    expect(seen(book)).toBe('5 open');
    book.hear(record(6, 0));
    expect(seen(book)).toBe('6 open');
    book.hear(record(7, 1));
    expect(seen(book)).toBe('6 next 7');
    expect(seen(book, -1)).toBe('5 next 6');
    expect(seen(book, -11)).toBe('none open');
  });

  test('closes it by a later number only when the ones between are known', () => {
    const book = gapless();
    book.hear(record(5, -10));
    book.hear(record(9, 10));
    expect(seen(book)).toBe('5 open');
    expect(book.merge([record(5, -10), record(6, -5), record(7, -1), record(8, 9)])).toBe(3);
    expect(seen(book)).toBe('7 next 8');
  });

  test('closes it by any later number on one connection, where numbers have gaps', () => {
    const book = numbered();
    book.hear(record(5, -10));
    book.hear(record(9, 10));
    expect(seen(book)).toBe('5 next 9');
    book.lose();
    book.hear(record(12, 20));
    expect(seen(book, 15)).toBe('9 open');
    book.merge([record(9, 10), record(12, 20)]);
    expect(seen(book, 15)).toBe('9 next 12');
  });

  test('closes it by what a record names as the one before it', () => {
    const book = gapless();
    book.hear({ ...record(5, -10), previous: 4n });
    book.hear({ ...record(9, 10), previous: 7n });
    expect(seen(book)).toBe('5 open');
    book.merge([{ ...record(7, -1), previous: 5n }]);
    expect(seen(book)).toBe('7 next 9');
  });

  test('closes it by the source’s own word from after that time alone', () => {
    const book = gapless();
    book.hear(record(5, -10));
    book.last(5n, T);
    expect(seen(book)).toBe('5 open');
    book.last(6n, T + 5);
    expect(seen(book)).toBe('5 open');
    book.last(5n, T + 1);
    expect(seen(book)).toBe('5 said');
    // A record of before that word comes after all, and takes it back.
    expect(book.hear(record(6, 0))).toBe(false);
    expect([seen(book, -1), seen(book)]).toEqual(['5 next 6', '6 open']);
    book.hear(record(7, 20));
    expect(seen(book)).toBe('6 next 7');
  });

  test.each([
    ['another price', record(6, 0, 101)],
    ['another time', record(6, 1)],
  ])('keeps what the stream said of a number, and closes no fix by it after %s', (_case, other) => {
    const book = gapless();
    for (const one of [record(5, -10), record(6, 0), record(7, 1), record(8, 2)]) book.hear(one);
    expect(book.merge([record(5, -10), other])).toBeNull();
    expect(book.at(T)).toMatchObject({ last: record(6, 0), closing: { by: 'open' } });
    expect(seen(book, -1)).toBe('5 open');
    expect(seen(book, 1)).toBe('7 next 8');
    // The history agrees at last.
    book.merge([record(6, 0)]);
    expect(seen(book)).toBe('6 next 7');
  });

  test('takes the stream’s word for a record that the history said first', () => {
    const book = gapless();
    book.merge([record(5, -10), record(6, 0, 99), record(7, 1)]);
    expect(book.hear(record(6, 0))).toBe(false);
    expect(book.at(T)).toMatchObject({ last: { price: 100n }, closing: { by: 'open' } });
  });

  test('takes no time that falls, no number between two that follow, and no record of before a known one', () => {
    const book = numbered();
    for (const one of [record(5, -10), record(9, 0), record(12, 5)]) book.hear(one);
    expect(book.hear(record(13, 4))).toBe(false);
    expect(book.merge([record(5, -10), record(7, -5), record(9, 0)])).toBeNull();
    expect(book.hear(record(1, 50))).toBe(false);
    expect(seen(book, 0)).toBe('9 next 12');
    // A time in another precision is the same.
    expect(book.merge([record(9, 1), record(12, 4)])).toBe(0);
  });

  test('a history that lacks a record loses against the stream, and closes nothing where numbers rise by one', () => {
    const short = [record(5, -10), record(7, 1)];
    const book = gapless();
    book.merge(short);
    expect(seen(book)).toBe('5 open');
    const other = numbered();
    other.merge(short);
    expect(seen(other)).toBe('5 next 7');
    other.hear(record(5, -10));
    other.hear(record(6, 0));
    expect(seen(other)).toBe('6 open');
    other.hear(record(7, 1));
    expect(seen(other)).toBe('6 next 7');
  });

  test('keeps the records of a quarter of an hour, and 21 000 at most', () => {
    const book = gapless();
    for (let number = 0; number < 3_000; number += 1) book.hear(record(number, number * 1_000));
    expect(Number(book.first?.number)).toBeGreaterThan(900);
    expect(Number(book.first?.number)).toBeLessThanOrEqual(3_000 - 900);
    for (let number = 3_000; number < 50_000; number += 1) book.hear(record(number, 3_000_000 + number));
    expect(50_000 - Number(book.first?.number)).toBeLessThanOrEqual(21_000);
  });
});
