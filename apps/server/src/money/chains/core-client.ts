import * as z from 'zod';
import { postToNode, readAnswer } from './node-request.ts';

/** Bitcoin Core's codes of errors (src/rpc/protocol.h). */
const NO_WALLET = -18;

const walletInfo = z.object({
  private_keys_enabled: z.boolean(),
  scanning: z.union([z.literal(false), z.looseObject({})]),
});

/** The calls of a Bitcoin Core node, and of its wallet of this name, which has addresses and no key. */
export class CoreClient {
  readonly #url: string;
  readonly #wallet: string;

  constructor(url: string, wallet: string) {
    this.#url = url.replace(/\/$/, '');
    this.#wallet = wallet;
  }

  /** Makes the wallet at a node that has none. */
  async openWallet(onMissing: () => void = () => {}): Promise<z.infer<typeof walletInfo>> {
    const read = () => this.ofWallet(walletInfo, 'getwalletinfo');
    const info = await read().catch(async (error: unknown) => {
      if (!isCoreError(error, NO_WALLET)) throw error;
      onMissing();
      await this.ask(z.unknown(), 'loadwallet', [this.#wallet, true]).catch(async (missing: unknown) => {
        if (!isCoreError(missing, NO_WALLET)) throw missing;
        // Without private keys, empty, no password, addresses may be used again, by descriptors, loaded at each start.
        await this.ask(z.unknown(), 'createwallet', [this.#wallet, true, true, null, false, true, true]);
      });
      return read();
    });
    if (info.private_keys_enabled) throw new Error(`the node’s wallet ${this.#wallet} has private keys`);
    return info;
  }

  ofWallet<T extends z.ZodType>(
    form: T,
    method: string,
    params: readonly unknown[] = [],
    timeoutMs?: number,
  ): Promise<z.infer<T>> {
    const path = `/wallet/${this.#wallet}`;
    return this.ask(form, method, params, { path, ...(timeoutMs && { timeoutMs }) });
  }

  async ask<T extends z.ZodType>(
    form: T,
    method: string,
    params: readonly unknown[] = [],
    { path = '', ...options }: { path?: string; timeoutMs?: number } = {},
  ): Promise<z.infer<T>> {
    const body = { jsonrpc: '1.0', id: 'fairtick', method, params };
    const { status, text } = await postToNode(`${this.#url}${path}`, body, options);
    // Errors of calls come with status 500 and JSON; others, such as a wrong password, have none.
    const answer = answered.safeParse(parseAmounts(text));
    if (!answer.success) throw new Error(`the node answers ${method} with ${status}`);
    const { error, result } = answer.data;
    if (error) throw new CoreError(error.code, `${method}: ${error.message}`);
    return readAnswer(form, result, method);
  }
}

const answered = z.object({
  result: z.unknown(),
  error: z.object({ code: z.int(), message: z.string() }).nullish(),
});

class CoreError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Whether the node answered with one of these codes. */
export const isCoreError = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof CoreError && codes.includes(error.code);

type Revive = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseJson = JSON.parse as (text: string, revive: Revive) => unknown;

/** JSON with each `amount` as the text that it has there: as a number it would be a float. Null: it is no JSON. */
function parseAmounts(text: string): unknown {
  try {
    return parseJson(text, (key, value, { source }) =>
      key === 'amount' && typeof value === 'number' ? source : value,
    );
  } catch {
    return null;
  }
}
