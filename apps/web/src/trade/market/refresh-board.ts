import { get } from '../../api/client.ts';
import { market } from '../../live/market.ts';

export async function refreshBoard(): Promise<void> {
  market.load(await get('product/board'));
}
