import { get } from '../../api/client.ts';
import { market } from '../../live/market.ts';

/** Reads the list of products again. */
export async function refreshBoard(): Promise<void> {
  market.load(await get('product/board'));
}
