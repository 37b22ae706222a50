import { expect, test } from 'vitest';
import { beHere, type Here, readHere } from './reminder-model.ts';

const MINUTE = 60_000;

test('a reminder is due once after each interval of use, also across reloads', () => {
  let here: Here | null = null;
  const told: number[] = [];
  for (let minute = 0; minute <= 95; minute += 1) {
    const step = beHere(readHere(JSON.stringify(here)), minute * MINUTE, 30);
    here = step.here;
    if (step.due !== null) told.push(step.due);
  }
  expect(told).toEqual([30, 60, 90]);
});

test('the time of use starts again after a quarter of an hour away', () => {
  const { here } = beHere(null, 0, 15);
  const soon = beHere(here, 14 * MINUTE, 15);
  expect([soon.here.sinceMs, soon.due]).toEqual([0, null]);
  expect(beHere(here, 15 * MINUTE, 15)).toEqual({
    here: { sinceMs: 15 * MINUTE, seenMs: 15 * MINUTE, toldMinutes: 0 },
    due: null,
  });
});

test('no reminder is due without a setting, and a later setting counts from the start of use', () => {
  let { here } = beHere(null, 0, null);
  for (let minute = 1; minute <= 40; minute += 1) here = beHere(here, minute * MINUTE, null).here;
  expect(beHere(here, 41 * MINUTE, 30).due).toBe(30);
});

test('incomplete stored state is ignored', () => {
  expect(readHere('{"sinceMs":1}')).toBeNull();
  expect(readHere('nonsense')).toBeNull();
  expect(readHere(null)).toBeNull();
});
