import type { Listener } from '../../platform/bus/listener.ts';
import type { OrderStops } from '../order-stops.ts';
import type { LogFollower } from './log-follower.ts';
import { readStep } from './ready-step.ts';

/** Steps bring entries where the wire carries them; the notice after each has the follower read what none has brought. */
export function hearLog(
  listener: Listener,
  { follower, key }: { follower: LogFollower; key: Buffer },
  onStops: (stops: OrderStops) => void,
): void {
  listener.on('steps', (text) => {
    const step = text === null ? null : readStep(text, key);
    if (step?.stops) onStops(step.stops);
    if (step) follower.take(step);
  });
  listener.on('log', (size) => follower.wake(size));
}
