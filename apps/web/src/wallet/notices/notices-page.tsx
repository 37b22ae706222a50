import type { Notice } from '@fairtick/protocol';
import { NOTICE_PAGES } from '@fairtick/protocol/notice-kinds';
import { Empty, ForwardIcon, InboxIcon } from '@fairtick/ui';
import { useEffect } from 'react';
import { get, post } from '../../api/client.ts';
import { useNotices, useOnNotice } from '../../live/notices.ts';
import { useText } from '../../messages/text-context.tsx';
import { LoadMore } from '../../parts/load-more.tsx';
import { Listed } from '../../parts/loaded.tsx';
import { pageOf } from '../../parts/page.tsx';
import { usePages } from '../../parts/pages.ts';
import { PullToRefresh } from '../../parts/pull-to-refresh.tsx';
import { Link } from '../../shell/link.tsx';
import { formatTime, hideAmounts } from '../../state/format.ts';
import { RecordSkeletons, RecordsByDay } from '../parts/record-list.tsx';
import records from '../parts/records.module.css';
import css from './notices.module.css';

/** `/notices`: the permanent inbox of decisions. */
export default pageOf('wallet', Notices);

const LIMIT = 20;

function Notices() {
  const { t, language } = useText();
  const pages = usePages(['notices', language], (cursor, signal) =>
    get('notice/list', { limit: LIMIT, cursor }, { signal }),
  );
  const { query, items: notices } = pages;
  useOnNotice(() => void query.refetch());
  useReading(notices[0]?.id, query.data?.pages[0]?.unread ?? 0);
  return (
    <PullToRefresh onRefresh={() => query.refetch({ throwOnError: true })}>
      <Listed
        query={query}
        items={notices}
        waiting={<RecordSkeletons />}
        empty={
          <Empty icon={<InboxIcon size={28} />} title={t('notices.empty')}>
            {t('notices.emptyHint')}
          </Empty>
        }
      >
        <div className={`px-side ${records.list}`}>
          <RecordsByDay records={notices} timeOf={({ time }) => time}>
            {(notice) => <NoticeRow notice={notice} />}
          </RecordsByDay>
          <LoadMore {...pages.more} />
        </div>
      </Listed>
    </PullToRefresh>
  );
}

/** Marks displayed notices as read; they stay highlighted until the list is fetched again. */
function useReading(newest: string | undefined, unread: number): void {
  useEffect(() => {
    if (newest === undefined || unread === 0) return;
    post('notice/read', { id: newest }, { isSilent: true })
      .then(() => useNotices.setState({ hasUnread: false }))
      // The notices stay unread; the next visit tries again.
      .catch(() => {});
  }, [newest, unread]);
}

function NoticeRow({ notice }: { notice: Notice }) {
  const { t, tag } = useText();
  const href = placeOf(notice);
  const inside = (
    <>
      <span className={css.mark}>
        {!notice.isRead && (
          <i>
            <span className="sr">{t('notices.unread')}</span>
          </i>
        )}
      </span>
      <div className={`fill ${css.text}`}>
        <b>{notice.title}</b>
        <p className="secondary">{hideAmounts(notice.text)}</p>
        <small>{formatTime(notice.time, tag)}</small>
      </div>
      {href && <ForwardIcon size={16} />}
    </>
  );
  const marks = { 'data-notice': notice.kind, 'data-unread': notice.isRead ? undefined : '' };
  return href ? (
    <Link href={href} className={`flex items-start gap-10 py-12 relative ${css.notice}`} {...marks}>
      {inside}
    </Link>
  ) : (
    <div className={`flex items-start gap-10 py-12 relative ${css.notice}`} {...marks}>
      {inside}
    </div>
  );
}

/** The page about the notice's subject; null if there is none, or for a kind that this app does not know. */
function placeOf({ kind, ref }: Notice): string | null {
  const page = (NOTICE_PAGES as Readonly<Record<string, string | null>>)[kind] ?? null;
  return page?.replace('{id}', ref?.split(':')[1] ?? '') ?? null;
}
