import { OverloadError } from './overload-error.ts';
import { RoundRobin } from './round-robin.ts';
import { Shares } from './shares.ts';

/**
 * Kinds of askers: with a session, known from a login to this account from here, staff at their login, and anyone else.
 * Each kind has a share of the work, so that a crowd of one kind does not delay another.
 */
const KINDS = ['inside', 'known', 'staff', 'anyone'] as const;
export interface Asker {
  readonly kind: (typeof KINDS)[number];
  /** Key within the kind, mostly the network. An asker's first request goes before another asker's second. */
  readonly who: string;
}

interface Lane {
  readonly places: Shares;
  readonly waiting: RoundRobin<() => void>;
}

/** Limits CPU-heavy work: a number of tasks at once, a bounded queue per kind, and round-robin between kinds and askers. */
export class FairLine {
  readonly #atOnce: number;
  readonly #lanes: Readonly<Record<Asker['kind'], Lane>>;
  #running = 0;
  #turn = 0;

  constructor({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }) {
    this.#atOnce = atOnce;
    const lane = (places: number): Lane => ({ places: new Shares(places), waiting: new RoundRobin() });
    // A customer may repeat a request a hundred times at once, and each gets the same answer.
    this.#lanes = {
      inside: lane(3 * waiting),
      known: lane(waiting),
      staff: lane(waiting),
      anyone: lane(waiting),
    };
  }

  hasRoom({ kind, who }: Asker): boolean {
    return this.#running < this.#atOnce || this.#lanes[kind].places.hasRoom(who);
  }

  /** @throws OverloadError when the asker's share of the line is used up */
  async take<T>({ kind, who }: Asker, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else {
      const { places, waiting } = this.#lanes[kind];
      if (!places.take(who)) throw new OverloadError('too many requests wait in line');
      // A finished task hands its slot on directly, so that a newcomer can't take it.
      await new Promise<void>((resolve) => waiting.add(who, resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next) next();
      else this.#running -= 1;
    }
  }

  /** The next request by round-robin over kinds, and over the askers of a kind. */
  #next(): (() => void) | null {
    for (let step = 1; step <= KINDS.length; step += 1) {
      const turn = (this.#turn + step) % KINDS.length;
      const { places, waiting } = this.#lanes[KINDS[turn] as Asker['kind']];
      const next = waiting.next();
      if (!next) continue;
      places.giveBack(next.owner);
      this.#turn = turn;
      return next.item;
    }
    return null;
  }
}
