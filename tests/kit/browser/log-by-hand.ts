/**
 * Reads the log as a stranger would: the tiles' entry bundles over HTTP, split by hand. Knows the published grammar and
 * nothing of the project's code.
 */
interface LoggedTick {
  readonly index: number;
  readonly timeMs: number;
  readonly price: string;
  isMajorityReceivedFrom(ms: number): boolean;
}

export interface LoggedTicks extends Array<LoggedTick> {
  /** Index of the first `orders` entry at or after a time. */
  ordersEntryAfter(ms: number): number;
}

/** All ticks of a product, as soon as a signed checkpoint covers one after `untilMs`. */
export async function readLog(
  origin: string,
  symbol: string,
  { untilMs }: { untilMs: number },
): Promise<LoggedTicks> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const ticks = await readSigned(origin, symbol);
    if ((ticks.at(-1)?.timeMs ?? 0) > untilMs) return ticks;
    if (performance.now() > deadline) throw new Error('the log does not reach that far');
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function readSigned(origin: string, symbol: string): Promise<LoggedTicks> {
  const checkpoint = await (await fetch(`${origin}/api/transparency/checkpoint`)).text();
  const size = Number(checkpoint.split('\n')[1]);
  const orders: { index: number; timeMs: number }[] = [];
  const ticks: LoggedTick[] = [];
  for (let bundle = 0; bundle * 256 < size; bundle += 1) {
    const width = Math.min(256, size - bundle * 256);
    for (const [place, line] of (await readBundle(origin, bundle, width)).entries()) {
      const index = bundle * 256 + place;
      const fields = line.split('|');
      if (fields[0] === 'orders') orders.push({ index, timeMs: Number(fields[2]) });
      if (fields[0] === 'tick' && fields[2] === symbol) ticks.push(readTick(index, fields));
    }
  }
  return Object.assign(ticks, {
    ordersEntryAfter: (ms: number) =>
      orders.find((entry) => entry.timeMs >= ms)?.index ?? Number.POSITIVE_INFINITY,
  });
}

async function readBundle(origin: string, bundle: number, width: number): Promise<string[]> {
  const digits = String(bundle).padStart(3, '0');
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  const answer = await fetch(
    `${origin}/api/transparency/tile/entries/${path}${width < 256 ? `.p/${width}` : ''}`,
  );
  if (!answer.ok) throw new Error(`bundle ${bundle}: ${answer.status}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt16BE(at);
    lines.push(bytes.toString('utf8', at + 2, at + 2 + length));
    at += 2 + length;
  }
  return lines;
}

function readTick(index: number, fields: readonly string[]): LoggedTick {
  const quotes = (fields[8] as string).split(';').map((text) => text.split(','));
  const used = quotes.filter((quote) => quote[5] === 'use').map((quote) => Number(quote[4]));
  return {
    index,
    timeMs: Number(fields[4]),
    price: fields[5] as string,
    isMajorityReceivedFrom: (ms) => used.filter((received) => received >= ms).length * 2 > used.length,
  };
}
