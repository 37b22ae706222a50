import * as z from 'zod';
import type { VendorSettings } from '../../config/vendor-file.ts';
import { boundedText } from '../../platform/bounded-text.ts';

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 16 * 1024;

const answer = z.object({
  reference: z.string(),
  state: z.enum(['pending', 'clear', 'match', 'reject', 'error']),
  code: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,60}$/)
    .nullish(),
  case: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,100}$/)
    .nullish(),
});
export type VendorAnswer = z.infer<typeof answer>;

/**
 * Makes an inquiry, or without `asked` fetches it (docs/VENDORS.md). A repeated call is the same inquiry. Redirects are not followed.
 * @returns null: the vendor does not know it
 * @throws Error that repeats nothing of what was sent or answered
 */
export async function askVendor(
  { api, apiKey }: Pick<VendorSettings, 'api' | 'apiKey'>,
  reference: string,
  asked: unknown,
  timeoutMs = TIMEOUT_MS,
): Promise<VendorAnswer | null> {
  const response = await fetch(`${api}/inquiries/${reference}`, {
    method: asked === undefined ? 'GET' : 'PUT',
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      ...(asked !== undefined && { 'content-type': 'application/json' }),
    },
    ...(asked !== undefined && { body: JSON.stringify(asked) }),
  });
  const text = await boundedText(response, MOST_BYTES);
  if (asked === undefined && response.status === 404) return null;
  if (!response.ok) throw new Error(`the answer has the status ${response.status}`);
  if (text === null) throw new Error(`the answer has more than ${MOST_BYTES} bytes`);
  const read = answer.safeParse(jsonOf(text));
  if (!read.success || read.data.reference !== reference) throw new Error('the answer has another form');
  return read.data;
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
