import { SearchIcon } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { BarSelect } from '../shell/form.tsx';
import { isIn, type QueueCase, type QueueFilter, type ReviewKind, VIEWS, type View } from './queue-model.ts';
import css from './review.module.css';

const OF_KIND: Readonly<Record<ReviewKind, readonly View[]>> = {
  deposit: ['open', 'mine', 'approval', 'decided'],
  withdrawal: VIEWS,
  identity: ['open', 'mine', 'decided'],
};

/** Filters of a queue. Counts cover the cases read so far; "+" means that there are more. */
export function Filters(props: {
  kind: ReviewKind;
  cases: readonly QueueCase[];
  filter: QueueFilter;
  hasMore: boolean;
  onChange: (filter: QueueFilter) => void;
}) {
  const { t, word } = useText();
  const { cases, filter, onChange } = props;
  const isDecided = filter.view === 'decided';
  const assets = [...new Set(cases.flatMap(({ asset }) => (asset === null ? [] : [asset])))].sort();
  const countOf = (view: View) => {
    // Decided and open cases are separate lists: counts of the list that is not shown are unknown.
    if ((view === 'decided') !== isDecided) return '';
    return ` ${cases.filter((one) => isIn(one, view)).length}${props.hasMore ? '+' : ''}`;
  };
  return (
    <div className={css.filters}>
      <fieldset className={css.views}>
        <legend className="sr">{t('review.filters')}</legend>
        {OF_KIND[props.kind].map((view) => (
          <button
            key={view}
            type="button"
            aria-pressed={filter.view === view}
            onClick={() => onChange({ ...filter, view })}
          >
            {word('view', view)}
            {countOf(view)}
          </button>
        ))}
      </fieldset>
      <span className={css.narrow}>
        <button
          type="button"
          className={css.chip}
          aria-pressed={filter.isRisky}
          onClick={() => onChange({ ...filter, isRisky: !filter.isRisky })}
        >
          {t('review.risky')}
        </button>
        {assets.length > 1 && (
          <BarSelect
            aria-label={t('review.asset')}
            value={filter.asset}
            onChange={(event) => onChange({ ...filter, asset: event.target.value })}
          >
            <option value="">{t('review.allAssets')}</option>
            {assets.map((asset) => (
              <option key={asset}>{asset}</option>
            ))}
          </BarSelect>
        )}
        <span className={css.search}>
          <SearchIcon size={16} />
          <input
            aria-label={t('review.findAccount')}
            placeholder={t('review.findAccount')}
            value={filter.account}
            onChange={(event) => onChange({ ...filter, account: event.target.value })}
          />
        </span>
      </span>
    </div>
  );
}
