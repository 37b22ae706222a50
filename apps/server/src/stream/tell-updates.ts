import type { Logger } from 'pino';
import type { Listener } from '../platform/bus/listener.ts';
import type { StreamHub } from './hub.ts';

export function tellUpdates(listener: Listener, hub: StreamHub, log: Logger): void {
  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  listener.on('orders', (changed) => {
    const told = changed === null ? hub.resynchronise() : hub.orderUpdates.publish(changed);
    told.catch(warn('order news could not be told'));
  });
  // Snapshots after a reconnect include what was missed.
  listener.on('earnings', (booked) => {
    if (booked !== null) hub.publishInterest(booked).catch(warn('interest could not be told'));
  });
  listener.on('notices', (notice) => {
    if (notice !== null) hub.noticeUpdates.publish(notice).catch(warn('a notice could not be told'));
  });
  listener.on('chat', (news) => {
    if (news !== null) hub.chatUpdates.publish(news).catch(warn('news of a conversation could not be told'));
  });
}
