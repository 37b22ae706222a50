import { afterEach, expect, test } from 'vitest';
import { byDay } from '../support/chat-model.ts';
import { EVERYTHING, summarise } from '../wallet/fund-log/fund-log-model.ts';
import {
  dayOf,
  formatAmount,
  formatChange,
  formatCount,
  formatDay,
  formatOpening,
  formatPrice,
  formatPublic,
  formatSigned,
  hideAmounts,
  sentences,
  startOfDay,
} from './format.ts';
import { useSettings } from './settings.ts';

afterEach(() => useSettings.setState({ zone: null, isBalanceHidden: false }));

test('the day in a file name is the day in the time zone in which times are shown', () => {
  // Noon UTC is another date at both ends of the world.
  const noon = Date.UTC(2026, 10, 22, 12);
  const days = ['UTC', 'Pacific/Kiritimati', 'Pacific/Niue', 'Asia/Shanghai'].map((zone) => {
    useSettings.setState({ zone });
    return dayOf(noon);
  });
  expect(days).toEqual(['2026-11-22', '2026-11-23', '2026-11-22', '2026-11-22']);
  useSettings.setState({ zone: 'Pacific/Niue' });
  expect(dayOf(Date.UTC(2026, 0, 1, 2))).toBe('2025-12-31');
});

test('a Chinese weekday stands apart from the day and the time', () => {
  useSettings.setState({ zone: 'UTC' });
  const saturday = Date.UTC(2026, 10, 21, 7);
  expect(['zh-CN', 'zh-TW', 'en-US'].map((tag) => formatDay(saturday, tag))).toEqual([
    '11月21日 周六',
    '11月21日 週六',
    'Sat, November 21',
  ]);
  expect(['zh-CN', 'zh-TW', 'en-US'].map((tag) => formatOpening(saturday, 0, tag))).toEqual([
    '周六 07:00',
    '週六 07:00',
    'Sat 07:00',
  ]);
});

test('days of filters and conversations begin at midnight of the chosen zone, also where its clocks change', () => {
  useSettings.setState({ zone: 'America/New_York' });
  expect(startOfDay('2026-11-01')).toBe(Date.parse('2026-11-01T04:00Z'));
  expect(startOfDay('2026-11-01', 1)).toBe(Date.parse('2026-11-02T05:00Z'));
  useSettings.setState({ zone: 'Asia/Shanghai' });
  const evening = Date.parse('2026-11-25T16:30Z');
  expect(summarise({ ...EVERYTHING, period: 'today' }, evening)).toEqual({
    from: Date.parse('2026-11-25T16:00Z'),
  });
  expect(byDay([{ time: evening - 3_600_000 }, { time: evening }])).toHaveLength(2);
  useSettings.setState({ zone: 'Europe/London' });
  expect(byDay([{ time: evening - 3_600_000 }, { time: evening }])).toHaveLength(1);
});

test('amounts and prices are shown digit by digit, however long they are', () => {
  expect(formatAmount('9007199254740993.123456')).toBe('9,007,199,254,740,993.123456');
  expect(['0', '5', '1000', '1234567.10', '0.100000', '12.345000'].map(formatAmount)).toEqual([
    '0.00',
    '5.00',
    '1,000.00',
    '1,234,567.10',
    '0.10',
    '12.345',
  ]);
  expect(['1.08450', '100', '64250.00'].map(formatPrice)).toEqual(['1.08450', '100', '64,250.00']);
  expect([formatSigned('-123456.50'), formatSigned('5.000000'), formatSigned('0.00')]).toEqual([
    '\u2212123,456.50',
    '+5.00',
    '0.00',
  ]);
  expect([formatChange('-0.00010'), formatChange('0.00010')]).toEqual(['\u22120.00010', '+0.00010']);
  expect([formatCount(999), formatCount(1_234_567)]).toEqual(['999', '1,234,567']);
});

test('sentences stand one after the other, with a space between them in English alone', () => {
  expect(sentences('One.', 'Two.')).toBe('One. Two.');
  expect(sentences('一。', null, false, '二。')).toBe('一。二。');
});

test('with the eye closed, figures of one’s own money are dots, in texts of the server too', () => {
  const texts = () => [
    formatAmount('1234.5'),
    formatSigned('-1234.5'),
    formatPublic('1234.5'),
    hideAmounts('Your withdrawal of 1,234.50 USDT was approved. Request 1042.'),
    hideAmounts('0.00000001 BTC 已入账，申请编号 1042。'),
  ];
  expect(texts()).toEqual([
    '1,234.50',
    '\u22121,234.50',
    '1,234.50',
    'Your withdrawal of 1,234.50 USDT was approved. Request 1042.',
    '0.00000001 BTC 已入账，申请编号 1042。',
  ]);
  useSettings.setState({ isBalanceHidden: true });
  expect(texts()).toEqual([
    '••••••',
    '••••••',
    '1,234.50',
    'Your withdrawal of •••••• USDT was approved. Request 1042.',
    '•••••• BTC 已入账，申请编号 1042。',
  ]);
});
