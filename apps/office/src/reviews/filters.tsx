import { SearchIcon } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { BarSelect } from '../shell/form.tsx';
import { Pill, Pills } from '../shell/pills.tsx';
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
    <div className={`flex wrap ${css.filters}`}>
      <Pills
        label={t('review.filters')}
        values={OF_KIND[props.kind]}
        value={filter.view}
        nameOf={(view) => word('view', view) + countOf(view)}
        onChange={(view) => onChange({ ...filter, view })}
      />
      <span className="flex gap-6">
        <Pill
          name={t('review.risky')}
          isOn={filter.isRisky}
          onPress={() => onChange({ ...filter, isRisky: !filter.isRisky })}
        />
        {assets.length > 1 && (
          <BarSelect
            className="pill"
            aria-label={t('review.asset')}
            value={filter.asset}
            none={t('review.allAssets')}
            choices={assets}
            onChange={(event) => onChange({ ...filter, asset: event.target.value })}
          />
        )}
        <span className={`framed row gap-6 ink-3 ${css.search}`}>
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
