import { afterEach, expect, test } from 'vitest';
import { byDay } from '../support/chat-model.ts';
import { EVERYTHING, summarise } from '../wallet/fund-log/fund-log-model.ts';
import { dayOf, startOfDay } from './format.ts';
import { useSettings } from './settings.ts';

afterEach(() => useSettings.setState({ zone: null }));

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
