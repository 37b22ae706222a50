import { usdt } from '../people/money.ts';

/** A chain whose blocks a test makes and replaces. */
export interface TestChain {
  /** A transaction that waits for a block. */
  pay(address: string, value: bigint): Promise<string>;
  mine(blocks?: number): Promise<void>;
  reorg(depth: number): Promise<void>;
  /** Puts a transaction that a reorganisation dropped into the next block. */
  resend(txid: string): Promise<void>;
  has(txid: string): Promise<boolean>;
}

interface Depositor {
  readonly id: string;
  readonly to: string;
}

/** A round of a watcher, which may be stopped before any range. */
type Round = (isStopped: () => boolean) => Promise<void>;

/**
 * Payments, blocks, reorganisations and rounds of several watchers in a random order.
 * @returns what blocks of the chain have for each customer at the end, in whole units
 */
export async function anySequence(
  chain: TestChain,
  { seed, steps, people, rounds }: SequenceOptions,
): Promise<ReadonlyMap<string, number>> {
  let state = seed;
  const below = (bound: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * bound);
  };
  const one = <T>(all: readonly T[]): T => all[below(all.length)] as T;
  const sent: { readonly txid: string; readonly id: string; readonly amount: number }[] = [];
  for (let step = 0; step < steps; step += 1) {
    const { id, to } = one(people);
    const amount = 10 + below(50);
    const dropped = one(sent);
    if (below(2) === 0) sent.push({ txid: await chain.pay(to, usdt(amount)), id, amount });
    if (below(2) === 0) await chain.mine(1 + below(2));
    if (below(4) === 0) await chain.reorg(1 + below(2));
    // Refused where another transaction has taken its place.
    if (dropped && below(3) === 0) await chain.resend(dropped.txid).catch(() => {});
    // One may be stopped before any range, while another works beside it.
    await Promise.all([one(rounds)(() => below(2) === 0), one(rounds)(() => false)]);
  }
  await chain.mine(6);
  for (const round of rounds) await round(() => false);
  const sums = new Map(people.map(({ id }) => [id, 0]));
  for (const { txid, id, amount } of sent)
    if (await chain.has(txid)) sums.set(id, (sums.get(id) ?? 0) + amount);
  return sums;
}

interface SequenceOptions {
  readonly seed: number;
  readonly steps: number;
  readonly people: readonly Depositor[];
  readonly rounds: readonly Round[];
}
