import { timingSafeEqual } from 'node:crypto';
import { networkOf } from '../network.ts';
import type { Asker } from './fair-line.ts';
import type { Caller } from './sessions.ts';

/** Makes and knows what stands for a text under the installation's keys. */
export interface Marks {
  index(kind: string, text: string): Buffer;
  indices(kind: string, text: string): readonly Buffer[];
}

const KIND = 'login device';

/**
 * What a browser keeps of a customer who logged in there. It opens nothing: it only says that this is not anyone. Nobody can make it
 * without having logged in, and it is of one customer.
 */
export const deviceMark = (marks: Marks, customerId: string): string =>
  marks.index(KIND, customerId).toString('base64url');

export const anyone = ({ address }: Caller): Asker => ({ kind: 'anyone', who: networkOf(address) });

export const inside = ({ address }: Caller): Asker => ({ kind: 'inside', who: networkOf(address) });

/** The line of somebody who tries to log in, and the customer's place that they are at: wrong guesses from anywhere else do not count there. */
export interface LoginAsker {
  readonly asker: Asker;
  readonly place: string;
}

/** @param customer null: there is no such account */
export function loginAsker(
  marks: Marks,
  caller: Caller,
  customer: { readonly id: string; readonly isKnownPlace: boolean } | null,
): LoginAsker {
  const network = networkOf(caller.address);
  const isDevice = customer !== null && isMarkOf(marks, customer.id, caller.device ?? '');
  if (isDevice) return { asker: { kind: 'known', who: network }, place: 'device' };
  if (customer?.isKnownPlace) return { asker: { kind: 'known', who: network }, place: network };
  return { asker: { kind: 'anyone', who: network }, place: '' };
}

function isMarkOf(marks: Marks, customerId: string, given: string): boolean {
  const mark = Buffer.from(given, 'base64url');
  return marks
    .indices(KIND, customerId)
    .some((own) => own.length === mark.length && timingSafeEqual(own, mark));
}
