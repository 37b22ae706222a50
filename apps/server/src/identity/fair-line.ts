import { Shares } from '../http/shares.ts';

/** Too many wait already. */
export class BusyError extends Error {}

/**
 * An asker is somebody with a session, somebody who has logged in to the account from here before, staff at their login, or anyone.
 * Each kind has a share of the work, so that no crowd of one holds up another.
 */
const KINDS = ['inside', 'known', 'staff', 'anyone'] as const;
export interface Asker {
  readonly kind: (typeof KINDS)[number];
  /** Among those of one kind: the network, most often. Whoever asks once stands before a crowd's second. */
  readonly who: string;
}

interface Lane {
  readonly places: Shares;
  /** Who waits, by `who`; the first one's turn is next. */
  readonly waiting: Map<string, (() => void)[]>;
}

/** Work that takes a processor for a while: so much of it at once, so many of each kind in line, and turns that go round. */
export class FairLine {
  readonly #atOnce: number;
  readonly #lanes: Readonly<Record<Asker['kind'], Lane>>;
  #running = 0;
  #turn = 0;

  constructor({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }) {
    this.#atOnce = atOnce;
    const lane = (places: number): Lane => ({ places: new Shares(places), waiting: new Map() });
    // A customer may send a request a hundred times at once, and is told the same each time.
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

  /** @throws BusyError when the asker's share of the line is used up */
  async take<T>({ kind, who }: Asker, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else {
      const { places, waiting } = this.#lanes[kind];
      if (!places.take(who)) throw new BusyError('too many passwords to check');
      const own = waiting.get(who) ?? [];
      waiting.set(who, own);
      // Whoever ends hands its place on, so that nobody who comes in between takes it.
      await new Promise<void>((resolve) => own.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next) next();
      else this.#running -= 1;
    }
  }

  /** The first of the next kind that waits. Whoever has more in line goes behind all others of that kind. */
  #next(): (() => void) | null {
    for (let step = 1; step <= KINDS.length; step += 1) {
      const turn = (this.#turn + step) % KINDS.length;
      const { places, waiting } = this.#lanes[KINDS[turn] as Asker['kind']];
      const [first] = waiting;
      if (!first) continue;
      const [who, own] = first;
      const next = own.shift();
      waiting.delete(who);
      if (own.length > 0) waiting.set(who, own);
      places.giveBack(who);
      this.#turn = turn;
      return next ?? null;
    }
    return null;
  }
}
