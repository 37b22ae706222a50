import type { Notice } from '@fairtick/protocol';
import { create } from 'zustand';
import { onSessionEnd } from '../state/session-lifecycle.ts';
import { serverNow } from './clock.ts';
import { createNews, useNews } from './news.ts';

/** Whether the inbox has unread notices; null until the server has said so. */
interface NoticesStore {
  readonly hasUnread: boolean | null;
}

export const useNotices = create<NoticesStore>()(() => ({ hasUnread: null }));
onSessionEnd(() => useNotices.setState({ hasUnread: null }));

const news = createNews<Notice>();
export const useOnNotice = (handler: (notice: Notice) => void): void => useNews(news, handler);

export function takeNotice(notice: Notice): void {
  useNotices.setState({ hasUnread: true });
  news.tell(notice);
}

const JUST_NOW_MS = 30_000;

/**
 * Takes the inbox snapshot sent when the stream starts. Very recent notices go to the handlers, because a screen's data may be
 * older than they are.
 */
export function takeInbox(notices: readonly Notice[]): void {
  useNotices.setState({ hasUnread: notices.some(({ isRead }) => !isRead) });
  for (const notice of notices) {
    if (serverNow() - notice.time <= JUST_NOW_MS) news.tell(notice);
  }
}
