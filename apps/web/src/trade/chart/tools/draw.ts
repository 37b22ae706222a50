import { distanceToBox, distanceToLine, type Place } from './drawing-geometry.ts';
import type { DrawingKind } from './drawings.ts';

export interface DrawingColours {
  readonly line: string;
  readonly selected: string;
  readonly ground: string;
}

/** Radius of the points of a chosen drawing, px. */
const POINT = 5;

/**
 * Draws one drawing, whole or unfinished, with its points if it is chosen.
 * @param options.width of the pane, px
 */
export function drawOne(
  context: CanvasRenderingContext2D,
  kind: DrawingKind,
  places: readonly Place[],
  options: { readonly width: number; readonly colours: DrawingColours; readonly isSelected: boolean },
): void {
  const [one, other] = places;
  if (!one) return;
  const { colours, isSelected, width } = options;
  context.strokeStyle = isSelected ? colours.selected : colours.line;
  context.lineWidth = isSelected ? 2 : 1.5;
  context.beginPath();
  if (kind === 'level') {
    context.moveTo(0, one.y);
    context.lineTo(width, one.y);
  } else if (kind === 'trend' && other) {
    context.moveTo(one.x, one.y);
    context.lineTo(other.x, other.y);
  } else if (other) {
    context.rect(one.x, one.y, other.x - one.x, other.y - one.y);
    context.fillStyle = `${colours.line}1f`;
    context.fill();
  }
  context.stroke();
  if (!isSelected) return;
  context.fillStyle = colours.ground;
  for (const { x, y } of places) {
    context.beginPath();
    context.arc(x, y, POINT, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
}

/** Distance of a place from a drawing, px; infinite if the drawing has no place on the chart. */
export function distanceFrom(kind: DrawingKind, places: readonly Place[], place: Place): number {
  const [one, other] = places;
  if (!one) return Number.POSITIVE_INFINITY;
  if (kind === 'level') return Math.abs(place.y - one.y);
  if (!other) return Number.POSITIVE_INFINITY;
  return kind === 'trend' ? distanceToLine(place, one, other) : distanceToBox(place, one, other);
}
