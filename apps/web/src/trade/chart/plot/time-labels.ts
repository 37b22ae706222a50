import { textScale } from '@fairtick/ui/text-scale';
import type { IChartApi, Time } from 'lightweight-charts';

/** A label whose middle is closer than this to the middle of the crosshair's tag would be partly covered, at the usual text size, px. */
const ROOM = 60;
/** More labels than are ever in sight. */
const MOST_KNOWN = 200;

/** Leaves out the labels of the axis of times that the crosshair's tag would cover. */
export class TimeLabels {
  readonly #chart: IChartApi;
  readonly #textOf: (time: Time, kind: number) => string;
  /** The times of labels for which the library asked. */
  readonly #times = new Set<Time>();
  #hidden: ReadonlySet<Time> = new Set();

  constructor(chart: IChartApi, textOf: (time: Time, kind: number) => string) {
    this.#chart = chart;
    this.#textOf = textOf;
    this.#apply();
  }

  /** The crosshair has a tag at this distance from the left, or none. */
  point(x: number | null): void {
    const scale = this.#chart.timeScale();
    const isHidden = (time: Time) => {
      const at = x === null ? null : scale.timeToCoordinate(time);
      return x !== null && at !== null && Math.abs(at - x) < ROOM * textScale();
    };
    const hidden = new Set([...this.#times].filter(isHidden));
    if (hidden.size === this.#hidden.size && [...hidden].every((time) => this.#hidden.has(time))) return;
    this.#hidden = hidden;
    this.#apply();
  }

  /** The library keeps labels until it gets a formatter. */
  #apply(): void {
    const tickMarkFormatter = (time: Time, kind: number) => {
      if (this.#times.size > MOST_KNOWN) this.#times.clear();
      this.#times.add(time);
      return this.#hidden.has(time) ? '' : this.#textOf(time, kind);
    };
    this.#chart.applyOptions({ timeScale: { tickMarkFormatter } });
  }
}
