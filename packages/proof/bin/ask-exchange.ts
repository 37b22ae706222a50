import { bodyOf } from '../src/index.ts';
import { Trouble } from './command-line.ts';

const PATIENCE_MS = 10_000;
/** A thousand trades take some 150 kB. */
const MOST_BYTES = 2 * 1024 * 1024;

export async function askExchange(url: URL): Promise<unknown> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!answer.ok) throw new Error(`${url.host} answers ${answer.status}`);
  return JSON.parse(new TextDecoder().decode(await bodyOf(answer, MOST_BYTES)));
}

/** Addresses in place of an exchange's own, by source. @param given `NAME=URL` each */
export function originsIn(given: readonly string[] = []): Record<string, string> {
  const pairs = given.map((each) => /^([a-z0-9-]+)=(https?:\/\/.+)$/.exec(each));
  if (pairs.includes(null)) throw new Trouble('--source needs NAME=URL');
  return Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]]));
}
