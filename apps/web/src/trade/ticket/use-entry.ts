import type { Direction } from '@fairtick/trading';
import { useLayer } from '@fairtick/ui/layers';
import { useCallback, useState } from 'react';
import { keepNothing } from './wish.ts';

export type Entry = ReturnType<typeof useEntry>;

/** A ticket that is opened on demand; the way back closes it. */
export function useEntry(first: () => Direction | null) {
  const [entry, setEntry] = useState(first);
  const [kept, setKept] = useState(keepNothing);
  /** The button that last opened the ticket; it gets the focus back on closing. */
  const [taken, setTaken] = useState<Direction | null>(null);
  const enter = (direction: Direction) => {
    setTaken(direction);
    setKept(keepNothing);
    setEntry(direction);
  };
  const leave = useCallback(() => setEntry(null), []);
  useLayer(entry !== null, leave);
  return { entry, taken, kept, enter, leave };
}
