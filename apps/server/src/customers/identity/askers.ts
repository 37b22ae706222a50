import { timingSafeEqual } from 'node:crypto';
import type { Asker } from '../../platform/fairness/fair-line.ts';
import type { Caller } from '../../platform/http/session.ts';
import { networkOf } from '../../platform/network.ts';

/** Computes and recognises keyed marks (HMACs) of a text under the installation's keys. */
export interface Marks {
  index(kind: string, text: string): Buffer;
  indices(kind: string, text: string): readonly Buffer[];
}

const KIND = 'login device';

/**
 * The mark that a browser keeps of a customer who logged in there. It grants no access; it only puts the caller into a
 * better queue. It can't be made without having logged in, and is valid for one customer.
 */
export const deviceMark = (marks: Marks, customerId: string): string =>
  marks.index(KIND, customerId).toString('base64url');

export const anyone = ({ address }: Caller): Asker => ({ kind: 'anyone', who: networkOf(address) });

export const inside = ({ address }: Caller): Asker => ({ kind: 'inside', who: networkOf(address) });

/** The queue of a login, and the place that its wrong guesses count for; guesses from other places do not count there. */
export interface LoginAsker {
  readonly asker: Asker;
  readonly place: string;
}

/** @param customer null: no such account */
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
