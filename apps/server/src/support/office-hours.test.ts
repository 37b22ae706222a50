import { describe, expect, test } from 'vitest';
import { readConfig } from '../config/config.ts';
import { answerBy, openingOf } from './office-hours.ts';

const hoursOf = (env: Record<string, string>) => readConfig({ PORT: '3000', ...env }).support;
const at = (text: string) => Date.parse(text);
const told = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

describe('the promised time of an answer', () => {
  const hours = hoursOf({
    SUPPORT_HOURS: '1-5 09:00-18:00, 6 10:00-12:00',
    SUPPORT_ZONE: 'Europe/Zurich',
    SUPPORT_ANSWER_MINUTES: '30',
  });

  test.each([
    // Friday at noon in summer: half an hour later.
    ['2026-06-05T10:00:00Z', '2026-06-05T10:30:00.000Z'],
    // Ten minutes before the end of Friday: the rest counts from ten on Saturday.
    ['2026-06-05T15:50:00Z', '2026-06-06T08:20:00.000Z'],
    // Saturday night: from nine on Monday.
    ['2026-06-06T20:00:00Z', '2026-06-08T07:30:00.000Z'],
    // The clocks go back on the night of 25 October, so nine in the morning is an hour later in UTC.
    ['2026-10-24T20:00:00Z', '2026-10-26T08:30:00.000Z'],
  ])('a message at %s is promised an answer by %s', (said, promised) => {
    expect(told(answerBy(hours, at(said)))).toBe(promised);
  });

  test('counts the hours in the configured zone, also over midnight', () => {
    const night = hoursOf({
      SUPPORT_HOURS: '1-7 22:00-02:00',
      SUPPORT_ZONE: 'UTC',
      SUPPORT_ANSWER_MINUTES: '180',
    });
    expect(told(answerBy(night, at('2026-06-05T21:00:00Z')))).toBe('2026-06-06T01:00:00.000Z');
    expect(openingOf(night, at('2026-06-06T01:59:00Z'))).toEqual({ isOpen: true, opensAt: null });
    expect(openingOf(night, at('2026-06-06T02:00:00Z'))).toEqual({
      isOpen: false,
      opensAt: at('2026-06-06T22:00:00Z'),
    });
  });

  test('is the configured number of minutes later when support is always open', () => {
    const always = hoursOf({ SUPPORT_HOURS: 'always' });
    expect(told(answerBy(always, at('2026-06-06T23:55:00Z')))).toBe('2026-06-07T00:10:00.000Z');
    expect(openingOf(always, at('2026-06-06T23:55:00Z')).isOpen).toBe(true);
  });
});

describe('a wrong setting stops the start with an error that names it', () => {
  test.each([
    [{ SUPPORT_ZONE: 'Mars/Olympus' }, /SUPPORT_ZONE must be an IANA time zone, not "Mars/],
    [{ SUPPORT_ZONE: '+08:00' }, /SUPPORT_ZONE/],
    [{ SUPPORT_HOURS: '9 to 5' }, /SUPPORT_HOURS must be like/],
    [{ SUPPORT_HOURS: '5-1 09:00-18:00' }, /days that run backwards/],
    [{ SUPPORT_HOURS: '1-5 25:00-18:00' }, /SUPPORT_HOURS/],
    [{ SUPPORT_ANSWER_MINUTES: '0' }, /SUPPORT_ANSWER_MINUTES/],
    [{ CHAT_URL: 'http://chat.example' }, /CHAT_URL must be an https/],
    [{ CHAT_URL: 'javascript:alert(1)' }, /CHAT_URL/],
    [{ CHAT_URL: "https://a.example; script-src 'unsafe-inline'" }, /CHAT_URL/],
  ])('%o', (env, says) => {
    expect(() => hoursOf(env)).toThrow(says);
  });

  test('24:00 is the end of the day', () => {
    expect(hoursOf({ SUPPORT_HOURS: '7 00:00-24:00', SUPPORT_ZONE: 'UTC' }).schedule.windows).toEqual([
      { days: [7], from: '00:00', to: '00:00' },
    ]);
  });
});
