import type { Logger } from 'pino';
import type { Listener } from '../db/listener.ts';
import type { StreamHub } from './hub.ts';

/** Hands what other processes say happened to the readers here: orders and funds, interest, notices, conversations. */
export function tellNews(listener: Listener, hub: StreamHub, log: Logger): void {
  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  listener.on('orders', (payload) => {
    const told = payload === '' ? hub.resynchronise() : hub.orderNews.publish(payload);
    told.catch(warn('order news could not be told'));
  });
  // What was missed is in the snapshots that follow a lost connection.
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
