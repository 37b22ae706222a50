import { useState } from 'react';
import { type Drawing, type DrawingKind, readDrawings, storeDrawings, withDrawing } from './drawings.ts';

export interface Drawings {
  readonly all: readonly Drawing[];
  /** What the next taps on the chart draw. */
  readonly tool: DrawingKind | null;
  readonly selected: number | null;
  begin(tool: DrawingKind | null): void;
  add(drawing: Omit<Drawing, 'id'>): void;
  change(drawing: Drawing): void;
  select(id: number | null): void;
  remove(id: number): void;
  clear(): void;
}

interface State {
  readonly symbol: string;
  readonly all: readonly Drawing[];
  readonly tool: DrawingKind | null;
  readonly selected: number | null;
}

const stateOf = (symbol: string): State => ({
  symbol,
  all: readDrawings(symbol),
  tool: null,
  selected: null,
});

/** A product's drawings, kept on this device. */
export function useDrawings(symbol: string): Drawings {
  const [known, setState] = useState(() => stateOf(symbol));
  const state = known.symbol === symbol ? known : stateOf(symbol);
  if (state !== known) setState(state);
  const change = (all: readonly Drawing[], rest: Partial<State> = {}) => {
    storeDrawings(symbol, all);
    setState({ ...state, all, ...rest });
  };
  return {
    all: state.all,
    tool: state.tool,
    selected: state.selected,
    begin: (tool) => setState({ ...state, tool, selected: null }),
    add(drawing) {
      const all = withDrawing(state.all, drawing);
      change(all, { tool: null, selected: all.at(-1)?.id ?? null });
    },
    change: (drawing) => change(state.all.map((one) => (one.id === drawing.id ? drawing : one))),
    select: (selected) => setState({ ...state, selected, tool: null }),
    remove: (id) =>
      change(
        state.all.filter((one) => one.id !== id),
        { selected: null },
      ),
    clear: () => change([], { selected: null }),
  };
}
