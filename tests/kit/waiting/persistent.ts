import { type Answer, type CallOptions, post } from '../clients/api-client.ts';

/** What a slow machine is told: nothing has moved, and the same request may succeed in a moment. */
const FOR_NOW: ReadonlySet<string | undefined> = new Set(['LATE', 'PRICE_UNAVAILABLE', 'NOT_READY']);

/** Asks again with the same key, as the app does, until the answer is about the request and not about the moment. */
export async function postUntilHeard(
  origin: string,
  path: string,
  fields: Readonly<Record<string, string>>,
  options: CallOptions & { readonly key: string },
  beforeNext: () => Promise<void> = async () => {},
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await post(origin, path, fields, options);
    if (!FOR_NOW.has(answer.body.error) || attempt === 20) return answer;
    await beforeNext();
  }
}
