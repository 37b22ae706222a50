import { useState } from 'react';
import { type Drawing, readDrawings, storeDrawings, type Tool, withDrawing } from './drawings.ts';

export interface Drawings {
  readonly all: readonly Drawing[];
  readonly tool: Tool | null;
  readonly selected: number | null;
  readonly canUndo: boolean;
  begin(tool: Tool | null): void;
  add(drawing: Omit<Drawing, 'id'>): void;
  change(drawing: Drawing): void;
  select(id: number | null): void;
  remove(id: number): void;
  clear(): void;
  /** Takes back the last change since the product was opened. */
  undo(): void;
}

interface State {
  readonly symbol: string;
  readonly all: readonly Drawing[];
  readonly tool: Tool | null;
  readonly selected: number | null;
  readonly history: History;
}

/** The drawings before each change, the last one at the end, and the drawing that the last change moved. */
interface History {
  readonly before: readonly (readonly Drawing[])[];
  readonly moved: { readonly id: number; readonly atMs: number } | null;
}

/** Most changes that can be taken back. */
const MOST_STEPS = 50;
/** Movements of one drawing with shorter pauses are one change. */
const ONE_MOVE_MS = 1_000;

const stateOf = (symbol: string): State => ({
  symbol,
  all: readDrawings(symbol),
  tool: null,
  selected: null,
  history: { before: [], moved: null },
});

export function useDrawings(symbol: string): Drawings {
  const [known, setState] = useState(() => stateOf(symbol));
  const state = known.symbol === symbol ? known : stateOf(symbol);
  if (state !== known) setState(state);
  const change = (all: readonly Drawing[], rest: Partial<State> = {}, moved: number | null = null) => {
    storeDrawings(symbol, all);
    setState({ ...state, all, history: withStep(state, moved), ...rest });
  };
  return {
    all: state.all,
    tool: state.tool,
    selected: state.selected,
    canUndo: state.history.before.length > 0,
    begin: (tool) => setState({ ...state, tool, selected: null }),
    add(drawing) {
      const all = withDrawing(state.all, drawing);
      change(all, { tool: null, selected: all.at(-1)?.id ?? null });
    },
    change: (drawing) =>
      change(
        state.all.map((one) => (one.id === drawing.id ? drawing : one)),
        {},
        drawing.id,
      ),
    select: (selected) => setState({ ...state, selected, tool: null }),
    remove: (id) =>
      change(
        state.all.filter((one) => one.id !== id),
        { selected: null },
      ),
    clear: () => change([], { selected: null }),
    undo() {
      const before = state.history.before.slice(0, -1);
      const all = state.history.before.at(-1);
      if (all) change(all, { tool: null, selected: null, history: { before, moved: null } });
    },
  };
}

function withStep({ all, history }: State, id: number | null): History {
  const atMs = performance.now();
  const { before, moved } = history;
  const isSameMove = id !== null && moved?.id === id && atMs - moved.atMs < ONE_MOVE_MS;
  return {
    before: isSameMove ? before : [...before, all].slice(-MOST_STEPS),
    moved: id === null ? null : { id, atMs },
  };
}
