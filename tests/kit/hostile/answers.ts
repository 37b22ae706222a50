import type { Answer } from '../clients/api.ts';
import { seen } from '../waiting/until.ts';

/** Whether an answer is a refusal as every client expects it. */
export const refusedWell = ({ status, body }: Answer): boolean =>
  body.code !== 1 && body.data === null && body.msg.length > 0 && body.error !== undefined && status < 500;

/** Errors of a busy server: nothing has changed, and the same request may succeed in a moment. */
const FOR_NOW: ReadonlySet<string | undefined> = new Set(['PRICE_UNAVAILABLE', 'LATE']);

/** Sends an order again with its key, as the app does, until the answer is not one of `FOR_NOW`, nor 503. */
export const heard = (send: () => Promise<Answer>): Promise<Answer> =>
  seen(
    async () => {
      // The client throws at a status of 500 and more.
      const answer = await send().catch((error: Error) => {
        if (!error.message.includes(' answered 503 ')) throw error;
        return null;
      });
      return answer !== null && !FOR_NOW.has(answer.body.error) && answer;
    },
    { everyMs: 200, what: 'an answer to an order' },
  );
