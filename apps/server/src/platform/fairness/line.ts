import { type LineBounds, PART_OF_ONE, PLACES_OF_CUSTOMERS } from './bounds.ts';
import { OverloadError } from './overload-error.ts';

/**
 * Kinds of callers: with a session, known from a login to this account from here, staff at their login, and anyone else.
 * Each kind has places of its own, so that a crowd of one kind does not delay another.
 */
const KINDS = ['inside', 'known', 'staff', 'anyone'] as const;
type Kind = (typeof KINDS)[number];

export interface Asker {
  readonly kind: Kind;
  /** Key within the kind: mostly the customer or the network. */
  readonly who: string;
  /** The request's deadline, by `performance.now()`; absent: none. */
  readonly untilMs?: number;
}

/** Places that callers share: nobody takes more than {@link PART_OF_ONE} of those left. */
export class Places {
  readonly #places: number;
  readonly #of = new Map<string, number>();
  #taken = 0;

  constructor(places: number) {
    this.#places = places;
  }

  hasRoom(who: string): boolean {
    const left = this.#places - this.#taken;
    return left > 0 && (this.#of.get(who) ?? 0) < Math.max(1, left * PART_OF_ONE);
  }

  /** Takes places, at most these many beyond the caller's share. False: the share is used up. */
  take(who: string, count = 1): boolean {
    if (!this.hasRoom(who)) return false;
    this.#add(who, count);
    return true;
  }

  giveBack(who: string, count = 1): void {
    this.#add(who, -count);
  }

  #add(who: string, count: number): void {
    const own = (this.#of.get(who) ?? 0) + count;
    if (own > 0) this.#of.set(who, own);
    else this.#of.delete(who);
    this.#taken += count;
  }
}

/** Waiting items by owner. The next item is the oldest one of the owner whose last turn is longest ago. */
export class Turns<T> {
  readonly #of = new Map<string, T[]>();
  size = 0;

  get owners(): number {
    return this.#of.size;
  }

  waitingOf(owner: string): number {
    return this.#of.get(owner)?.length ?? 0;
  }

  add(owner: string, item: T): void {
    const own = this.#of.get(owner);
    if (own) own.push(item);
    else this.#of.set(owner, [item]);
    this.size += 1;
  }

  /** Takes the next item of an owner who may have a turn; the owner goes to the end. */
  next(mayHave: (owner: string) => boolean = () => true): { owner: string; item: T } | null {
    for (const [owner, own] of this.#of) {
      if (!mayHave(owner)) continue;
      const item = own.shift() as T;
      this.size -= 1;
      this.#of.delete(owner);
      if (own.length > 0) this.#of.set(owner, own);
      return { owner, item };
    }
    return null;
  }

  /** Removes each owner's oldest items for which this is true. */
  *drop(isOver: (item: T) => boolean): Generator<T> {
    for (const [owner, own] of this.#of) {
      while (own[0] !== undefined && isOver(own[0])) {
        this.size -= 1;
        yield own.shift() as T;
      }
      if (own.length === 0) this.#of.delete(owner);
    }
  }
}

/** Runs tasks within bounds. Kinds of callers take turns, then the callers of a kind, each with its tasks in order. */
export class Line {
  readonly #bounds: LineBounds;
  readonly #lanes: Readonly<Record<Kind, { readonly places: Places; readonly turns: Turns<() => void> }>>;
  readonly #runningOf = new Map<string, number>();
  #running = 0;
  /** The kind that had the last turn. */
  #turn = 0;

  constructor(bounds: LineBounds) {
    this.#bounds = bounds;
    const lane = (places: number) => ({ places: new Places(places), turns: new Turns<() => void>() });
    const { waiting } = bounds;
    this.#lanes = {
      inside: lane(PLACES_OF_CUSTOMERS * waiting),
      known: lane(waiting),
      staff: lane(waiting),
      anyone: lane(waiting),
    };
  }

  hasRoom({ kind, who }: Asker): boolean {
    return this.#mayRun(kind, who) || this.#lanes[kind].places.hasRoom(who);
  }

  /** @throws OverloadError when the caller's places are used up, or its turn comes after the deadline */
  async take<T>(
    { kind, who, untilMs = Number.POSITIVE_INFINITY }: Asker,
    work: () => Promise<T>,
  ): Promise<T> {
    if (this.#mayRun(kind, who)) this.#count(kind, who, 1);
    else {
      const { places, turns } = this.#lanes[kind];
      if (!places.take(who)) throw new OverloadError('too many requests wait in line');
      await new Promise<void>((resolve) => turns.add(who, resolve));
    }
    try {
      if (performance.now() > untilMs) throw new OverloadError('its turn came too late');
      return await work();
    } finally {
      this.#count(kind, who, -1);
      this.#startNext();
    }
  }

  #mayRun(kind: Kind, who: string): boolean {
    const { atOnce = Number.POSITIVE_INFINITY, ofOne = Number.POSITIVE_INFINITY } = this.#bounds;
    return this.#running < atOnce && (this.#runningOf.get(kind + who) ?? 0) < ofOne;
  }

  #count(kind: Kind, who: string, change: 1 | -1): void {
    const own = (this.#runningOf.get(kind + who) ?? 0) + change;
    if (own > 0) this.#runningOf.set(kind + who, own);
    else this.#runningOf.delete(kind + who);
    this.#running += change;
  }

  /** A finished task hands its slot on directly, so that a newcomer can't take it. */
  #startNext(): void {
    for (let step = 1; step <= KINDS.length; step += 1) {
      const turn = (this.#turn + step) % KINDS.length;
      const kind = KINDS[turn] as Kind;
      const { places, turns } = this.#lanes[kind];
      const next = turns.next((who) => this.#mayRun(kind, who));
      if (!next) continue;
      this.#turn = turn;
      places.giveBack(next.owner);
      this.#count(kind, next.owner, 1);
      next.item();
      return;
    }
  }
}

/** Wraps handlers so that each call takes its caller's turn in a line. */
export function inLine<H extends object>(line: Line, handlers: H): H {
  type Handler = (input: unknown, context: { readonly asker: Asker }) => Promise<unknown>;
  const wrapped = Object.entries(handlers as Readonly<Record<string, Handler>>).map(
    ([name, handler]) =>
      [
        name,
        (...[input, context]: Parameters<Handler>) => line.take(context.asker, () => handler(input, context)),
      ] as const,
  );
  return Object.fromEntries(wrapped) as H;
}
