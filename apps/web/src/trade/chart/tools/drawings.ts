import { readStored, storeInSession } from '../../../state/storage.ts';

export const DRAWING_KINDS = ['trend', 'level', 'box', 'fib'] as const;
/** A trend line through two points, a horizontal line at one, a rectangle between two corners, or the levels of a retracement. */
type DrawingKind = (typeof DRAWING_KINDS)[number];

/** A point that stays where it is when the period changes: a time in Unix ms, and a price. Floats are enough for drawing. */
export interface DrawingPoint {
  readonly time: number;
  readonly price: number;
}

export interface Drawing {
  readonly id: number;
  readonly kind: DrawingKind;
  readonly points: readonly DrawingPoint[];
}

export const MAX_DRAWINGS = 20;
/** Most products with drawings; the one that was drawn on longest ago is forgotten. */
export const MAX_DRAWN_PRODUCTS = 40;

/** What taps on the chart set: the points of a drawing, or the price of an alert. */
export type Tool = DrawingKind | 'priceAlert';

export const pointsOf = (tool: Tool): number => (tool === 'level' || tool === 'priceAlert' ? 1 : 2);

/** The customer's drawings of a product on this device. Invalid ones count as absent, because storage can be edited. */
export function readDrawings(symbol: string): readonly Drawing[] {
  return readAll().find(([product]) => product === symbol)?.[1] ?? [];
}

export function storeDrawings(symbol: string, drawings: readonly Drawing[]): void {
  const others = readAll().filter(([product]) => product !== symbol);
  const all = drawings.length > 0 ? [...others, [symbol, drawings] as const] : others;
  storeInSession('drawings', all.length > 0 ? JSON.stringify(all.slice(-MAX_DRAWN_PRODUCTS)) : null);
}

export function withDrawing(drawings: readonly Drawing[], drawing: Omit<Drawing, 'id'>): readonly Drawing[] {
  const id = 1 + Math.max(0, ...drawings.map((known) => known.id));
  return [...drawings, { ...drawing, id }].slice(-MAX_DRAWINGS);
}

/** Products in the order in which they were last drawn on. */
function readAll(): (readonly [string, readonly Drawing[]])[] {
  let stored: unknown;
  try {
    stored = JSON.parse(readStored('drawings') ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((entry: unknown) => {
    if (!Array.isArray(entry) || typeof entry[0] !== 'string' || !Array.isArray(entry[1])) return [];
    return [[entry[0], entry[1].filter(isDrawing).slice(-MAX_DRAWINGS)] as const];
  });
}

function isDrawing(value: unknown): value is Drawing {
  const { id, kind, points } = (value ?? {}) as Partial<Record<keyof Drawing, unknown>>;
  const known = DRAWING_KINDS.find((one) => one === kind);
  return (
    Number.isSafeInteger(id) &&
    known !== undefined &&
    Array.isArray(points) &&
    points.length === pointsOf(known) &&
    points.every((point) => Number.isFinite(point?.time) && Number.isFinite(point?.price))
  );
}
