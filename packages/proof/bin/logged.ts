/** `fairtick logged`: asks a server's log for the batch of an acceptance. */
import {
  type FoundBatch,
  findBatch,
  httpSource,
  type PinnedKey,
  type SignedAcceptance,
} from '../src/index.ts';
import { say } from './command-line.ts';

const timeOf = (ms: number): string => new Date(ms).toISOString();

function wordsOf(found: FoundBatch): string {
  switch (found.state) {
    case 'pending':
      return `NOT YET: the log of ${found.size} entries has not come to the second before the order opens.`;
    case 'missing':
      return `MISSING: the log of ${found.size} entries has passed the second before the order opens, and does not carry it: it is void.`;
    case 'logged':
    case 'late':
      return [
        `${found.state === 'late' ? 'TOO LATE, so the order is void' : 'LOGGED'}: entry ${found.index} of ${timeOf(found.timeMs)} carries its batch`,
        found.isNamed ? 'names what was asked for' : '',
        found.isProved
          ? 'has its root'
          : 'carries others, so only /api/order/logged proves its place among them',
      ]
        .filter((part) => part !== '')
        .join(', ')
        .concat('.');
  }
}

/** @returns 0 logged in time, 4 not in time or not yet */
export async function askForBatch(
  acceptance: SignedAcceptance,
  url: string,
  pinned: readonly PinnedKey[],
): Promise<number> {
  const found = await findBatch(httpSource(url), acceptance, pinned);
  say(wordsOf(found));
  return found.state === 'logged' ? 0 : 4;
}
