/** A move into earnings (above zero) or out of them, and the day that it counts for: days since the first. */
export interface EarningMove {
  readonly day: number;
  readonly amount: bigint;
}

/**
 * Interest by the rule that customers are told, day by day: lowest balance × rate / 365, rounded down, the remainder carried to
 * the next day. Returns `day principal interest` of each day before `end` with earnings.
 */
export function naiveInterest(moves: readonly EarningMove[], ppm: number, end: number): string[] {
  const byDay = Map.groupBy(moves, ({ day }) => day);
  const lines: string[] = [];
  let balance = 0n;
  let parts = 0n;
  for (let day = 0; day < end; day += 1) {
    let lowest = balance;
    for (const { amount } of byDay.get(day) ?? []) {
      balance += amount;
      if (balance < lowest) lowest = balance;
    }
    if (lowest === 0n) continue;
    const sum = lowest * BigInt(ppm) + parts;
    const interest = sum / 365_000_000n;
    parts = sum % 365_000_000n;
    balance += interest;
    lines.push(`${day} ${lowest} ${interest}`);
  }
  return lines;
}
