import { textScale } from '@fairtick/ui/text-scale';
import type { BarPrice, ISeriesApi, SeriesType } from 'lightweight-charts';
import { priceFormatOf } from './chart-bars.ts';

/** Height of a price tag on the axis at the usual text size, px. */
const TAG_HEIGHT = 18;
/** A scale's label whose middle is closer than this to a tag's middle would be partly covered or touch it, at the usual text size, px. */
const ROOM = 16;

/**
 * Whether a label of the price axis has room beside the tags. Tags that overlap are moved apart by the library, so they need more
 * room by what they overlap.
 * @param y middle of the label, and `tags` middles of the tags, px from the pane's top
 */
export function hasRoom(y: number, tags: readonly number[]): boolean {
  const [height, room] = [TAG_HEIGHT * textScale(), ROOM * textScale()];
  return tags.every((tag, at) => {
    const overlaps = tags.map((other, i) => (i === at ? 0 : Math.max(0, height - Math.abs(other - tag))));
    return Math.abs(y - tag) >= room + overlaps.reduce((sum, overlap) => sum + overlap, 0);
  });
}

/** Leaves out the labels of a price axis that the tags of its prices would cover. */
export class AxisLabels {
  readonly #series: ISeriesApi<SeriesType>;
  readonly #format: ReturnType<typeof priceFormatOf> & {
    tickmarksFormatter: (prices: BarPrice[]) => string[];
  };
  /** Prices of the labels, as the library asked for them last, and which of them are shown. */
  #prices: readonly BarPrice[] = [];
  #shown = '';
  /** Height of the crosshair's tag. */
  #pointedY: number | null = null;

  constructor(series: ISeriesApi<SeriesType>, decimals: number) {
    this.#series = series;
    const format = priceFormatOf(decimals);
    const tickmarksFormatter = (prices: BarPrice[]) => {
      this.#prices = [...prices];
      const shown = this.#haveRoom();
      this.#shown = shown.join();
      // Below zero there is room for the scale's margin, and no price.
      return prices.map((price, at) => (shown[at] && price >= 0 ? format.formatter(price) : ''));
    };
    this.#format = { ...format, tickmarksFormatter };
    series.applyOptions({ priceFormat: this.#format });
  }

  /** After a tag has moved: the library keeps labels until the scale changes or gets a format. */
  update(): void {
    const shown = this.#haveRoom().join();
    if (shown === this.#shown) return;
    // A scale in percent has labels of its own and asks for none.
    this.#shown = shown;
    this.#series.applyOptions({ priceFormat: this.#format });
  }

  /** The crosshair has a tag at this height, or none. */
  point(y: number | null): void {
    if (y === this.#pointedY) return;
    this.#pointedY = y;
    this.update();
  }

  #haveRoom(): boolean[] {
    const place = (price: number) => this.#series.priceToCoordinate(price);
    const tagged = this.#series.priceLines().map((line) => line.options().price);
    // A tag stays whole at the top of the pane.
    const tags = tagged.flatMap((price) => {
      const y = place(price);
      return y === null ? [] : Math.max(y, (TAG_HEIGHT / 2) * textScale());
    });
    const pointed = this.#pointedY === null ? [] : [this.#pointedY];
    return this.#prices.map((price) => {
      const y = place(price);
      return y === null || (hasRoom(y, tags) && hasRoom(y, pointed));
    });
  }
}
