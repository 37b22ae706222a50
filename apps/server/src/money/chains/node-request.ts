import type * as z from 'zod';
import { boundedText } from '../../platform/bounded-text.ts';

const TIMEOUT_MS = 30_000;
/** A block of TRON has some hundred KB, a day of a busy wallet some MB. */
const MOST_BYTES = 64 << 20;

/**
 * Posts JSON to a node. A name and a password in the address are sent as HTTP's Basic authentication.
 * @throws Error without an answer, or with one that is too long
 */
export async function postToNode(
  address: string,
  body: unknown,
  { headers = {}, timeoutMs = TIMEOUT_MS }: { headers?: Record<string, string>; timeoutMs?: number } = {},
): Promise<{ status: number; text: string }> {
  const url = new URL(address);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      'content-type': 'application/json',
      ...(username && { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await boundedText(response, MOST_BYTES);
  if (text === null) throw new Error('the node’s answer is too long');
  return { status: response.status, text };
}

/** @throws Error, with one line, unless the answer has the form */
export function readAnswer<T extends z.ZodType>(form: T, answer: unknown, method: string): z.infer<T> {
  const read = form.safeParse(answer);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`the node answers ${method} in another form: ${issue?.path.join('.')}: ${issue?.message}`);
}
