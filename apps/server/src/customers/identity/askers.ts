import { timingSafeEqual } from 'node:crypto';
import type { Asker } from '../../platform/fairness/line.ts';
import type { Caller } from '../../platform/http/session.ts';
import { networkOf } from '../../platform/network.ts';

/** Computes and recognises keyed marks (HMACs) of a text under the installation's keys. */
export interface Marks {
  index(kind: string, text: string): Buffer;
  indices(kind: string, text: string): readonly Buffer[];
}

const KIND = 'login device';

/**
 * The mark that a browser keeps of the customer who last logged in there. It grants no access; it only gives the caller counts
 * and a place in the queue of its own. It can't be made without having logged in.
 */
export const deviceMark = (marks: Marks, customerId: string): string =>
  `${customerId}.${marks.index(KIND, customerId).toString('base64url')}`;

/** The customer of a mark, looked at before anything is counted; null: it is none of this installation's. */
export function customerOfMark(marks: Marks, given: string | undefined): string | null {
  if (given === undefined) return null;
  const [customerId = '', proof = ''] = given.split('.');
  const mark = Buffer.from(proof, 'base64url');
  const isOurs = marks
    .indices(KIND, customerId)
    .some((own) => own.length === mark.length && timingSafeEqual(own, mark));
  return isOurs ? customerId : null;
}

export const anyone = ({ address }: Caller): Asker => ({ kind: 'anyone', who: networkOf(address) });

export const inside = ({ address }: Caller): Asker => ({ kind: 'inside', who: networkOf(address) });

/** The queue of a login, and the place that its wrong guesses count for; guesses from other places do not count there. */
export interface LoginAsker {
  readonly asker: Asker;
  readonly place: string;
}

/** @param customer null: no such account */
export function loginAsker(
  caller: Caller,
  customer: { readonly id: string; readonly isKnownPlace: boolean } | null,
): LoginAsker {
  const network = networkOf(caller.address);
  if (customer && caller.device === customer.id)
    return { asker: { kind: 'known', who: customer.id }, place: 'device' };
  if (customer?.isKnownPlace) return { asker: { kind: 'known', who: network }, place: network };
  return { asker: { kind: 'anyone', who: network }, place: '' };
}
