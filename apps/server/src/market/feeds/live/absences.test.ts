import { expect, test } from 'vitest';
import { Absences } from './absences.ts';

const MINUTE = 60_000;
const ALL = ['binance', 'coinbase', 'kraken', 'okx'];

/** Looks with all sources that answer but these. */
const look = (
  absences: Absences,
  minute: number,
  lost: readonly string[],
  untried: readonly string[] = [],
) => {
  const canOf = (source: string) => (untried.includes(source) ? null : !lost.includes(source));
  const found = absences.look(new Map(ALL.map((source) => [source, canOf(source)])), minute * MINUTE);
  return {
    away: ALL.filter((source) => found.get(source) === true),
    back: ALL.filter((source) => found.get(source) === false),
  };
};

test('a source is left out once it could not be asked for a quarter of an hour, and taken in when it answers', () => {
  const absences = new Absences();
  expect(look(absences, 0, ['okx'])).toEqual({ away: [], back: ALL.slice(0, 3) });
  expect(look(absences, 14.9, ['okx']).away).toEqual([]);
  expect(look(absences, 15, ['okx']).away).toEqual(['okx']);
  expect(look(absences, 60, ['okx']).away).toEqual(['okx']);
  expect(look(absences, 61, []).back).toEqual(ALL);
  expect(look(absences, 62, ['okx']).away).toEqual([]);
});

test('one answer begins the time anew', () => {
  const absences = new Absences();
  look(absences, 0, ['okx']);
  look(absences, 14, []);
  expect(look(absences, 16, ['okx']).away).toEqual([]);
  expect(look(absences, 31, ['okx']).away).toEqual(['okx']);
});

test('none is left out where most can’t be asked: that is our own line, and its end begins the time anew', () => {
  const absences = new Absences();
  const three = ['coinbase', 'kraken', 'okx'];
  look(absences, 0, three);
  expect(look(absences, 30, three).away).toEqual([]);
  expect(look(absences, 31, ALL).away).toEqual([]);
  expect(look(absences, 32, ['kraken', 'okx']).away).toEqual([]);
  expect(look(absences, 46, ['kraken', 'okx']).away).toEqual([]);
  expect(look(absences, 47, ['kraken', 'okx']).away).toEqual(['kraken', 'okx']);
});

test('a source that was not tried stays as it is', () => {
  const absences = new Absences();
  for (const minute of [0, 30])
    expect(look(absences, minute, [], ['okx'])).toEqual({ away: [], back: ALL.slice(0, 3) });
});
