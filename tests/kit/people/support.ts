import { get, post } from '../clients/api-client.ts';
import type { OfficeClient } from '../clients/office-client.ts';
import { dataOf } from '../clients/read-answers.ts';

let keys = 0;
export const newKey = (): string => {
  keys += 1;
  return `key-${keys}`;
};

/** Sends a customer's message. */
export const say = (origin: string, token: string, text: string, key = newKey()) =>
  post(origin, 'chat/send', { text }, { token, key });

/** The whole conversation as the customer sees it, oldest first. */
export async function wholeHistory(origin: string, token: string) {
  const all: { place: number; from: string; text: string | null; id: string; staff: string | null }[] = [];
  let cursor: string | null = null;
  do {
    const fields: Record<string, string> = { limit: '7', ...(cursor === null ? {} : { cursor }) };
    const page = await dataOf(get(origin, 'chat/history', fields, { token }));
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all.reverse();
}

/** Sends an answer of the staff. */
export const answer = (staff: OfficeClient, id: string, text: string, key = newKey()) =>
  staff.post('chat/answer', { id, text, key });
