import { afterEach, expect, test, vi } from 'vitest';
import { useToast } from './toast.ts';

afterEach(() => vi.useRealTimers());

test('a toast stays on the screen that its action leads to, and goes with that screen', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { show, leave } = useToast.getState();
  show('Saved');
  leave();
  expect(useToast.getState().toast?.text).toBe('Saved');
  vi.advanceTimersByTime(600);
  leave();
  expect(useToast.getState().toast).toBeNull();
});
