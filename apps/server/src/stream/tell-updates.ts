import type { Logger } from 'pino';
import type { Listener } from '../platform/bus/listener.ts';
import type { StreamHub } from './hub.ts';

/** How long news that could not be read wait until all is read again. */
const AGAIN_MS = 1_000;

export function tellUpdates(listener: Listener, hub: StreamHub, log: Logger): void {
  let isWanted = false;
  let isReading = false;
  const readAll = async () => {
    isWanted = true;
    if (isReading) return;
    isReading = true;
    while (isWanted) {
      isWanted = false;
      await hub.resynchronise().catch(again);
    }
    isReading = false;
  };
  let isWaiting = false;
  const again = (error: unknown) => {
    log.warn({ err: error }, 'news could not be told');
    if (isWaiting) return;
    isWaiting = true;
    const readAgain = () => {
      isWaiting = false;
      void readAll();
    };
    setTimeout(readAgain, AGAIN_MS).unref();
  };
  hub.orderUpdates.onFault(again);
  listener.on('orders', (changed) => {
    if (changed === null) void readAll();
    else hub.orderUpdates.publish(changed).catch(again);
  });
  // What was missed is in the snapshots that are read again.
  listener.on('earnings', (booked) => {
    if (booked !== null) hub.publishInterest(booked).catch(again);
  });
  listener.on('notices', (notice) => {
    if (notice !== null) hub.noticeUpdates.publish(notice).catch(again);
  });
  listener.on('chat', (news) => {
    if (news !== null) hub.chatUpdates.publish(news).catch(again);
  });
}
