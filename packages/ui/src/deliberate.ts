import { type MouseEvent, useEffect, useRef, useState } from 'react';

/** How long a button must have shown what it does before it takes a press. */
export const QUIET_MS = 400;

const TEXT_FIELD = ':is(textarea, input:not([type=radio], [type=checkbox]))';

/** Whether the last key that went down is held and repeats. */
let isKeyHeld = false;
for (const type of ['keydown', 'keyup'] as const) {
  const follow = ({ repeat }: KeyboardEvent) => {
    isKeyHeld = repeat;
  };
  globalThis.addEventListener?.(type, follow, true);
}

/**
 * Decides whether a press on a button is deliberate. A button takes no press until {@link QUIET_MS} after it was painted with its
 * present meaning, none that was made before that and handled late, none that belongs to a double click, and none by a held key.
 * A press that is not taken begins the time again, so that quick taps never add up to a confirmation.
 *
 * @param meaning names what a press does; another value begins the time again. Null: every press is taken.
 */
export function useDeliberate(meaning: string | null): {
  readonly isQuiet: boolean;
  readonly takes: (event: MouseEvent) => boolean;
} {
  const [ready, setReady] = useState<{ readonly meaning: string; readonly count: number } | null>(null);
  /** Counts the presses that were not taken. */
  const [count, setCount] = useState(0);
  const readyMs = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    if (meaning === null) return;
    readyMs.current = Number.POSITIVE_INFINITY;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => {
        readyMs.current = performance.now();
        setReady({ meaning, count });
      }, QUIET_MS);
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      setReady(null);
    };
  }, [meaning, count]);
  const isQuiet = meaning !== null && (ready?.meaning !== meaning || ready.count !== count);
  const takes = (event: MouseEvent): boolean => {
    if (meaning === null) return true;
    // A key's click has no clicks to count.
    const isByKey = event.detail === 0;
    const isShown = !isQuiet && event.timeStamp >= readyMs.current;
    // Enter in a text field sends its form, which the reader has before their eyes.
    const isFromField = isByKey && document.activeElement?.matches(TEXT_FIELD) === true;
    if ((isShown || isFromField) && event.detail <= 1 && !(isByKey && isKeyHeld)) return true;
    setCount(count + 1);
    return false;
  };
  return { isQuiet, takes };
}
