import { afterEach, expect, test } from 'vitest';
import { dayOf } from './format.ts';
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
