import type { Data } from '@fairtick/protocol';
import { Empty, LookIcon } from '@fairtick/ui';
import { groupBy } from '@fairtick/ui/group-by';
import { get } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { LoadMore } from '../parts/load-more.tsx';
import { Listed } from '../parts/loaded.tsx';
import { pageOf } from '../parts/page.tsx';
import { usePages } from '../parts/pages.ts';
import { PullToRefresh } from '../parts/pull-to-refresh.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { formatDay, formatTime } from '../state/format.ts';
import css from './account.module.css';

/** `/whoLooked`: who of the staff looked at which of the customer's data, and when. */
export default pageOf('identity', WhoLooked);

type Page = Data<'dataViews'>;

function WhoLooked() {
  const { t } = useText();
  const {
    query,
    items: views,
    more,
  } = usePages(['dataViews'], (cursor, signal) =>
    get('user/dataViews', { limit: 30, cursor }, { signal, isSilent: true }),
  );
  return (
    <PullToRefresh onRefresh={() => query.refetch({ throwOnError: true })}>
      <div className="page">
        <p className={`secondary ${css.lead}`}>{t('looked.lead')}</p>
        <Listed
          query={query}
          items={views}
          waiting={<Waiting heights={[60, 60, 60, 60]} />}
          empty={
            <Empty icon={<LookIcon size={28} />} title={t('looked.empty')}>
              {t('looked.emptyHint')}
            </Empty>
          }
        >
          <Views views={views} />
          <LoadMore {...more} />
        </Listed>
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
