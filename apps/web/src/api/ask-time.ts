import { get } from './client.ts';
import { serverClock } from './server-clock.ts';

/**
 * Asks for the server's time and measures the round trip.
 * @throws NetworkError, RefusedError
 */
export async function askTime(): Promise<number> {
  const sentMs = performance.now();
  const { serverTime } = await get('app/config', {}, { isSilent: true });
  serverClock.take({ sentMs, receivedMs: performance.now(), serverMs: serverTime });
  return serverTime;
}
