import { fontPx } from '../plot/chart-frame.ts';
import { distanceToBox, distanceToLine, type Place } from './drawing-geometry.ts';
import type { Tool } from './drawings.ts';

export interface DrawingColours {
  readonly line: string;
  readonly selected: string;
  readonly ground: string;
  readonly font: string;
}

/** A level of a retracement: its height, px, and its share and price in words. */
export interface Level {
  readonly y: number;
  readonly text: string;
}

/** Radius of the points of a chosen drawing, px. */
const POINT = 5;
/** Levels that are nearer to each other have one text, in parts of its size. */
const TEXT_HEIGHT = 1.2;

/**
 * Draws one drawing, whole or unfinished, with its points if it is chosen.
 * @param options.width of the pane, px  @param options.levels of a retracement
 */
export function drawOne(
  context: CanvasRenderingContext2D,
  kind: Tool,
  places: readonly Place[],
  options: {
    readonly width: number;
    readonly colours: DrawingColours;
    readonly isSelected: boolean;
    readonly levels: readonly Level[];
  },
): void {
  const [one, other] = places;
  if (!one) return;
  const { colours, isSelected, width } = options;
  context.strokeStyle = isSelected ? colours.selected : colours.line;
  context.lineWidth = isSelected ? 2 : 1.5;
  context.beginPath();
  if (kind === 'level' || kind === 'priceAlert') {
    context.moveTo(0, one.y);
    context.lineTo(width, one.y);
  } else if (kind === 'fib') {
    drawLevels(context, places, options);
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

/** From the first of the two points to the right edge; the share and the price stand on each level. */
function drawLevels(
  context: CanvasRenderingContext2D,
  places: readonly Place[],
  { width, colours, levels }: { width: number; colours: DrawingColours; levels: readonly Level[] },
): void {
  const left = Math.min(...places.map(({ x }) => x));
  const [one, other] = places;
  context.lineWidth = 1;
  for (const { y } of levels) {
    context.moveTo(left, y);
    context.lineTo(width, y);
  }
  if (one && other) {
    context.moveTo(one.x, one.y);
    context.lineTo(other.x, other.y);
  }
  context.stroke();
  context.save();
  context.beginPath();
  context.font = `${fontPx()}px ${colours.font}`;
  context.textBaseline = 'bottom';
  context.textAlign = 'left';
  let lastTextY = Number.NEGATIVE_INFINITY;
  for (const { y, text } of levels) {
    if (Math.abs(y - lastTextY) < TEXT_HEIGHT * fontPx()) continue;
    // Readable over candles.
    context.strokeStyle = colours.ground;
    context.lineWidth = 3;
    context.strokeText(text, Math.max(4, left + 4), y - 2);
    context.fillStyle = colours.selected;
    context.fillText(text, Math.max(4, left + 4), y - 2);
    lastTextY = y;
  }
  context.restore();
}

/** Distance of a place from a drawing, px; infinite if the drawing has no place on the chart. */
export function distanceFrom(
  kind: Tool,
  places: readonly Place[],
  place: Place,
  levels: readonly Level[],
): number {
  const [one, other] = places;
  if (!one) return Number.POSITIVE_INFINITY;
  if (kind === 'level' || kind === 'priceAlert') return Math.abs(place.y - one.y);
  if (!other) return Number.POSITIVE_INFINITY;
  if (kind === 'fib') {
    const heights = place.x < Math.min(one.x, other.x) ? [] : levels.map(({ y }) => Math.abs(place.y - y));
    return Math.min(distanceToLine(place, one, other), ...heights);
  }
  return kind === 'trend' ? distanceToLine(place, one, other) : distanceToBox(place, one, other);
}
