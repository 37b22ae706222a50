import type { Logger } from 'pino';
import type { Listener } from '../platform/db/listener.ts';
import type { StreamHub } from './hub.ts';

/** Passes notifications of other processes to the readers of this one: orders and funds, interest, notices, conversations. */
export function tellNews(listener: Listener, hub: StreamHub, log: Logger): void {
  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  listener.on('orders', (payload) => {
    const told = payload === '' ? hub.resynchronise() : hub.orderNews.publish(payload);
    told.catch(warn('order news could not be told'));
  });
  // Snapshots after a reconnect include what was missed.
  listener.on('earnings', (payload) => {
    if (payload !== '') hub.publishInterest(payload).catch(warn('interest could not be told'));
  });
  listener.on('notices', (payload) => {
    if (payload !== '') hub.noticeNews.publish(payload).catch(warn('a notice could not be told'));
  });
  listener.on('chat', (payload) => {
    if (payload !== '') hub.chatNews.publish(payload).catch(warn('news of a conversation could not be told'));
  });
}
