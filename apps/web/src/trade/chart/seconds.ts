import type { Candle, TickPoint } from '@fairtick/protocol';

/** A product that nobody watches ticks this seldom, ms, and a little later at times; a longer time without a price is left out. */
const LONGEST_MS = 5_000;

/**
 * The last price of each second, oldest first. A price lasts until the next one, so that seconds are equally wide; a time without
 * prices is left out, as the time in which a market is closed.
 * @param points ascending in time
 */
export function secondsOf(points: readonly TickPoint[]): readonly Candle[] {
  const seconds: Candle[] = [];
  for (const { time, price } of points) {
    const second = time - (time % 1000);
    const last = seconds.at(-1);
    if (last?.time === second) seconds.pop();
    else if (last && second - last.time <= LONGEST_MS)
      for (let at = last.time + 1000; at < second; at += 1000) seconds.push({ ...last, time: at });
    seconds.push(secondAt(second, price));
  }
  return seconds;
}

/** A second as a candle of one price, which the chart draws as a point of a line. It has no volume of its own. */
function secondAt(time: number, price: string): Candle {
  return {
    time,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: '0',
    turnover: '0',
    change: '0',
  };
}
