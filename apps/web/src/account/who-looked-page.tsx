import type { Data } from '@fairtick/protocol';
import { Empty, LookIcon, Skeleton } from '@fairtick/ui';
import { groupBy } from '@fairtick/ui/group-by';
import { get } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { LoadMore } from '../parts/load-more.tsx';
import { pageOf } from '../parts/page.tsx';
import { usePages } from '../parts/pages.ts';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { QueryFault } from '../parts/query-fault.tsx';
import { formatDay, formatTime } from '../state/format.ts';
import css from './account.module.css';

/** `/whoLooked`: who of the staff looked at which of the customer's data, and when. */
export default pageOf('identity', WhoLooked);

type Page = Data<'dataViews'>;

function WhoLooked() {
  const { t } = useText();
  const pages = usePages(['dataViews'], (cursor, signal) =>
    get('user/dataViews', { limit: 30, cursor }, { signal, isSilent: true }),
  );
  const { query, items: views } = pages;
  return (
    <PullToRefresh onRefresh={() => query.refetch({ throwOnError: true })}>
      <div className="page">
        <p className={`secondary ${css.lead}`}>{t('looked.lead')}</p>
        {query.isPending ? (
          <div className={`stack gap-20 ${css.waiting}`} aria-busy="true">
            {Array.from({ length: 4 }, (_, at) => (
              <Skeleton key={at} width="100%" height={60} />
            ))}
          </div>
        ) : views.length > 0 ? (
          <>
            <Views views={views} />
            <LoadMore {...pages.more} />
          </>
        ) : query.error ? (
          <QueryFault error={query.error} onAgain={() => void query.refetch()} />
        ) : (
          <Empty icon={<LookIcon size={28} />} title={t('looked.empty')}>
            {t('looked.emptyHint')}
          </Empty>
        )}
      </div>
    </PullToRefresh>
  );
}

function Views({ views }: { views: Page['items'] }) {
  const { t, tag } = useText();
  const rolesOf = (roles: Page['items'][number]['roles']) =>
    roles.length === 0 ? t('looked.staff') : roles.map((role) => t(`role.${role}`)).join(t('looked.and'));
  const days = groupBy(views, ({ time }) => formatDay(time, tag));
  return [...days].map(([day, ofDay]) => (
    <section key={day}>
      <h2 className={`text-13 ink-3 ${css.day}`}>{day}</h2>
      <ul className="card lined">
        {ofDay.map(({ id, time, staff, roles, what }) => (
          <li key={id} className={css.row}>
            <div>
              <p>{t(`looked.${what}`)}</p>
              <span className="note">{t('looked.by', { roles: rolesOf(roles), number: staff })}</span>
            </div>
            <time className="note" dateTime={new Date(time).toISOString()}>
              {formatTime(time, tag)}
            </time>
          </li>
        ))}
      </ul>
    </section>
  ));
}
