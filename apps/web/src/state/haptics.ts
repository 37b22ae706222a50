import { useSettings } from './settings.ts';

/** Milliseconds of shaking and rest. Every settlement feels the same, whatever its result. */
const PATTERNS = { arm: [12], confirm: [24], settle: [24, 60, 24] } as const;

/** Whether this device can shake. */
export const hasHaptics = (): boolean =>
  typeof navigator.vibrate === 'function' && navigator.maxTouchPoints > 0;

/** Shakes the device for a moment, unless the reader has turned that off or has not touched the page yet. */
export function shake(at: keyof typeof PATTERNS): void {
  if (!useSettings.getState().hasHaptics || !hasHaptics() || !navigator.userActivation?.hasBeenActive) return;
  navigator.vibrate([...PATTERNS[at]]);
}
