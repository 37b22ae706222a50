import type { Notice } from '@fairtick/protocol';
import { create } from 'zustand';
import { serverNow } from './clock.ts';
import { onSessionEnd } from './end-session.ts';

/** Whether the inbox holds something unread; null until the server has told. */
interface NoticesStore {
  readonly hasUnread: boolean | null;
}

export const useNotices = create<NoticesStore>()(() => ({ hasUnread: null }));
onSessionEnd(() => useNotices.setState({ hasUnread: null }));

type Handler = (notice: Notice) => void;
const handlers = new Set<Handler>();

/** Told of every notice as it comes. */
export function onNotice(handler: Handler): () => void {
  handlers.add(handler);
  return () => handlers.delete(handler);
}

export function takeNotice(notice: Notice): void {
  useNotices.setState({ hasUnread: true });
  for (const handler of handlers) handler(notice);
}

const JUST_NOW_MS = 30_000;

/** The inbox as it is when the stream begins: what came just now may be younger than what a screen was answered meanwhile. */
export function takeInbox(notices: readonly Notice[]): void {
  useNotices.setState({ hasUnread: notices.some(({ isRead }) => !isRead) });
  for (const notice of notices) {
    if (serverNow() - notice.time > JUST_NOW_MS) continue;
    for (const handler of handlers) handler(notice);
  }
}
