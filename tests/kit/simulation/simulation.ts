import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../hostile/random.ts';
import { judge } from './judge.ts';
import { SYMBOLS } from './market.ts';
import { type Journalled, World } from './world.ts';

const CUSTOMERS = 20;
const FIRST = 10_000_000_000n;
const MAX_STEPS = 6_000;

/** Counts of a run: outcomes by kind, and faults by kind. */
export type Tally = ReadonlyMap<string, number>;

/**
 * One history made from a seed: orders, prices, faults of sources, crashes, pauses and clock changes, until this many orders are
 * accepted. Then the faults stop, everything must settle, and every figure is computed a second time.
 * @throws Error that describes a fault
 */
export async function simulate(seed: number, orders: number): Promise<Tally> {
  const random = new Random(seed);
  const world = await World.open(random);
  try {
    const story = new Story(world, random);
    await story.run(orders);
    return await story.judge();
  } finally {
    await world.close();
  }
}

class Story {
  readonly #world: World;
  readonly #random: Random;
  readonly #tally = new Map<string, number>();
  #customers: string[] = [];
  #count = 0;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  async run(orders: number): Promise<void> {
    const world = this.#world;
    for (let n = 0; n < CUSTOMERS; n += 1) this.#customers.push(await world.house.customer(`simulated_${n}`));
    await world.startWriter();
    const accepted = () => world.journal.filter(({ state }) => state === 'accepted').length;
    for (let step = 0; accepted() < orders; step += 1) {
      if (step > MAX_STEPS) throw new Error(`only ${accepted()} orders in ${step} steps`);
      await this.#turn();
    }
    await this.#recover();
  }

  /** Passes time, may cause a fault, and lets every process and customer act. */
  async #turn(): Promise<void> {
    const [world, random] = [this.#world, this.#random];
    await world.pass(random.isLikely(0.02) ? random.whole(1_000, 9_000) : random.whole(40, 600));
    world.market.spoil();
    if (random.isLikely(0.04)) world.market.silence(await world.logTimeMs());
    if (random.isLikely(0.02)) await this.#setClock();
    if (world.isWriting) await this.#writeOrDie();
    else if (random.isLikely(0.2)) await world.startWriter();
    if (random.isLikely(0.5)) await this.#placeSome();
    if (random.isLikely(0.25)) await this.#settleSome();
    if (random.isLikely(0.01)) await world.limit(random.of(this.#customers));
  }

  async #setClock(): Promise<void> {
    const far = this.#random.isLikely(0.3) ? 3_600_000 : 20_000;
    await this.#world.setClockBy(this.#random.whole(-far, far));
    this.#note('clock set');
  }

  async #writeOrDie(): Promise<void> {
    const [world, random] = [this.#world, this.#random];
    if (random.isLikely(0.01)) {
      world.killWriter();
      return this.#note('writer killed between steps');
    }
    if (random.isLikely(0.015)) {
      await world.overtakeWriter();
      return this.#note('writer overtaken');
    }
    if (random.isLikely(0.025)) {
      world.fragile.plan(random.whole(1, 3), random.of(['before', 'after'] as const));
      this.#note('writer cut');
    }
    await world.write();
  }

  async #placeSome(): Promise<void> {
    const [world, random] = [this.#world, this.#random];
    const entries = this.#requests();
    if (random.isLikely(0.05)) {
      world.fragile.plan(random.whole(1, 4), random.of(['before', 'after'] as const));
      this.#note('placement cut');
    } else if (random.isLikely(0.03)) {
      world.fragile.plan(random.whole(2, 4), () => world.setClockBy(random.whole(-900, 900)));
      this.#note('clock set within a placement');
    } else if (random.isLikely(0.1)) {
      return this.#meanwhile(() => world.place(entries), random.whole(1, 4));
    }
    await world.place(entries);
  }

  async #settleSome(): Promise<void> {
    const [world, random] = [this.#world, this.#random];
    const limit = random.whole(1, 12);
    if (random.isLikely(0.08)) {
      world.fragile.plan(random.whole(1, 12), random.of(['before', 'after'] as const));
      this.#note('engine cut');
    } else if (random.isLikely(0.2)) {
      await this.#meanwhile(() => world.settle(limit), random.whole(1, 12));
      return;
    }
    await world.settle(limit);
  }

  /** Another engine and another API process work while one is stopped before its n-th statement. */
  async #meanwhile(work: () => Promise<unknown>, statement: number): Promise<void> {
    const [world, random] = [this.#world, this.#random];
    const entries = this.#requests();
    const limit = random.whole(1, 12);
    const { server } = world.house.db;
    let others: Promise<unknown> = Promise.resolve();
    world.fragile.plan(statement, async () => {
      others = Promise.all([world.settle(limit, server), world.place(entries, server)]);
      // They may wait for locks of the stopped one.
      await Promise.race([others, sleep(40)]);
    });
    this.#note('two at work');
    await work();
    await others;
  }

  /** At most one request per customer: new ones, and sometimes a repeated one. */
  #requests(): Journalled[] {
    const random = this.#random;
    const chosen = new Set(Array.from({ length: random.whole(1, 2) }, () => random.of(this.#customers)));
    return [...chosen].map((customerId) => {
      const before = this.#world.journal.filter(
        ({ request, state }) => request.customerId === customerId && state !== 'refused',
      );
      const unsure = before.filter(({ state }) => state === 'unknown');
      if (unsure.length > 0) return random.of(unsure);
      if (before.length > 0 && random.isLikely(0.1)) return random.of(before);
      return this.#newRequest(customerId);
    });
  }

  #newRequest(customerId: string): Journalled {
    const random = this.#random;
    this.#count += 1;
    const request = this.#world.house.request(customerId, {
      symbol: random.of(SYMBOLS),
      // Odd amounts, so that rounding matters.
      amount: `${random.whole(10, 50)}.${String(random.whole(0, 999_999)).padStart(6, '0')}`,
      direction: random.of(['up', 'down'] as const),
      minutes: random.of([1, 1, 1, 3]),
      key: `simulated ${this.#count}`,
    });
    const entry: Journalled = { request, state: 'refused', orderId: 0 };
    this.#world.journal.push(entry);
    return entry;
  }

  /** Ends all faults: repeats requests with unknown outcomes, and passes time until everything is settled. */
  async #recover(): Promise<void> {
    const world = this.#world;
    world.market.heal();
    await world.startWriter();
    await this.#write(40);
    for (const entry of world.journal.filter(({ state }) => state === 'unknown')) await world.place([entry]);
    const { rows } = await world.house.db.owner.query<{ last: string }>(
      'select max(settles_at_ms) as last from orders',
    );
    // The log has a fix a second or two after its time.
    while ((await world.logTimeMs()) <= Number(rows[0]?.last) + 3_000) await this.#write(20);
    await this.#write(1);
    for (let rounds = 0; (await world.settle(50)) > 0; rounds += 1) {
      if (rounds > 1_000) throw new Error('settling does not end');
    }
  }

  async #write(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      await this.#world.pass(500);
      await this.#world.write();
    }
  }

  /** The customers' own records, the log and the database must agree. */
  async judge(): Promise<Tally> {
    for (const kind of await judge(this.#world, new Map(this.#customers.map((id) => [id, FIRST]))))
      this.#note(kind);
    return this.#tally;
  }

  #note(kind: string): void {
    this.#tally.set(kind, (this.#tally.get(kind) ?? 0) + 1);
  }
}
