import { type ComponentType, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useMe } from '../api/queries.ts';
import { useText } from '../messages/text-context.tsx';
import { usePageKeys } from '../shell/page-keys.ts';
import split from '../shell/split.module.css';
import { caseOf } from '../state/recent-cases.ts';
import { Filters } from './filters.tsx';
import { useNow, useQueue } from './queries.ts';
import {
  filterCases,
  NO_FILTER,
  neighbour,
  nextCase,
  type QueueCase,
  type ReviewKind,
} from './queue-model.ts';
import { QueueTable, useAgeText } from './queue-table.tsx';
import css from './review.module.css';

export interface CaseProps {
  readonly id: string;
  /** The case as its queue lists it; null if it is not among the cases read. */
  readonly queued: QueueCase | null;
  readonly nowMs: number;
  /** Called when the case is decided; opens the next one. */
  readonly onDone: () => void;
}

const OF_KIND = {
  deposit: { title: 'deposit.title', note: 'deposit.note', targetMinutes: 30 },
  withdrawal: { title: 'withdrawal.title', note: 'withdrawal.note', targetMinutes: 24 * 60 },
  identity: { title: 'identity.title', note: 'identity.note', targetMinutes: 24 * 60 },
} as const;

const rowOf = (id: string) =>
  document.querySelector<HTMLElement>(`[data-row="${id}"]`)?.closest('tr') ?? null;

/** A queue beside the open case. The address names the open case, so that it can be handed to a colleague. */
export function ReviewPage({ kind, Case }: { kind: ReviewKind; Case: ComponentType<CaseProps> }) {
  const { title: heading, note, targetMinutes } = OF_KIND[kind];
  const { t } = useText();
  const ageText = useAgeText();
  const me = useMe().data;
  const nowMs = useNow();
  const [location, navigate] = useLocation();
  const [filter, setFilter] = useState(NO_FILTER);
  const queue = useQueue(kind, filter.view === 'decided');
  const shown = filterCases(queue.rows, filter);
  const openId = caseOf(location);
  const open = (id: string | null) => {
    navigate(id === null ? '/' : `/${id}`);
    if (id !== null) rowOf(id)?.focus();
  };
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The focused button disappears with a decided case: focus moves to the next case, or to the heading of an empty queue.
    const timer = setTimeout(() => {
      if (document.activeElement !== document.body) return;
      const next = openId === null ? null : rowOf(openId);
      (next ?? title.current)?.focus();
    });
    return () => clearTimeout(timer);
  }, [openId]);
  usePageKeys([
    { key: 'j', title: 'keys.next', run: () => open(neighbour(shown, openId, 1)) },
    { key: 'k', title: 'keys.previous', run: () => open(neighbour(shown, openId, -1)) },
  ]);
  const oldest = shown[0];
  return (
    <div className={`${split.split} ${css.page}`}>
      <section className={css.queue} aria-labelledby="queue-title">
        <header className="flex between items-baseline gap-16">
          <h1 ref={title} id="queue-title" tabIndex={-1}>
            {t(heading)}
          </h1>
          {oldest !== undefined && filter.view !== 'decided' && (
            <span className="caption">
              {t('review.oldest', {
                age: ageText(nowMs - oldest.submittedAt),
                target: ageText(targetMinutes * 60_000),
              })}
            </span>
          )}
        </header>
        <Filters
          kind={kind}
          cases={queue.rows}
          filter={filter}
          onChange={setFilter}
          hasMore={queue.hasNextPage}
        />
        <QueueTable
          kind={kind}
          list={{ ...queue, rows: shown }}
          none={t(queue.rows.length === 0 ? 'review.none' : 'review.noneOfThese')}
          openId={openId}
          nowMs={nowMs}
          targetMinutes={targetMinutes}
          onOpen={open}
        />
        <p className="caption mt-12">{t(note)}</p>
      </section>
      <aside className={`flex-column min-0 ${split.aside}`} aria-label={t('review.case')}>
        {openId === null || !me ? (
          <p className={`ink-3 text-center ${split.choose}`}>{t('review.choose')}</p>
        ) : (
          <Case
            key={openId}
            id={openId}
            queued={queue.rows.find(({ id }) => id === openId) ?? null}
            nowMs={nowMs}
            onDone={() => open(nextCase(shown, openId))}
          />
        )}
      </aside>
    </div>
  );
}
