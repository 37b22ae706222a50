import { textScale } from '@fairtick/ui/text-scale';
import type { IChartApi } from 'lightweight-charts';
import { widestLabel } from './chart-bars.ts';
import type { colours } from './chart-colours.ts';

/** Text size of everything that is drawn on the chart, px. */
const FONT_PX = 11;
export const fontPx = (): number => FONT_PX * textScale();
/** Pixels that the library adds to the widest label of a price axis at the usual text size, rounded up. */
const AXIS_PADDING = 21;

export const FRAME_OPTIONS = {
  autoSize: true,
  // From the start, because the library's own logo and white would flash before the colours are known; screen readers can't reach a
  // link inside an image.
  layout: { attributionLogo: false, background: { color: 'transparent' } },
} as const;

export const PRICE_SCALE_OPTIONS = { borderVisible: false, entireTextOnly: true } as const;

/** Where lines are as strong as text, the grid is lighter than the candles all the same. */
const gridColour = (colour: ReturnType<typeof colours>): string =>
  matchMedia('(prefers-contrast: more), (forced-colors: active)').matches
    ? `${colour('--line')}40`
    : colour('--line');

export function paintFrame(chart: IChartApi, box: HTMLElement, colour: ReturnType<typeof colours>): void {
  const crosshair = { color: colour('--edge'), labelBackgroundColor: colour('--s3') };
  chart.applyOptions({
    layout: {
      textColor: colour('--ink-3'),
      fontFamily: getComputedStyle(box).fontFamily,
      fontSize: fontPx(),
    },
    grid: { vertLines: { visible: false }, horzLines: { color: gridColour(colour) } },
    crosshair: { vertLine: crosshair, horzLine: crosshair },
  });
}

/**
 * Keeps the price axis wide enough for values about `value`, and never narrower than it was, so that nothing shifts when a label
 * becomes longer or shorter.
 */
export function holdAxis(
  chart: IChartApi,
  box: HTMLElement,
  { value, format }: { value: number; format: (value: number) => string },
): void {
  const scale = chart.priceScale('right');
  const label = widestLabel(value, format);
  const wanted = Math.max(scale.width(), widthOf(label, box) + Math.ceil(AXIS_PADDING * textScale()));
  if (wanted <= scale.options().minimumWidth) return;
  scale.applyOptions({ minimumWidth: wanted });
  // The legend and the fading edge of the axis of times end there.
  box.parentElement?.style.setProperty('--axis', `${wanted}px`);
}

let ruler: CanvasRenderingContext2D | null = null;

function widthOf(text: string, box: HTMLElement): number {
  ruler ??= document.createElement('canvas').getContext('2d');
  if (!ruler) return 0;
  ruler.font = `${fontPx()}px ${getComputedStyle(box).fontFamily}`;
  return Math.ceil(ruler.measureText(text).width);
}
